// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/mend_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

// Returns whether there is a file of this name. Fails if it is no regular file,
// because a new file would replace a link, and leave what it leads to.
bool HasFile(const std::string& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? false : (FailAt(path, "cannot open"), false);
  }
  if (!S_ISREG(status.st_mode)) {
    Leave(std::string(FileNameOf(path)) + " is " +
          NameOfFileType(status.st_mode) +
          ", which is left alone; put a regular file in its place");
  }
  return true;
}

bool MayOwnerRead(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IRUSR) != 0;
}

[[noreturn]] void LeaveFor(Check check) {
  Leave(std::string(NameOf(check)) + "; " + InfoOf(check).remedy);
}

}  // namespace

// A user may give a file only to groups of which the user is a member.
bool TakeModeAndGroup(const std::string& from, const std::string& path) {
  struct stat old;
  if (stat(from.c_str(), &old) != 0) {
    return false;
  }
  if (chown(path.c_str(), static_cast<uid_t>(-1), old.st_gid) != 0) {
    // Then the file keeps the group that it was made with.
  }
  return chmod(path.c_str(), old.st_mode & 0777) == 0;
}

void CheckIsOwner(const Sstable& sstable) {
  struct stat folder;
  struct stat data;
  if (stat(sstable.folder.c_str(), &folder) != 0) {
    FailAt(sstable.folder, "cannot open");
  }
  if (stat(sstable.Path("Data.db").c_str(), &data) != 0) {
    data = folder;
  }
  if (data.st_uid != folder.st_uid) {
    Leave("belongs to " + NameOfUser(data.st_uid) + ", and its folder to " +
          NameOfUser(folder.st_uid) +
          "; give both to the user of the node (chown), and work as this user");
  }
  if (data.st_uid != geteuid()) {
    Leave(BelongsTo(data.st_uid));
  }
}

MendPlace::MendPlace(const Sstable& sstable, std::vector<FileStamp> stamps,
                     bool node_is_down)
    : sstable_(sstable),
      node_is_down_(node_is_down),
      stamps_(std::move(stamps)) {
  HasFile(sstable_.Path("Data.db"));
  HasFile(sstable_.IndexPath());
  HasFile(sstable_.Path(kFilterDb));
  if (access(sstable_.folder.c_str(), W_OK | X_OK) != 0) {
    FailAt(sstable_.folder, "cannot create files in this folder");
  }
  ReadToc();
  ReadScyllaDb();
}

void MendPlace::ReadToc() {
  const std::string path = sstable_.Path(kTocName);
  if (HasFile(path)) {
    toc_ = Read(path, kMaxTocSize);
    if (!TocNames(toc_, "Data.db")) {
      LeaveFor(Check::kTocDamaged);
    }
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
    LeaveFor(Check::kScyllaDbDamaged);
  }
  const auto digest = scylla_->Digest(DigestOf::kToc);
  if (digest && !toc_.empty() && *digest != Crc32(toc_) &&
      *digest != Crc32(CompletedToc(toc_))) {
    LeaveFor(Check::kTocDigestDiffers);
  }
}

std::vector<MendPlace::NewFile> MendPlace::FilesOf(
    const MendChange& change) const {
  std::vector<NewFile> files;
  std::string toc = toc_;
  if (change.completes_toc && !toc.empty() && !TocNames(toc, kFilterDb)) {
    toc = CompletedToc(toc);
    files.push_back({kTocName, ContentOf(toc)});
  }
  if (change.filter) {
    files.push_back({kFilterDb, change.filter});
  }
  if (scylla_) {
    ScyllaDb scylla = *scylla_;
    if (change.filter_crc) {
      scylla.SetDigest(DigestOf::kFilter, *change.filter_crc);
    }
    if (!toc.empty()) {
      scylla.SetDigest(DigestOf::kToc, Crc32(toc));
    }
    if (scylla.content() != scylla_->content()) {
      files.push_back({kScyllaDb, ContentOf(scylla.content())});
    }
  }
  return files;
}

void MendPlace::CheckUnchanged() const {
  if (StampsOf(sstable_) != stamps_) {
    Leave(
        "this SSTable has changed since it was examined; run the same line "
        "again");
  }
}

void MendPlace::Write(const std::vector<NewFile>& files, size_t at,
                      const std::function<void()>& before_naming) const {
  if (at == files.size()) {
    before_naming();
    return;
  }
  const std::string path = sstable_.Path(files[at].component);
  // The file becomes like the one that it replaces, or like Data.db if the node
  // may not read that one, so that the same processes may read it.
  const std::string like = MayOwnerRead(path) ? path : sstable_.Path("Data.db");
  const WriteContent write = [&](const Append& append) {
    return TakeModeAndGroup(like, path + kTemporarySuffix) &&
           files[at].write(append);
  };
  const auto write_others = [&](std::string*) {
    Write(files, at + 1, before_naming);
    return true;
  };
  std::string error;
  if (!WriteFileAtomically(path, /*overwrite=*/true, write, &error,
                           write_others)) {
    Fail(error);
  }
}

// The files are written before the lease is taken, because the kernel takes a
// lease away when a process has waited for some time. The locks on the
// temporary files, and the stamps, keep two runs apart where there is no lease.
// But `before_naming`, which keeps the old files, is called with the lease, so
// that nothing is kept of an SSTable that is left.
//
// The lease is checked only before the first file gets its name. The others
// follow within milliseconds, because a half-made change would be worse:
// ScyllaDB refuses an SSTable with a digest that differs.
//
// But the SSTable may be removed meanwhile, if the kernel has taken the lease
// away, or without opening Data.db. A TOC.txt or Filter.db without its SSTable
// is then taken away again, because a node may not start with it.
void MendPlace::Change(const MendChange& change,
                       const std::function<void()>& before_naming) const {
  std::optional<Lease> lease;
  const std::vector<NewFile> files = FilesOf(change);
  Write(files, 0, [&] {
    lease.emplace(sstable_, node_is_down_);
    CheckIsLive(sstable_);
    CheckUnchanged();
    before_naming();
    CheckUnchanged();
    lease->Check();
  });
  if (NameExists(sstable_.Path("Data.db"))) {
    return;
  }
  for (const NewFile& file : files) {
    unlink(sstable_.Path(file.component).c_str());
  }
  Fail(sstable_.Path(kFilterDb) +
       ": its SSTable was removed while it was changed");
}

}  // namespace cassandra_bloom::tools
