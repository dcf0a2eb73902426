// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: the MANIFEST of a database, and SST files that the
// MANIFEST does not name.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_DATABASE_FILES_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_DATABASE_FILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/export/live_ssts.h"

namespace cassandra_bloom::tools {

struct DatabaseFiles {
  std::string manifest;  // The path of the MANIFEST.
  // True if the MANIFEST ends in the middle of a record, and no process is
  // writing to it.
  bool manifest_is_torn = false;
  // True if a process on this machine may have the database open, or if the
  // MANIFEST changed during the examination.
  bool in_use = false;
  // SST files in the database's folders that are not live, sorted by number. A
  // running database has such files while it writes them, or while iterators
  // read them. A killed process may also leave such files.
  std::vector<std::string> unlisted;
  // True if a file of `unlisted` is whole, is newer than all live files, and
  // was never added by the MANIFEST. The MANIFEST may then have lost its end.
  bool newest_is_unlisted = false;
};

// Watches the files of a database. Create this object before you list the live
// files, because the constructor notes the size of the MANIFEST.
class FilesWatch {
 public:
  // Lists the live files again. Throws Unusable if that fails.
  using ListAgain = std::function<LiveSsts()>;

  // The first of `folders` is the database's own folder. The other folders have
  // further SST files of the database.
  explicit FilesWatch(std::vector<std::string> folders)
      : folders_(std::move(folders)), manifest_(ManifestNow()) {}

  DatabaseFiles Look(const LiveSsts& live, const ListAgain& list_again) const;

 private:
  using Manifest = std::pair<std::string, uint64_t>;  // Its path and size.

  Manifest ManifestNow() const;
  std::vector<std::string> UnlistedBy(const LiveSsts& live) const;

  const std::vector<std::string> folders_;
  const Manifest manifest_;
};

bool MayBeInUse(const std::string& db);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_DATABASE_FILES_H_
