// SPDX-License-Identifier: Apache-2.0

// The folder of a run (mend --run=DIR). It decides which files an install
// writes over, so only this user and root may be able to write to it.
//
//   DIR/list    a line for each SSTable that was examined
//   DIR/new/N   the new filter of the SSTable with the number N
//   DIR/old/N   its old filter, once it was replaced
//
// The list begins with "filterdb run 1" and the time of the run in nanoseconds,
// which an installed filter gets as its time: so it can be told from that of
// another run with the same bits. A later line stands for an earlier one of the
// same path. A line at the end that is cut is one whose SSTable was not
// finished. Each line begins with the CRC-32 of its other fields.
// Tested in filterdb/tests/mending/run_folder_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_FOLDER_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_FOLDER_H_

#include <time.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/health/harm.h"
#include "filterdb/sstable/file_stamp.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

struct RunLine {
  enum Kind {
    kGood,  // Nothing is to be done.
    kLeft,  // It does harm, and somebody must do something first.
    kToc,   // TOC.txt is to be completed.
    kNew,   // There is a new filter, and TOC.txt is to be completed.
  };

  uint64_t number = 0;  // Of its files in `new` and `old`, from 1.
  Kind kind = kGood;
  Harms harms;  // Before the mend.
  // An SSTable is its Data.db and its index, by whatever path.
  FileStamp data;
  FileStamp index;
  // These three are CRC-32 values, of kToc and kNew alone. Without a filter,
  // there is no old one, and with kToc no new one.
  uint32_t index_crc = 0;
  std::optional<uint32_t> old_filter;
  std::optional<uint32_t> new_filter;
  std::string prefix;  // The last absolute path of Data.db without "Data.db".
};

class RunFolder {
 public:
  // Functions that fail throw a std::runtime_error.

  // Makes the folder, or continues with one that was not installed yet.
  static std::unique_ptr<RunFolder> ForMend(const std::string& folder);
  static std::unique_ptr<RunFolder> ForInstall(const std::string& folder);

  const std::string& path() const { return path_; }
  const timespec& time() const { return time_; }
  std::string NewPath(const RunLine& line) const {
    return path_ + "/new/" + std::to_string(line.number);
  }
  std::string OldPath(const RunLine& line) const {
    return path_ + "/old/" + std::to_string(line.number);
  }
  // The end of the names of temporary files of this run.
  const std::string& suffix() const { return suffix_; }

  // The last line of each path, sorted by the path.
  const std::vector<RunLine>& lines() const { return lines_; }

  // These two are not for several threads at once.
  uint64_t NewNumber() { return next_number_++; }
  void Append(const RunLine& line);

  // Syncs what was appended, and the new filters. A crash before that leaves
  // files whose CRC-32 is not that of the list.
  void Sync() const;

 private:
  RunFolder(const std::string& path, bool for_mend);
  void Begin();
  void Read();

  const std::string path_;
  std::unique_ptr<FileDescriptor> list_;  // Holds the lock of the folder.
  timespec time_{};
  std::string suffix_;
  std::vector<RunLine> lines_;
  uint64_t next_number_ = 1;
};

// Returns why others than this user and root could change what is at the
// absolute path `path`, and what to do about it. Returns "" if they cannot.
// `command` is what follows "filterdb" in a line for root.
std::string WhyNotTrusted(const std::string& path, const std::string& command);

// Returns whether a folder has a file of an SSTable.
bool HoldsSstables(const std::string& folder);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_RUN_FOLDER_H_
