// SPDX-License-Identifier: Apache-2.0

// The old filter of an SSTable, which mending keeps so that it can be put back.
//
// A record (MendRecord) beside it says what it is. The steps of mending are:
// write the record, keep the old filter, put the new one in its place. Those of
// undoing it: put the old filter back, remove the record. Whenever a process is
// killed between two steps, the filter in place is the old or a new one of the
// record, and the next mend or undo goes on from there. (Tested by
// mend_undo_test.cc and mend_kill_test.cc.)

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_KEPT_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_KEPT_FILTER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/sstable/mending/mend_record.h"
#include "tools/sstable/mending/pinned_folder.h"
#include "tools/sstable/sstable.h"

namespace cassandra_bloom::tools {

enum class Backup {
  kBeside,  // Under the name of the filter and ".bak".
  kFolder,  // In another folder, under the absolute path of the filter.
  kNone,
};

struct BackupPlan {
  Backup kind = Backup::kBeside;
  std::string folder;  // For kFolder.
};

constexpr char kBackupSuffix[] = ".bak";

// Errors are sentences that name the file.
class KeptFilter {
 public:
  // `folder`: that of the SSTable; it must live longer. Fails if what is kept
  // cannot be told from the filters in place, as for a backup folder "/".
  static std::unique_ptr<KeptFilter> Open(const Sstable& sstable,
                                          const PinnedFolder& folder,
                                          const BackupPlan& backup,
                                          BetweenPieces between_pieces,
                                          std::string* error);

  enum class State {
    kNothing,  // At most the record of a run that has changed nothing.
    kKept,     // A filter of this SSTable, with its record.
    kNotOurs,  // A file that no mend of this SSTable has recorded, or a record
               // whose filter is missing.
  };

  // What is there now. Sets `*reason` for kNotOurs.
  State Look(std::string* reason);

  // Whether Keep can be expected to work.
  bool IsWritable(std::string* error) const;

  // Whether the filter in place may be replaced, because it is kept, can be
  // kept, or is a mend's. Otherwise sets `*reason`. Calls Look.
  bool MayReplace(std::string* reason);

  // Records that `new_filter` is about to stand in place of the filter, and
  // keeps that one, if there is one. A filter that an earlier mend has kept
  // stays the one that is kept. Call MayReplace before.
  bool Keep(const FileSum& new_filter, std::string* error);

  // Puts the old filter back, and removes the record. Sets `*reason` instead,
  // and changes nothing, if another filter is in place than mending has put
  // there. Call Look before, which must have found kKept.
  bool PutBack(std::string* reason, std::string* error);

  // Removes the record, if there is one. Call Look before, which must have
  // found kNothing.
  void RemoveRecordOfNothing();
  bool HasRecord() const;
  // Whether the folder of what is kept exists. It stays after an undo.
  bool HasFolder() const { return place_ != nullptr; }

  // Removes temporary files that killed runs have left where the old filters of
  // a folder are kept.
  static void RemoveLeftOvers(const std::string& folder,
                              const BackupPlan& backup);

 private:
  KeptFilter(const Sstable& sstable, const PinnedFolder& folder,
             BetweenPieces between_pieces)
      : sstable_(sstable),
        folder_(folder),
        between_pieces_(std::move(between_pieces)) {}

  std::string FilterName() const { return sstable_.name_prefix + "Filter.db"; }
  std::string RecordName() const { return name_ + kRecordSuffix; }
  bool HasFilter() const;
  bool ReadRecord(std::string* error);
  bool SumIndex(const std::vector<FileSum>& wanted, FileSum* sum,
                std::string* error) const;
  bool IsOfThisSstable(std::string* reason) const;
  // Whether what is kept is the filter that the record names or, if nothing is
  // kept, that filter is still in place.
  bool HasOldFilter(bool has_kept, std::string* reason) const;
  bool IsSmallEnough(std::string* reason) const;
  // Whether the filter in place is one of the record. Sets `*now` to its sum.
  bool IsRecorded(FileSum* now, std::string* reason) const;
  bool WriteRecord(std::string* error) const;
  // Opens the folder if it exists.
  bool OpenBackupFolder(std::string* error);
  bool CreateBackupFolder(std::string* error);
  bool KeepFilterInPlace(std::string* error) const;
  bool CopyBack(std::string* error) const;

  const Sstable sstable_;
  const PinnedFolder& folder_;
  const BetweenPieces between_pieces_;
  // The folder of what is kept; null if it does not exist.
  const PinnedFolder* place_ = nullptr;
  std::unique_ptr<PinnedFolder> backup_folder_;  // For Backup::kFolder.
  std::string path_;                             // Of the kept filter.
  std::string name_;                             // The same without its folder.
  State state_ = State::kNothing;
  MendRecord record_;  // For kKept, and for the record of kNothing.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_KEPT_FILTER_H_
