// SPDX-License-Identifier: Apache-2.0

// Makes a backup of an SSTable's old filter, so that it can be put back.
//
// Mending writes a MendRecord, makes the backup, changes the digest in
// Scylla.db, and puts the new filter in place. Undoing puts the digest back,
// then the old filter, and then removes the record. After a kill between two
// steps, the record still names the filter and the digest in place. (Tested by
// mend_undo_test.cc, mend_kill_test.cc and mend_digests_test.cc.)

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_KEPT_FILTER_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_KEPT_FILTER_H_

#include <optional>
#include <string>

#include "filterdb/mending/mend_record.h"
#include "filterdb/mending/pinned_folder.h"
#include "filterdb/sstable/sstable.h"

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

  // Finds out which backup and record exist now. Throws no FileError. Instead,
  // the state is kNotOurs, and the error is the reason.
  Kept Look();

  bool is_beside() const { return place_ == &folder_; }
  // Whether the folder for backups exists.
  bool has_folder() const { return place_ != nullptr; }

  // Returns a reason why Keep would fail, or "" if no reason is known.
  std::string ReasonNotWritable() const;

  // Returns why the SSTable's present filter may not be replaced, or "" if it
  // may. One reason is that the state of `kept` is kNotOurs. Another reason is
  // that the record does not name the present filter.
  std::string ReasonNotToReplace(const Kept& kept) const;

  // Records that `new_filter` will replace the SSTable's present filter, and
  // makes a backup of the present filter. If there is already a backup, keeps
  // that backup, and makes no new one.
  void Keep(Kept kept, const FileSum& new_filter);

  // Puts the old filter and its digest back, and removes the record. Throws a
  // MendEnd, and changes nothing, if the record does not name the present
  // filter and the present digest.
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
  // With a backup (`is_kept`), fails if the backup is not the old filter of the
  // record. Without a backup, fails if the present filter is not the old
  // filter.
  void CheckOldFilter(const MendRecord& record, bool is_kept) const;
  // Returns the size and CRC-32 of the present filter. Fails if they are not in
  // `record`.
  FileSum SumOfRecorded(const MendRecord& record) const;
  // A record beside the SSTable gets the owner and the mode of Data.db. The
  // reason is that Cassandra links all files of an SSTable into snapshots
  // (SSTableReader.createLinks). Cassandra may only link files that it owns, or
  // can read and write (fs.protected_hardlinks in proc_sys_fs(5)).
  void WriteRecord(const MendRecord& record) const;
  void CopyBack(const MendRecord& record) const;

  const Sstable sstable_;
  const PinnedFolder& folder_;
  const BetweenPieces between_pieces_;
  const std::string filter_name_;  // The name of the SSTable's Filter.db.
  // The folder for backups, or null if it does not exist.
  const PinnedFolder* place_ = nullptr;
  std::optional<PinnedFolder> backup_folder_;  // For Backup::kFolder.
  std::string path_;                           // The path of the backup.
  std::string name_;  // The name of the backup, without folders.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_KEPT_FILTER_H_
