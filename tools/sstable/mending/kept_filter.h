// SPDX-License-Identifier: Apache-2.0

// The old filter of an SSTable, which mending keeps so that it can be put back.
//
// A record (MendRecord) beside the kept filter says which filter it is. Mending
// writes the record, keeps the old filter, changes its digest (digests.h), and
// puts the new filter in its place, in this order. Undoing puts the digest
// back, then the old filter, then removes the record. If the process is killed
// between two of these steps, the filter in place and the digest are old or new
// ones of the record. The next mend or undo goes on from this state. (Tested by
// mend_undo_test.cc, mend_kill_test.cc and mend_digests_test.cc.)

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_KEPT_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_KEPT_FILTER_H_

#include <optional>
#include <string>

#include "tools/sstable/mending/mend_record.h"
#include "tools/sstable/mending/pinned_folder.h"
#include "tools/sstable/sstable.h"

namespace cassandra_bloom::tools {

enum class Backup {
  kBeside,  // In the same folder, under the filter's name and ".bak".
  kFolder,  // Below another folder, under the absolute path of the filter.
  kNone,
};

struct BackupPlan {
  Backup kind = Backup::kBeside;
  std::string folder;  // For kFolder.
};

constexpr char kBackupSuffix[] = ".bak";

// What an earlier mend has kept of an SSTable.
struct Kept {
  enum State {
    kNothing,  // No filter; maybe the record of a run that changed nothing.
    kFilter,   // A filter of this SSTable, with its record.
    kNotOurs,  // A file that no mend of this SSTable has recorded, a record
               // whose filter is missing, or one that cannot be read.
  };

  State state = kNothing;
  bool has_record = false;
  MendRecord record;
  std::string reason;  // Why it is kNotOurs: a sentence that names the file.
};

// Functions that fail throw a FileError.
class KeptFilter {
 public:
  // `folder`: the folder of the SSTable; it must outlive this object. Fails if
  // a kept filter would have the path of a filter in place, as with the backup
  // folder "/".
  KeptFilter(const Sstable& sstable, const PinnedFolder& folder,
             const BackupPlan& backup, BetweenPieces between_pieces);

  // Finds out what is kept now. Does not fail: an error becomes the reason of
  // kNotOurs.
  Kept Look();

  bool is_beside() const { return place_ == &folder_; }
  // Whether the folder for kept filters exists. It also exists after an undo,
  // because no undo removes it.
  bool has_folder() const { return place_ != nullptr; }

  // Why Keep would fail, as far as this can be known without trying; empty if
  // no reason is known.
  std::string ReasonNotWritable() const;

  // Why the filter in place may not be replaced: what is kept is not ours, or
  // the record of what is kept does not have the filter in place, or the filter
  // in place is too large to be kept. Empty if it may be replaced.
  std::string ReasonNotToReplace(const Kept& kept) const;

  // Records that `new_filter` is about to replace the filter in place, and
  // keeps the filter in place, if there is one. If an earlier mend has kept a
  // filter, keeps only that one.
  void Keep(Kept kept, const FileSum& new_filter);

  // Puts the old filter and its digest back, and removes the record. If the
  // filter or the digest in place is not in the record, throws a MendEnd and
  // changes nothing.
  void PutBack(const Kept& kept) const;

  // Removes the record of a run that has changed nothing, if there is one.
  void RemoveRecordOfNothing(const Kept& kept) const;

  // Removes temporary files that killed runs have left in the backup folder for
  // the SSTables of `folder`.
  static void RemoveLeftOvers(const std::string& folder,
                              const BackupPlan& backup);

 private:
  std::string RecordName() const { return name_ + kRecordSuffix; }
  std::string Folder() const;  // For kept filters.
  void OpenBackupFolder(bool must_exist);
  void LookAt(Kept* kept);
  MendRecord ReadRecord() const;
  void CheckSstable(const MendRecord& record) const;
  // Checks that the old filter of the record exists: under its kept name, or
  // still in place if nothing is kept yet.
  void CheckOldFilter(const MendRecord& record, bool is_kept) const;
  // The sum of the filter in place. Fails if the record does not have it.
  FileSum SumOfRecorded(const MendRecord& record) const;
  // A record beside the SSTable gets the owner and the mode of Data.db.
  // Cassandra takes the record for a component, and links all components into
  // snapshots (SSTableReader.createLinks). With fs.protected_hardlinks
  // (proc_sys_fs(5)), it may only link files that it owns, or can read and
  // write.
  void WriteRecord(const MendRecord& record) const;
  void CopyBack(const MendRecord& record) const;

  const Sstable sstable_;
  const PinnedFolder& folder_;
  const BetweenPieces between_pieces_;
  const std::string filter_name_;  // The name of the filter in place.
  // The folder for kept filters; null if it does not exist.
  const PinnedFolder* place_ = nullptr;
  std::optional<PinnedFolder> backup_folder_;  // For Backup::kFolder.
  std::string path_;                           // The path of the kept filter.
  std::string name_;                           // Its name, without the folder.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_KEPT_FILTER_H_
