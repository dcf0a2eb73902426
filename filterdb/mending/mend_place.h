// SPDX-License-Identifier: Apache-2.0

// Changes the files of one SSTable: Filter.db, TOC.txt and Scylla.db.
//
// TOC.txt must name Filter.db, because ScyllaDB loads only what TOC.txt names.
// Newer versions of ScyllaDB store the CRC-32 values of Filter.db and TOC.txt
// in Scylla.db, as digests, and refuse an SSTable if one differs.
//
// All new files are on disk under temporary names before the first gets its
// name. First comes Scylla.db, then Filter.db, then TOC.txt. After a kill
// between two of these steps, each file is either the old or the new one, and a
// digest may differ. The next mend, or the undo, makes that right.
//
// Damage of TOC.txt or Scylla.db is never hidden by a new digest. Such an
// SSTable is left.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_PLACE_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_PLACE_H_

#include <cstdint>
#include <functional>
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
struct MendChange {
  WriteContent filter;  // The new Filter.db. Null to keep the present one.
  // The CRC-32 that Scylla.db is to have for Filter.db.
  std::optional<uint32_t> filter_crc;
  bool completes_toc = false;  // Add Filter.db to a TOC.txt that lacks it.
};

// Gives the file `path` the mode of `from` and, where this user may, its group.
bool TakeModeAndGroup(const std::string& from, const std::string& path);

// Functions that fail throw a MendEnd.

// A new file belongs to the user of this process. So this fails if this user is
// not that of the node, which owns Data.db and its folder. Files with other
// owners than Data.db are not expected.
void CheckIsOwner(const Sstable& sstable);

class MendPlace {
 public:
  // Fails if files of the SSTable may not be changed. `stamps` are those of the
  // files that the change is computed from.
  MendPlace(const Sstable& sstable, std::vector<FileStamp> stamps,
            bool node_is_down);

  // Returns whether any file differs from what it is to be.
  bool WouldChange(const MendChange& change) const {
    return !FilesOf(change).empty();
  }

  // Calls `before_naming` when all new files are on disk and no process has the
  // SSTable open. Changes nothing if `before_naming` throws, if a process has
  // the SSTable open, or if one of its files has changed. If the SSTable is
  // removed meanwhile, fails, and leaves none of the new files.
  void Change(const MendChange& change,
              const std::function<void()>& before_naming) const;

 private:
  struct NewFile {
    std::string component;
    WriteContent write;
  };

  void CheckUnchanged() const;
  void ReadToc();
  void ReadScyllaDb();
  std::vector<NewFile> FilesOf(const MendChange& change) const;
  // Writes the files from number `at` on. The last one gets its name first.
  void Write(const std::vector<NewFile>& files, size_t at,
             const std::function<void()>& before_naming) const;

  const Sstable sstable_;
  const bool node_is_down_;
  std::string toc_;  // The content of TOC.txt, or "" if there is none.
  std::optional<ScyllaDb> scylla_;  // Empty if there is no Scylla.db.
  const std::vector<FileStamp> stamps_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_PLACE_H_
