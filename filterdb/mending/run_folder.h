// SPDX-License-Identifier: Apache-2.0

// The folder of a run (mend --run=DIR). It decides which files an install
// writes over, so only this user and root may be able to write to it.
//
//   DIR/list    a line for each SSTable that was examined
//   DIR/new/N   the new filter of the SSTable with the number N
//   DIR/old/N   its old filter, once it was replaced
//
// The list begins with "filterdb run 1" and the time of the run in nanoseconds,
// by which its temporary files are known. A later line stands for an earlier
// one of the same path. A line at the end that is cut is one whose SSTable was
// not finished. Each line begins with the CRC-32 of its other fields.
// Tested in filterdb/tests/mending/run_folder_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_FOLDER_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_FOLDER_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/health/finding.h"
#include "filterdb/health/harm.h"
#include "filterdb/mending/outcome.h"
#include "filterdb/sstable/sstable.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

struct RunLine {
  uint64_t number = 0;  // Of its files in `new` and `old`, from 1.
  Harms harms;          // Before the mend, but for those it was not to mend.
  // An SSTable is its Data.db and its index, by whatever path.
  FileStamp data;
  FileStamp index;
  // These three are CRC-32 values, of an SSTable with work for an install.
  // Without a filter, there is no old one.
  uint32_t index_crc = 0;
  std::optional<uint32_t> old_filter;
  std::optional<uint32_t> new_filter;
  std::string prefix;  // The last absolute path of Data.db without "Data.db".

  bool HasWork() const { return new_filter.has_value(); }
  // Returns whether harm is left: somebody must do something first.
  bool IsLeft() const { return !HasWork() && harms.worst() != Harm::kNone; }
  std::string folder() const {
    return prefix.substr(0, prefix.find_last_of('/'));
  }
};

class RunFolder {
 public:
  // Functions that fail throw a std::runtime_error.

  // Makes the folder, or continues with one that was not installed yet. It may
  // not be in one of `paths`, or in another folder with SSTables.
  static std::unique_ptr<RunFolder> ForMend(
      const std::string& folder, const std::vector<std::string>& paths = {});
  // `flags` are those of the command, for a line that is to be typed.
  static std::unique_ptr<RunFolder> ForInstall(const std::string& folder,
                                               const std::string& flags = "");

  const std::string& path() const { return path_; }
  std::string NewPath(const RunLine& line) const {
    return path_ + "/new/" + std::to_string(line.number);
  }
  std::string OldPath(const RunLine& line) const {
    return path_ + "/old/" + std::to_string(line.number);
  }
  // The end of the names of temporary files of this run.
  const std::string& suffix() const { return suffix_; }

  // The lines that were there at the begin, by RunLine::prefix.
  const std::map<std::string, RunLine>& lines() const { return lines_; }

  uint64_t NewNumber() { return next_number_++; }
  void Append(const RunLine& line);

  // Keeps the old filter, which has this path.
  void KeepOld(const RunLine& line, const std::string& filter) const;

  // Syncs what was appended, and the new and the kept filters. A crash before
  // that leaves files whose CRC-32 is not that of the list.
  void Sync() const;

 private:
  RunFolder(const std::string& path, bool for_mend);
  void Write(const std::string& text) const;
  void Parse(const std::string& content);

  const std::string path_;
  const FileDescriptor list_;  // Holds the lock of the folder.
  std::string suffix_;
  std::map<std::string, RunLine> lines_;
  std::atomic<uint64_t> next_number_{1};
  std::mutex mutex_;  // Of the end of the list.
};

// Builds the filter of an SSTable, if it needs one, and adds a line to the list
// of the run. Changes nothing else, so the node may run. May be called in
// several threads at once. (build.cc)
Outcome BuildIntoRun(const Examined& examined, RunFolder* run);

// Throws a std::runtime_error, with what to do, if others than this user and
// root could change what is at the absolute path `path`. `command` is what
// follows "filterdb" in a line for root.
void CheckTrusted(const std::string& path, const std::string& command);

// Appends the file `from`, whose CRC-32 must be `crc`, to the open file `to`,
// which is that of the path `to_path`, and gives it the time of `from`. If `to`
// is negative, only checks it.
void CopyListed(const std::string& from, uint32_t crc, int to,
                const std::string& to_path);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_FOLDER_H_
