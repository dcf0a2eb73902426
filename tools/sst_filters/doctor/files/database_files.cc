// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/files/database_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "plugin/export/export_names.h"
#include "tools/sst_filters/doctor/files/manifest.h"
#include "tools/sst_filters/doctor/files/sst_file.h"
#include "tools/sst_filters/doctor/files/sst_format.h"

namespace cassandra_bloom::tools {

namespace fs = std::filesystem;

namespace {

uint64_t NumberOf(const std::string& sst) {
  return NumberOfSst(sst).value_or(0);
}

bool IsWhole(const std::string& sst) {
  std::string error;
  return SstFile::Open(sst, nullptr, &error) != nullptr ||
         ReadSstFormat(sst).has_value();
}

// Returns DatabaseFiles::newest_is_unlisted. `unlisted` is sorted by number.
bool NewestIsUnlisted(const std::vector<std::string>& unlisted,
                      const DatabaseListing& live,
                      const std::string& manifest) {
  uint64_t newest = 0;
  for (const ListedSst& sst : live.files) {
    newest = std::max(newest, sst.number);
  }
  // Files that a record of the MANIFEST has added are left out. A later record
  // has removed them. They may still exist after DisableFileDeletions.
  const std::set<uint64_t> added = FilesAddedBy(manifest);
  return std::any_of(unlisted.rbegin(), unlisted.rend(),
                     [&](const std::string& sst) {
                       return NumberOf(sst) > newest &&
                              added.count(NumberOf(sst)) == 0 && IsWhole(sst);
                     });
}

}  // namespace

// RocksDB locks the file LOCK with fcntl (env/fs_posix.cc). When a process
// closes a file, it loses all its fcntl locks on that file. filterdb may open
// and close LOCK, because it has no locks on it.
bool MayBeInUse(const std::string& db) {
  const int fd =
      open((db + "/LOCK").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return errno != ENOENT;
  }
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool known = fcntl(fd, F_GETLK, &lock) == 0;
  close(fd);
  return !known || lock.l_type != F_UNLCK;
}

FilesWatch::Manifest FilesWatch::ManifestNow() const {
  std::string name;
  std::error_code error;
  const std::string path = folders_[0] + "/CURRENT";
  if (fs::is_regular_file(path, error)) {
    std::ifstream current(path);
    std::getline(current, name);
  }
  const std::string manifest = folders_[0] + "/" + name;
  return {manifest, fs::file_size(manifest, error)};
}

std::vector<std::string> FilesWatch::UnlistedBy(
    const DatabaseListing& live) const {
  std::vector<std::string> unlisted = UnlistedSsts(live, folders_);
  std::sort(unlisted.begin(), unlisted.end(),
            [](const std::string& a, const std::string& b) {
              return std::pair(NumberOf(a), a) < std::pair(NumberOf(b), b);
            });
  return unlisted;
}

DatabaseFiles FilesWatch::Look(const DatabaseListing& live,
                               const ListAgain& list_again) const {
  const Manifest manifest = ManifestNow();
  DatabaseFiles files;
  files.manifest = manifest.first;
  files.manifest_is_torn = EndsInARecord(files.manifest);
  files.unlisted = UnlistedBy(live);
  if (files.manifest_is_torn || !files.unlisted.empty()) {
    // Looks again after a pause, because a file may have been written or
    // removed during the first look.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    const DatabaseListing again = list_again();
    const std::vector<std::string> still = UnlistedBy(again);
    const std::set<std::string> before(files.unlisted.begin(),
                                       files.unlisted.end());
    files.unlisted.clear();
    std::copy_if(
        still.begin(), still.end(), std::back_inserter(files.unlisted),
        [&](const std::string& sst) { return before.count(sst) != 0; });
    files.manifest_is_torn &=
        ManifestNow() == manifest && EndsInARecord(files.manifest);
    files.newest_is_unlisted =
        NewestIsUnlisted(files.unlisted, again, files.manifest);
  }
  files.in_use = MayBeInUse(folders_[0]) || ManifestNow() != manifest_;
  return files;
}

}  // namespace cassandra_bloom::tools
