// SPDX-License-Identifier: Apache-2.0

// Finds the SSTables of a data directory of Cassandra or ScyllaDB, one after
// another: no memory grows with their number, but for that of one folder.
// Tested in filterdb/tests/commands/scan/folders_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_FINDER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_FINDER_H_

#include <sys/types.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "filterdb/sstable/sstable.h"
#include "filterdb/sstable/transaction_logs.h"

namespace cassandra_bloom::tools {

// Sorts nb-2-big before nb-10-big.
struct ByGeneration {
  bool operator()(const std::string& a, const std::string& b) const {
    return strverscmp(a.c_str(), b.c_str()) < 0;
  }
};

// What a folder has.
struct FolderListing {
  // By the name prefix.
  std::set<std::string, ByGeneration> sstables;
  std::vector<std::string> other_names;  // Sorted.
  TransactionLogs logs;
};

// Lists a folder once, and reads its logs. If `node_is_down` is false, the logs
// are listed again, after the SSTables. After a failure, the result has the
// names that were found before.
FolderListing ListFolder(const std::string& folder, bool node_is_down,
                         std::error_code* failure);

class SstableFinder {
 public:
  // Called with a sentence about what could not be read, about a link to a
  // folder, and about an SSTable of which this user may not read a file, which
  // is then not found.
  using OnError = std::function<void(const std::string& error)>;

  // Each operand is the path of a folder or of a file. A folder is searched
  // with all folders in it. For a file, its SSTable is found. Each SSTable is
  // found only once. Links to folders are followed only if they are operands
  // themselves.
  SstableFinder(std::vector<std::string> operands, OnError on_error);

  // Returns nothing at the end. By operand, folder and generation.
  std::optional<Sstable> Next();

  // The number of skipped folders of each name: "snapshots" and "backups" that
  // are not empty. Complete after Next has returned nothing.
  const std::map<std::string, uint64_t>& left_out() const { return left_out_; }

 private:
  // What identifies a folder, by whatever path: its device and inode.
  using FolderId = std::pair<dev_t, ino_t>;

  struct Folder {
    std::string path;
    bool in_table = false;  // A table's folder, or a folder in it.
  };

  bool NextListing();
  void BeginOperand(const std::string& operand);
  void BeginFile(const std::string& path);
  void BeginFolder(Folder folder);
  void FindInEntry(const Folder& folder, const std::string& name);
  bool IdOf(const std::string& folder, FolderId* id);
  void List(const std::string& folder, const FolderId& id);
  void FailAt(const std::string& path, const char* what);

  const OnError on_error_;
  std::vector<std::string> operands_;  // What is left, the last one first.
  std::vector<Folder> folders_;        // To be searched, the last one first.
  std::set<FolderId> searched_;
  // SSTables that were found by their files, which are operands.
  std::set<std::pair<FolderId, std::string>> by_file_;
  std::vector<std::string> links_;  // To folders.
  std::map<std::string, uint64_t> left_out_;

  // The present folder, and the SSTables of it that are left.
  FolderListing listing_;
  FolderId listed_{};
  std::string folder_;
  bool is_in_use_ = true;
  std::set<std::string, ByGeneration> left_;
};

// Returns whether a node reads the SSTables of a folder, whose path is real.
// Cassandra and ScyllaDB make the folders upload, snapshots and backups in that
// of a table.
bool IsInUse(const std::string& folder);

// Sets the state of an SSTable, and what the logs of its folder say about it.
void SetState(const TransactionLogs& logs, Sstable* sstable);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_FINDER_H_
