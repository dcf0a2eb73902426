// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: the MANIFEST of a database, and files in its folders that
// the MANIFEST does not name.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_DATABASE_FILES_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_DATABASE_FILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/export/live_ssts.h"

namespace cassandra_bloom::tools {

struct DatabaseFiles {
  std::string manifest;  // The path of the MANIFEST.
  // The MANIFEST ends in the middle of a record, and is not being written to.
  bool manifest_is_torn = false;
  // A process on this machine has the database open, or the MANIFEST changed
  // during the examination. Also true if the former cannot be determined.
  bool in_use = false;
  // SST files in the database's folders that are not live, sorted by number. A
  // running database has such files while it writes them, and while iterators
  // still read them. A killed process leaves them behind, and so does a
  // MANIFEST that has lost its end.
  std::vector<std::string> unlisted;
  // A file of `unlisted` is whole and newer than all live files, and no record
  // of the MANIFEST adds it. Then the MANIFEST may have lost its end, and with
  // it the record that adds the file.
  bool newest_is_unlisted = false;
};

// Watches the files of a database. Create it before you list the live files,
// because it compares the MANIFEST with what it is then.
class FilesWatch {
 public:
  // Lists the live files again; throws Unusable.
  using ListAgain = std::function<LiveSsts()>;

  // `folders`: the folders with the database's SST files, its own folder first.
  explicit FilesWatch(std::vector<std::string> folders)
      : folders_(std::move(folders)), manifest_(ManifestNow()) {}

  // `live`: the newest listing of the live files.
  DatabaseFiles Look(const LiveSsts& live, const ListAgain& list_again) const;

 private:
  using Manifest = std::pair<std::string, uint64_t>;  // Its path and size.

  Manifest ManifestNow() const;
  std::vector<std::string> UnlistedBy(const LiveSsts& live) const;

  const std::vector<std::string> folders_;
  const Manifest manifest_;
};

// True if a process may have the database open.
bool MayBeInUse(const std::string& db);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_DATABASE_FILES_H_
