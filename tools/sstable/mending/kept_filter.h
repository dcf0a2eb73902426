// SPDX-License-Identifier: Apache-2.0

// Makes a backup of an SSTable's old filter, so that it can be put back.
//
// Mending writes a MendRecord, makes the backup, changes the digest in
// Scylla.db, and puts the new filter in place. Undoing puts the digest back,
// then the old filter, and then removes the record. After a kill between two
// steps, the record still names the filter and the digest in place. (Tested by
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
  kBeside,  // Beside the filter, with ".bak" after its name.
  kFolder,  // Below another folder, under the filter's absolute path.
  kNone,
};

struct BackupPlan {
  Backup kind = Backup::kBeside;
  std::string folder;  // Only for kFolder.
};

constexpr char kBackupSuffix[] = ".bak";

// The backup of an SSTable's filter.
struct Kept {
  enum State {
    kNothing,  // There is no backup, but perhaps a record.
    kFilter,   // There is a backup of this SSTable's filter, and a record.
    // The backup or the record cannot be read, or they do not fit each other or
    // this SSTable.
    kNotOurs,
  };

  State state = kNothing;
  bool has_record = false;
  MendRecord record;
  // A sentence that says why the state is kNotOurs.
  std::string reason;
};

// Functions that fail throw a FileError.
class KeptFilter {
 public:
  // `folder` must outlive this object. Fails if the backup would have the path
  // of the filter itself, as with the backup folder "/".
  KeptFilter(const Sstable& sstable, const PinnedFolder& folder,
             const BackupPlan& backup, BetweenPieces between_pieces);

  // Finds out what is kept now. A FileError becomes the reason of kNotOurs.
  Kept Look();

  bool is_beside() const { return place_ == &folder_; }
  // Whether the folder for backups exists. An undo does not remove it.
  bool has_folder() const { return place_ != nullptr; }

  // Returns a reason why Keep would fail, or "" if no reason is known.
  std::string ReasonNotWritable() const;

  // Returns why the filter in place may not be replaced, or "" if it may. One
  // reason is a backup that is kNotOurs. Another reason is a record that does
  // not name the filter in place.
  std::string ReasonNotToReplace(const Kept& kept) const;

  // Records that `new_filter` will replace the filter in place, and makes a
  // backup of the filter in place. If there is a backup already, keeps that
  // backup instead.
  void Keep(Kept kept, const FileSum& new_filter);

  // Puts the old filter and its digest back, and removes the record. If the
  // record does not name the filter and the digest in place, throws a MendEnd
  // and changes nothing.
  void PutBack(const Kept& kept) const;

  // Removes a record without a backup.
  void RemoveRecordOfNothing(const Kept& kept) const;

  // Removes temporary files that killed runs have left in the backup folder.
  static void RemoveLeftOvers(const std::string& folder,
                              const BackupPlan& backup);

 private:
  std::string RecordName() const { return name_ + kRecordSuffix; }
  std::string Folder() const;  // The folder for backups.
  void OpenBackupFolder(bool must_exist);
  void LookAt(Kept* kept);
  MendRecord ReadRecord() const;
  void CheckSstable(const MendRecord& record) const;
  // Fails unless the backup (if `is_kept`) or the filter in place is the old
  // filter of the record.
  void CheckOldFilter(const MendRecord& record, bool is_kept) const;
  // Returns the size and CRC-32 of the filter in place. Fails if they are not
  // in `record`.
  FileSum SumOfRecorded(const MendRecord& record) const;
  // The record gets the owner and the mode of Data.db, because Cassandra links
  // all files of an SSTable into snapshots (SSTableReader.createLinks).
  // Cassandra may only link files that it owns, or can read and write
  // (fs.protected_hardlinks in proc_sys_fs(5)).
  void WriteRecord(const MendRecord& record) const;
  void CopyBack(const MendRecord& record) const;

  const Sstable sstable_;
  const PinnedFolder& folder_;
  const BetweenPieces between_pieces_;
  const std::string filter_name_;  // The name of the filter in place.
  // The folder for backups, or null if it does not exist.
  const PinnedFolder* place_ = nullptr;
  std::optional<PinnedFolder> backup_folder_;  // For Backup::kFolder.
  std::string path_;                           // The path of the backup.
  std::string name_;  // The name of the backup, without folders.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_KEPT_FILTER_H_
