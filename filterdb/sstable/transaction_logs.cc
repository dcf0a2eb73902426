// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/transaction_logs.h"

#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "filterdb/sstable/bytes/file_sum.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

constexpr std::string_view kLog = ".log";

std::string UpperCase(std::string_view text) {
  std::string upper(text);
  for (char& letter : upper) {
    letter =
        static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return upper;
}

template <typename Visit>
void ForEachLine(std::string_view content, Visit visit) {
  while (!content.empty()) {
    const size_t end = content.find('\n');
    std::string_view line = content.substr(0, end);
    if (EndsWith(line, "\r")) {
      line.remove_suffix(1);
    }
    content.remove_prefix(end == std::string_view::npos ? content.size()
                                                        : end + 1);
    visit(line, content.empty());
  }
}

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

struct Record {
  std::string type;  // In upper case.
  std::string path;
  int64_t time = 0;
  int32_t num_files = 0;
  uint64_t checksum = 0;
};

bool IsKnownType(std::string_view type) {
  return type == "ADD" || type == "REMOVE" || type == "COMMIT" ||
         type == "ABORT";
}

// Computes the checksum like Cassandra's LogRecord.computeChecksum.
bool HasItsChecksum(const Record& record) {
  std::string summed = record.path + record.type;
  const auto time = static_cast<uint64_t>(record.time);
  for (const auto number :
       {static_cast<uint32_t>(time), static_cast<uint32_t>(time >> 32),
        static_cast<uint32_t>(record.num_files)}) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      summed += static_cast<char>(number >> shift);
    }
  }
  return record.checksum == Crc32(summed);
}

// Parses the line from its end, because the path at its beginning may contain
// the same separators.
std::optional<Record> RecordOf(std::string_view line) {
  const size_t type_end = line.find(":[");
  if (type_end == std::string_view::npos || !EndsWith(line, "]")) {
    return std::nullopt;
  }
  Record record;
  record.type = UpperCase(line.substr(0, type_end));
  line.remove_prefix(type_end + 2);
  line.remove_suffix(1);
  const std::string_view checksum = TakeBehind('[', &line);
  if (!EndsWith(line, "]")) {
    return std::nullopt;
  }
  line.remove_suffix(1);
  const std::string_view num_files = TakeBehind(',', &line);
  const std::string_view time = TakeBehind(',', &line);
  record.path = line;
  const bool is_whole = IsKnownType(record.type) &&
                        ParseWhole(checksum, &record.checksum) &&
                        ParseWhole(num_files, &record.num_files) &&
                        ParseWhole(time, &record.time);
  return is_whole ? std::make_optional(std::move(record)) : std::nullopt;
}

// Returns the beginning of the SSTable's file names, such as "nb-1-big-".
// Cassandra 3.0 and 3.11 write the path without the last "-"
// (LogRecord.absolutePath, since CASSANDRA-13294).
std::string SstableOf(const Record& record) {
  std::string name(FileNameOf(record.path));
  return EndsWith(name, "-") ? name : name + "-";
}

// Returns nothing if the log has gone, or cannot be read.
std::optional<std::string> ReadLog(const std::string& path,
                                   TransactionLogs* logs) {
  // In bytes. No table has enough SSTables for a larger log.
  constexpr uint64_t kMaxSize = uint64_t{64} << 20;
  std::string content;
  std::string error;
  if (ReadRegularFile(path, kMaxSize, &content, &error)) {
    return content;
  }
  if (NameExists(path)) {
    logs->errors.push_back(error);
  }
  return std::nullopt;
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
  size_t number = 0;
  ForEachLine(content, [&](std::string_view line, bool is_last) {
    ++number;
    const auto record = RecordOf(line);
    const bool is_intact = record && HasItsChecksum(*record);
    // Cassandra ignores a damaged last line, because it may be half written.
    // With any other damaged line, Cassandra does not start (LogFile.verify).
    if (!is_intact && !is_last && !has_damaged_line) {
      logs->errors.push_back(path + ": line " + std::to_string(number) +
                             " is damaged");
      has_damaged_line = true;
    }
    // A damaged line also counts, so that filterdb does not change the SSTable
    // that the line names.
    if (record && record->type == "ADD") {
      added.insert(SstableOf(*record));
    } else if (record && record->type == "REMOVE") {
      removed.insert(SstableOf(*record));
    }
    is_committed = is_intact && record->type == "COMMIT";
  });
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
  ForEachLine(content, [&](std::string_view line, bool /*is_last*/) {
    const std::string_view name = FileNameOf(line);
    const size_t end = name.find_last_of('-');
    if (end != std::string_view::npos) {
      logs->obsolete.emplace(name.substr(0, end + 1));
    }
  });
}

TransactionLogs ReadTransactionLogs(const std::string& folder) {
  TransactionLogs unlisted;
  const auto names = LogsIn(folder, IsTransactionLog, &unlisted);
  TransactionLogs logs = ReadTransactionLogs(folder, names);
  logs.errors.insert(logs.errors.end(), unlisted.errors.begin(),
                     unlisted.errors.end());
  return logs;
}

TransactionLogs ReadTransactionLogs(const std::string& folder,
                                    const std::vector<std::string>& names) {
  TransactionLogs logs;
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const auto content =
        IsTransactionLog(name) ? ReadLog(path, &logs) : std::nullopt;
    if (content) {
      AddTransactionLog(path, *content, &logs);
    }
  }
  const std::string pending = folder + "/pending_delete";
  const auto is_log = [](std::string_view name) {
    return EndsWith(name, kLog);
  };
  for (const std::string& name : LogsIn(pending, is_log, &logs)) {
    const auto content = ReadLog(pending + "/" + name, &logs);
    if (content) {
      AddPendingDeleteLog(*content, &logs);
    }
  }
  return logs;
}

}  // namespace cassandra_bloom::tools
