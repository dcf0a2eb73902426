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

#include <optional>
#include <string>

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

// What is kept of the old filter of an SSTable.
struct Kept {
  enum State {
    kNothing,  // At most the record of a run that has changed nothing.
    kFilter,   // A filter of this SSTable, with its record.
    kNotOurs,  // A file that no mend of this SSTable has recorded, or a record
               // whose filter is missing.
  };

  State state = kNothing;
  bool has_record = false;
  MendRecord record;
  std::string reason;  // Why it is kNotOurs: a sentence that names the file.
};

// What fails throws a FileError.
class KeptFilter {
 public:
  // `folder`: that of the SSTable; it must outlive this object. Fails if kept
  // filters would have the paths of filters in place, as for a backup folder
  // "/".
  KeptFilter(const Sstable& sstable, const PinnedFolder& folder,
             const BackupPlan& backup, BetweenPieces between_pieces);

  // What is kept now. Does not fail: an error becomes the reason of kNotOurs.
  Kept Look();

  bool is_beside() const { return place_ == &folder_; }
  // Whether the folder of what is kept exists. It stays after an undo.
  bool has_folder() const { return place_ != nullptr; }

  // Why Keep would fail, as far as this can be known before; else empty.
  std::string ReasonNotWritable() const;

  // Why the filter in place may not be replaced: it is not kept, cannot be
  // kept, and is not a mend's. Empty if it may.
  std::string ReasonNotToReplace(const Kept& kept) const;

  // Records that `new_filter` is about to replace the filter in place, and
  // keeps the replaced one, if any. If an earlier mend has kept a filter, that
  // one stays kept instead.
  void Keep(Kept kept, const FileSum& new_filter);

  // Puts the old filter back, and removes the record. Throws a MendEnd, and
  // changes nothing, if the filter in place is not one that mending has put
  // there.
  void PutBack(const Kept& kept) const;

  // Removes the record of a run that has changed nothing, if there is one.
  void RemoveRecordOfNothing(const Kept& kept) const;

  // Removes temporary files that killed runs have left where the old filters of
  // a folder are kept.
  static void RemoveLeftOvers(const std::string& folder,
                              const BackupPlan& backup);

 private:
  std::string RecordName() const { return name_ + kRecordSuffix; }
  std::string Folder() const;  // Of what is kept.
  void OpenBackupFolder(bool must_exist);
  void LookAt(Kept* kept);
  MendRecord ReadRecord() const;
  void CheckSstable(const MendRecord& record) const;
  // If nothing is kept yet, the old filter must still be in place.
  void CheckOldFilter(const MendRecord& record, bool is_kept) const;
  // The sum of the filter in place, which must be one of the record.
  FileSum SumOfRecorded(const MendRecord& record) const;
  // Beside the SSTable, the record has the owner and the mode of its files:
  // Cassandra takes the record for one of them, and links all of them into
  // snapshots (SSTableReader.createLinks). A user may link only files of its
  // own (fs.protected_hardlinks in proc_sys_fs(5)).
  void WriteRecord(const MendRecord& record) const;
  void CopyBack(const FileSum& old_filter) const;

  const Sstable sstable_;
  const PinnedFolder& folder_;
  const BetweenPieces between_pieces_;
  const std::string filter_name_;  // Of the filter in place.
  // The folder of what is kept; null if it does not exist.
  const PinnedFolder* place_ = nullptr;
  std::optional<PinnedFolder> backup_folder_;  // For Backup::kFolder.
  std::string path_;                           // Of the kept filter.
  std::string name_;                           // The same without its folder.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_KEPT_FILTER_H_
