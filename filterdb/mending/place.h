// SPDX-License-Identifier: Apache-2.0

// The files of one SSTable that a mend changes: Filter.db, TOC.txt, Scylla.db.
//
// TOC.txt must name Filter.db, because ScyllaDB loads only what TOC.txt names.
// Newer versions of ScyllaDB store the CRC-32 values of Filter.db and TOC.txt
// in Scylla.db, as digests, and refuse an SSTable if one differs.
//
// All new files are on disk under temporary names before the first gets its
// name. First comes Scylla.db, then Filter.db, then TOC.txt. After a kill
// between two of these steps, each file is either the old or the new one, and a
// digest may differ. The next install, or its undo, makes that right.
//
// Damage of TOC.txt or Scylla.db is never hidden by a new digest. Such an
// SSTable is left.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_PLACE_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_PLACE_H_

#include <time.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "filterdb/sstable/file_stamp.h"
#include "filterdb/sstable/scylla_db.h"
#include "filterdb/sstable/sstable.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {

inline constexpr char kFilterDb[] = "Filter.db";

// What is to be changed. In Scylla.db, TOC.txt always gets the digest of the
// TOC.txt that will be there.
struct Change {
  WriteContent filter;     // The new Filter.db. Null to keep the present one.
  timespec filter_time{};  // Of the new Filter.db.
  // The CRC-32 that Scylla.db is to have for Filter.db.
  std::optional<uint32_t> filter_crc;
  bool completes_toc = false;  // Add Filter.db to a TOC.txt that lacks it.
};

// Functions that fail throw an End.

// Returns the CRC-32 of a file.
uint32_t CrcOrFail(const std::string& path);

// A new file belongs to the user of this process. So this fails if this user is
// not that of the node, which owns Data.db and its folder. Files with other
// owners than Data.db are not expected.
void CheckIsOwner(const Sstable& sstable);

class Place {
 public:
  // Reads TOC.txt and Scylla.db. Fails if files of the SSTable may not be
  // changed.
  explicit Place(const Sstable& sstable);

  const Sstable& sstable() const { return sstable_; }

  // Returns whether any file differs from what it is to be.
  bool WouldChange(const Change& change) const {
    return !FilesOf(change).empty();
  }

  // Writes the new files under temporary names that end in `suffix`. The caller
  // then syncs the file system, and calls GiveNames or RemoveTemporary.
  void WriteTemporary(const Change& change, const std::string& suffix);

  // Fails if a file of the SSTable is another one than when this object was
  // made.
  void CheckUnchanged() const;

  // If the SSTable is removed meanwhile, fails, and leaves none of the new
  // files. The caller then syncs the folder.
  void GiveNames();
  void RemoveTemporary();

 private:
  struct NewFile {
    std::string component;
    WriteContent write;
  };

  void ReadToc();
  void ReadScyllaDb();
  // In the order in which they get their names.
  std::vector<NewFile> FilesOf(const Change& change) const;

  const Sstable sstable_;
  const std::vector<FileStamp> stamps_;
  std::string toc_;  // The content of TOC.txt, or "" if there is none.
  std::optional<ScyllaDb> scylla_;  // Empty if there is no Scylla.db.
  std::string suffix_;
  std::vector<std::string> written_;  // The names without the suffix.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_PLACE_H_
