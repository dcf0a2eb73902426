// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/mend_place.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "filterdb/health/finding.h"
#include "filterdb/mending/lease.h"
#include "filterdb/mending/mend_outcome.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/toc.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kScyllaDb[] = "Scylla.db";

std::string Read(const std::string& path, uint64_t max_size) {
  std::string content;
  std::string error;
  if (!ReadRegularFile(path, max_size, &content, &error)) {
    Leave(error);
  }
  return content;
}

WriteContent ContentOf(std::string bytes) {
  return [bytes = std::move(bytes)](const Append& append) {
    return append(bytes.data(), bytes.size());
  };
}

// Returns the user as sudo and chown take it.
std::string NameOfUser(uid_t user) {
  const struct passwd* const entry = getpwuid(user);
  return entry != nullptr ? entry->pw_name : "'#" + std::to_string(user) + "'";
}

// Returns whether there is a file of this name. Fails if it is no regular file,
// because a new file would replace a link, and leave what it leads to.
bool HasFile(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? false : (FailAt(path, "cannot open"), false);
  }
  if (!S_ISREG(status.st_mode)) {
    Leave(path + ": is " + NameOfFileType(status.st_mode) +
          ", not a regular file, and is left alone");
  }
  return true;
}

}  // namespace

MendPlace::MendPlace(const Sstable& sstable, std::vector<FileStamp> stamps,
                     bool node_is_down)
    : sstable_(sstable),
      node_is_down_(node_is_down),
      stamps_(std::move(stamps)) {
  HasFile(sstable_.Path("Data.db"));
  HasFile(sstable_.IndexPath());
  has_filter_ = HasFile(sstable_.Path(kFilterDb));
  CheckOwner();
  if (access(sstable_.folder.c_str(), W_OK | X_OK) != 0) {
    FailAt(sstable_.folder, "cannot create files in this folder");
  }
  ReadToc();
  ReadScyllaDb();
}

// A new file belongs to the user of this process. So this user must be that of
// the node, which owns the SSTable and its folder.
void MendPlace::CheckOwner() const {
  const std::string path = sstable_.Path("Data.db");
  struct stat data;
  struct stat folder;
  if (stat(path.c_str(), &data) != 0 ||
      stat(sstable_.folder.c_str(), &folder) != 0) {
    FailAt(path, "cannot open");
  }
  if (data.st_uid == geteuid() && folder.st_uid == geteuid()) {
    return;
  }
  const std::string owner = NameOfUser(folder.st_uid);
  const std::string work = "sudo -u " + owner + " filterdb mend …";
  Leave(data.st_uid == folder.st_uid
            ? path + ": belongs to " + owner + "; work as this user: " + work
            : path + ": belongs to " + NameOfUser(data.st_uid) +
                  ", and its folder to " + owner + "; chown " + owner +
                  " its files, then work as this user: " + work);
}

void MendPlace::ReadToc() {
  const std::string path = sstable_.Path(kTocName);
  if (!HasFile(path)) {
    return;
  }
  toc_ = Read(path, kMaxTocSize);
  if (!TocNames(toc_, "Data.db")) {
    Leave(path + ": " + NameOf(Check::kTocDamaged) + "; " +
          InfoOf(Check::kTocDamaged).remedy);
  }
  if (!TocNames(toc_, kFilterDb)) {
    completed_toc_ = CompletedToc(toc_);
  }
}

void MendPlace::ReadScyllaDb() {
  const std::string path = sstable_.Path(kScyllaDb);
  if (!HasFile(path)) {
    return;
  }
  std::string error;
  scylla_ = ScyllaDb::Parse(path, Read(path, kMaxScyllaDbSize), &error);
  if (!scylla_) {
    Leave(error + "; " + InfoOf(Check::kScyllaDbDamaged).remedy);
  }
  const auto digest = scylla_->Digest(DigestOf::kToc);
  if (digest && !toc_.empty() && *digest != Crc32(toc_) && !IsTocUnfinished()) {
    Leave(sstable_.Path(kTocName) + ": " + NameOf(Check::kTocDigestDiffers) +
          "; " + InfoOf(Check::kTocDigestDiffers).remedy);
  }
}

std::optional<uint32_t> MendPlace::FilterDigest() const {
  return scylla_ ? scylla_->Digest(DigestOf::kFilter) : std::nullopt;
}

bool MendPlace::IsTocUnfinished() const {
  return completed_toc_ && scylla_ &&
         scylla_->Digest(DigestOf::kToc) == Crc32(*completed_toc_);
}

void MendPlace::CheckNotInUse() const {
  const Lease lease(sstable_, node_is_down_);
  lease.Check();
}

void MendPlace::CheckUnchanged() const {
  if (!IsUnchanged()) {
    Leave(sstable_.Path(kFilterDb) +
          ": this SSTable has changed since it was examined; run the same line "
          "again");
  }
}

// Gives the temporary file of `path` the mode of the file that it replaces, or
// of Data.db if there is none, so that the same processes may read it. On
// failure, returns false and sets errno.
bool MendPlace::GiveModeOfOldFile(const std::string& path) const {
  struct stat old;
  if (stat(path.c_str(), &old) != 0 &&
      stat(sstable_.Path("Data.db").c_str(), &old) != 0) {
    return false;
  }
  return chmod((path + kTemporarySuffix).c_str(), old.st_mode & 0777) == 0;
}

void MendPlace::Write(
    const std::vector<NewFile>& files, size_t at,
    const std::function<void()>& before_naming,
    const std::function<void(const std::string& path)>& after_naming) const {
  if (at == files.size()) {
    before_naming();
    return;
  }
  const std::string path = sstable_.Path(files[at].component);
  std::string error;
  const auto write_others = [&](std::string*) {
    Write(files, at + 1, before_naming, after_naming);
    return true;
  };
  const WriteContent write = [&](const Append& append) {
    return GiveModeOfOldFile(path) && files[at].write(append);
  };
  if (!WriteFileAtomically(path, /*overwrite=*/true, write, &error,
                           write_others)) {
    Fail(error);
  }
  after_naming(path);
}

// The lease is checked only before the first file gets its name. The others
// follow within milliseconds, because a half-made change would be worse:
// ScyllaDB refuses an SSTable with a digest that differs.
//
// But the SSTable may be removed meanwhile, if the kernel has taken the lease
// away, or without opening Data.db. A TOC.txt or Filter.db without its SSTable
// is then taken away again, because a node may not start with it.
//
// The files are written before the lease is taken, because the kernel takes a
// lease away when a process has waited for some time. The locks on the
// temporary files, and the stamps, keep two runs apart where there is no lease.
void MendPlace::Change(const MendChange& change,
                       const std::function<void()>& before_naming) const {
  const bool completes_toc = change.completes_toc && completed_toc_;
  std::vector<NewFile> files;
  if (completes_toc) {
    files.push_back({kTocName, ContentOf(*completed_toc_)});
  }
  if (change.filter) {
    files.push_back({kFilterDb, change.filter});
  }
  std::optional<ScyllaDb> scylla = scylla_;
  if (scylla && change.filter_digest) {
    scylla->SetDigest(DigestOf::kFilter, *change.filter_digest);
  }
  if (scylla && !toc_.empty()) {
    scylla->SetDigest(DigestOf::kToc,
                      Crc32(completes_toc ? *completed_toc_ : toc_));
  }
  if (scylla && scylla->content() != scylla_->content()) {
    files.push_back({kScyllaDb, ContentOf(scylla->content())});
  }
  std::optional<Lease> lease;
  const auto check = [&] {
    CheckUnchanged();
    before_naming();
    lease.emplace(sstable_, node_is_down_);
    CheckUnchanged();
    lease->Check();
  };
  std::vector<std::pair<std::string, FileStamp>> named;
  const auto check_is_there = [&](const std::string& path) {
    named.emplace_back(path, StampOf(path));
    if (lease->FileHasItsName()) {
      return;
    }
    for (const auto& [name, stamp] : named) {
      if (StampOf(name) == stamp) {  // Not a file of another SSTable.
        unlink(name.c_str());
      }
    }
    Fail(path + ": its SSTable was removed while it was changed");
  };
  Write(files, 0, check, check_is_there);
}

}  // namespace cassandra_bloom::tools
