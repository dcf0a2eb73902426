// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/transaction_logs.h"

#include <strings.h>

#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <system_error>
#include <vector>

#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/sstable.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

constexpr std::string_view kLog = ".log";

template <typename Number>
bool ParseWhole(std::string_view text, Number* number) {
  const char* const end = text.data() + text.size();
  return !text.empty() && std::from_chars(text.data(), end, *number).ptr == end;
}

// Cuts `*text` off at its last `mark`. Returns the text after this mark.
std::string_view TakeBehind(char mark, std::string_view* text) {
  const size_t at = text->rfind(mark);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view behind = text->substr(at + 1);
  *text = text->substr(0, at);
  return behind;
}

// Returns the beginning of the SSTable's file names, such as "nb-1-big-".
// Cassandra 3.0 and 3.11 write the path without the last "-"
// (LogRecord.absolutePath, since CASSANDRA-13294).
std::string SstableOf(std::string_view path) {
  std::string name(FileNameOf(path));
  return EndsWith(name, "-") ? name : name + "-";
}

// Returns the type in upper case, or "" if it is unknown.
std::string_view TypeOf(std::string_view text) {
  for (const std::string_view type : {"ADD", "REMOVE", "COMMIT", "ABORT"}) {
    if (text.size() == type.size() &&
        strncasecmp(text.data(), type.data(), type.size()) == 0) {
      return type;
    }
  }
  return "";
}

struct Record {
  std::string_view type;
  std::string sstable;
  bool is_intact = false;  // Whether it has its checksum.
};

// Parses the line from its end, because the path at its beginning may contain
// the same separators.
std::optional<Record> RecordOf(std::string_view line) {
  const size_t type_end = line.find(":[");
  if (type_end == std::string_view::npos || !EndsWith(line, "]")) {
    return std::nullopt;
  }
  const std::string_view type = TypeOf(line.substr(0, type_end));
  line.remove_prefix(type_end + 2);
  line.remove_suffix(1);
  const std::string_view checksum_text = TakeBehind('[', &line);
  if (!EndsWith(line, "]")) {
    return std::nullopt;
  }
  line.remove_suffix(1);
  uint64_t checksum = 0;
  int32_t num_files = 0;
  int64_t time = 0;
  if (type.empty() || !ParseWhole(checksum_text, &checksum) ||
      !ParseWhole(TakeBehind(',', &line), &num_files) ||
      !ParseWhole(TakeBehind(',', &line), &time)) {
    return std::nullopt;
  }
  // As Cassandra's LogRecord.computeChecksum.
  std::string summed = std::string(line) + std::string(type);
  for (const auto number :
       {static_cast<uint32_t>(time),
        static_cast<uint32_t>(static_cast<uint64_t>(time) >> 32),
        static_cast<uint32_t>(num_files)}) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      summed += static_cast<char>(number >> shift);
    }
  }
  return Record{type, SstableOf(line), checksum == Crc32(summed)};
}

// Calls `add` with the content of a log, unless the log has gone.
void ReadLog(const std::string& path, TransactionLogs* logs,
             const std::function<void(const std::string& content)>& add) {
  // In bytes. No table has enough SSTables for a larger log.
  constexpr uint64_t kMaxSize = uint64_t{64} << 20;
  std::string content;
  std::string error;
  if (ReadRegularFile(path, kMaxSize, &content, &error)) {
    add(content);
  } else if (NameExists(path)) {
    logs->errors.push_back(error);
  }
}

std::vector<std::string> LogsIn(const std::string& folder,
                                bool (*is_log)(std::string_view),
                                TransactionLogs* logs) {
  std::error_code failure;
  auto names = NamesIn(folder, is_log, &failure);
  if (failure && failure != std::errc::no_such_file_or_directory &&
      failure != std::errc::not_a_directory) {
    logs->errors.push_back(folder +
                           ": cannot list the folder: " + failure.message());
  }
  return names;
}

}  // namespace

// The pattern is LogFile.FILE_REGEX: ((FORMAT-)?VV_)?txn_OPERATION_ID.log.
bool IsTransactionLog(std::string_view name) {
  if (!EndsWith(name, kLog)) {
    return false;
  }
  const size_t txn = name.find("txn_");
  return txn == 0 || (txn != std::string_view::npos && name[txn - 1] == '_');
}

void AddTransactionLog(const std::string& path, std::string_view content,
                       TransactionLogs* logs) {
  std::set<std::string> added;
  std::set<std::string> removed;
  bool is_committed = false;
  bool has_damaged_line = false;  // Only the first damaged line is reported.
  const std::vector<std::string_view> lines = LinesOf(content);
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto record = RecordOf(lines[i]);
    const bool is_intact = record && record->is_intact;
    // Cassandra ignores a damaged last line, because it may be half written.
    // With any other damaged line, Cassandra does not start (LogFile.verify).
    if (!is_intact && i + 1 < lines.size() && !has_damaged_line) {
      logs->errors.push_back(path + ": line " + std::to_string(i + 1) +
                             " is damaged");
      has_damaged_line = true;
    }
    // A damaged line also counts, so that filterdb does not change the SSTable
    // that the line names.
    if (record && record->type == "ADD") {
      added.insert(record->sstable);
    } else if (record && record->type == "REMOVE") {
      removed.insert(record->sstable);
    }
    is_committed = is_intact && record->type == "COMMIT";
  }
  logs->with_times.insert(removed.begin(), removed.end());
  // Without COMMIT, the new SSTables count as being written, because Cassandra
  // removes them at its next start (LogFile.removeUnfinishedLeftovers).
  if (is_committed) {
    logs->obsolete.insert(removed.begin(), removed.end());
  } else {
    logs->being_written.insert(added.begin(), added.end());
  }
}

// Each line ends with the name of an SSTable's TOC.txt.
void AddPendingDeleteLog(std::string_view content, TransactionLogs* logs) {
  for (const std::string_view line : LinesOf(content)) {
    const std::string_view name = FileNameOf(line);
    const size_t end = name.find_last_of('-');
    if (end != std::string_view::npos) {
      logs->obsolete.emplace(name.substr(0, end + 1));
    }
  }
}

TransactionLogs ReadTransactionLogs(const std::string& folder,
                                    const std::vector<std::string>* names) {
  TransactionLogs logs;
  for (const std::string& name :
       names == nullptr ? LogsIn(folder, IsTransactionLog, &logs) : *names) {
    const std::string path = folder + "/" + name;
    if (IsTransactionLog(name)) {
      ReadLog(path, &logs, [&](const std::string& content) {
        AddTransactionLog(path, content, &logs);
      });
    }
  }
  const std::string pending = folder + "/pending_delete";
  const auto is_log = [](std::string_view name) {
    return EndsWith(name, kLog);
  };
  for (const std::string& name : LogsIn(pending, is_log, &logs)) {
    ReadLog(pending + "/" + name, &logs, [&](const std::string& content) {
      AddPendingDeleteLog(content, &logs);
    });
  }
  return logs;
}

}  // namespace cassandra_bloom::tools
