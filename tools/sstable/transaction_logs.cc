// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/transaction_logs.h"

#include <cctype>
#include <cstdint>
#include <functional>
#include <optional>
#include <system_error>
#include <vector>

#include "plugin/io/file_io.h"

namespace cassandra_bloom::tools {
namespace {

constexpr std::string_view kLog = ".log";

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  for (char& letter : upper) {
    letter =
        static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return upper;
}

std::string_view NameOf(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

void ForEachLine(std::string_view content,
                 const std::function<void(std::string_view line)>& visit) {
  while (!content.empty()) {
    const size_t end = content.find('\n');
    std::string_view line = content.substr(0, end);
    if (EndsWith(line, "\r")) {
      line.remove_suffix(1);
    }
    visit(line);
    content.remove_prefix(end == std::string_view::npos ? content.size()
                                                        : end + 1);
  }
}

struct Record {
  std::string type;      // In upper case.
  std::string sstables;  // The beginning of the names of its files.
};

// Returns nothing for a line that is not complete: "ADD:[path,0,8][123]".
std::optional<Record> RecordOf(std::string_view line) {
  const size_t colon = line.find(":[");
  const size_t end = line.rfind("][");
  if (colon == std::string_view::npos || end == std::string_view::npos ||
      end < colon + 2 || line.back() != ']') {
    return std::nullopt;
  }
  const std::string_view fields = line.substr(colon + 2, end - colon - 2);
  const std::string_view path = fields.substr(0, fields.find(','));
  return Record{UpperCase(line.substr(0, colon)), std::string(NameOf(path))};
}

std::string ContentOf(const std::string& path) {
  // A line has a few hundred bytes: far more SSTables than any table has.
  constexpr uint64_t kMaxSize = uint64_t{64} << 20;
  std::string content;
  std::string ignored_error;
  return ReadRegularFile(path, kMaxSize, &content, &ignored_error) ? content
                                                                   : "";
}

template <typename IsWanted, typename Add>
void ReadLogs(const std::string& folder, IsWanted is_wanted, Add add,
              TransactionLogs* logs) {
  std::error_code ignored;
  for (const std::string& name : NamesIn(folder, is_wanted, &ignored)) {
    add(ContentOf(folder + "/" + name), logs);
  }
}

}  // namespace

// As LogFile.FILE_REGEX: ((FORMAT-)?VV_)?txn_OPERATION_ID.log.
bool IsTransactionLog(std::string_view name) {
  if (!EndsWith(name, kLog)) {
    return false;
  }
  const size_t txn = name.find("txn_");
  return txn == 0 || (txn != std::string_view::npos && name[txn - 1] == '_');
}

void AddTransactionLog(std::string_view content, TransactionLogs* logs) {
  std::set<std::string> added;
  std::set<std::string> removed;
  bool is_committed = false;
  ForEachLine(content, [&](std::string_view line) {
    const auto record = RecordOf(line);
    if (!record) {
      return;
    }
    if (record->type == "ADD") {
      added.insert(record->sstables);
    } else if (record->type == "REMOVE") {
      removed.insert(record->sstables);
    } else if (record->type == "COMMIT") {
      is_committed = true;
    }
  });
  logs->with_times.insert(removed.begin(), removed.end());
  // Without COMMIT, Cassandra will remove the new SSTables when it starts
  // (LogFile.removeUnfinishedLeftovers).
  if (is_committed) {
    logs->obsolete.insert(removed.begin(), removed.end());
  } else {
    logs->being_written.insert(added.begin(), added.end());
  }
}

// A line is the name of a TOC.txt, perhaps with folders.
void AddPendingDeleteLog(std::string_view content, TransactionLogs* logs) {
  ForEachLine(content, [&](std::string_view line) {
    const std::string_view name = NameOf(line);
    const size_t end = name.find_last_of('-');
    if (end != std::string_view::npos) {
      logs->obsolete.emplace(name.substr(0, end + 1));
    }
  });
}

TransactionLogs ReadTransactionLogs(const std::string& folder) {
  TransactionLogs logs;
  ReadLogs(folder, IsTransactionLog, AddTransactionLog, &logs);
  const auto is_log = [](const std::string& name) {
    return EndsWith(name, kLog);
  };
  ReadLogs(folder + "/pending_delete", is_log, AddPendingDeleteLog, &logs);
  return logs;
}

}  // namespace cassandra_bloom::tools
