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

#include <sys/types.h>

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
  std::optional<uint32_t> filter_digest;
  bool completes_toc = false;  // Add Filter.db to a TOC.txt that lacks it.
};

// Functions that fail throw a MendEnd.
class MendPlace {
 public:
  // Fails if files of the SSTable may not be changed by this process. Files
  // with other owners than Data.db are not expected. `stamps` are those of the
  // files that the change is computed from.
  MendPlace(const Sstable& sstable, std::vector<FileStamp> stamps,
            bool node_is_down);

  bool has_filter() const { return has_filter_; }
  // Returns the digest of Filter.db in Scylla.db, if there is one.
  std::optional<uint32_t> FilterDigest() const;
  // Returns whether a mend was killed after it has changed the digest of
  // TOC.txt, and before TOC.txt got its new content.
  bool IsTocUnfinished() const;

  // Fails if a process has the SSTable open.
  void CheckNotInUse() const;

  // Returns whether the files still have the stamps.
  bool IsUnchanged() const { return StampsOf(sstable_) == stamps_; }

  // Calls `before_naming` when all new files are on disk. Changes nothing if
  // `before_naming` throws, if a process has the SSTable open, or if one of its
  // files has changed. If the SSTable is removed meanwhile, fails, and leaves
  // none of the new files.
  void Change(const MendChange& change,
              const std::function<void()>& before_naming) const;

 private:
  struct NewFile {
    std::string component;
    WriteContent write;
  };

  void CheckOwner() const;
  void CheckUnchanged() const;
  void ReadToc();
  void ReadScyllaDb();
  bool GiveModeOfOldFile(const std::string& path) const;
  // Writes the files from number `at` on. The last one gets its name first.
  // Calls `after_naming` with the path of each file that got its name.
  void Write(
      const std::vector<NewFile>& files, size_t at,
      const std::function<void()>& before_naming,
      const std::function<void(const std::string& path)>& after_naming) const;

  const Sstable sstable_;
  const bool node_is_down_;
  bool has_filter_ = false;
  std::string toc_;  // The content of TOC.txt, or "" if there is none.
  // The content that a TOC.txt without Filter.db must get.
  std::optional<std::string> completed_toc_;
  std::optional<ScyllaDb> scylla_;  // Empty if there is no Scylla.db.
  const std::vector<FileStamp> stamps_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_PLACE_H_
