// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "filterdb/health/harm.h"
#include "filterdb/mending/outcome.h"
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

[[noreturn]] void LeaveFor(Check check) {
  Leave(std::string(NameOf(check)) + "; " + InfoOf(check).remedy);
}

// Gives a file the mode of `like` and, where this user may, its group. A user
// may give a file only to groups of which the user is a member.
bool TakeModeAndGroup(const struct stat& like, int fd) {
  if (fchown(fd, static_cast<uid_t>(-1), like.st_gid) != 0) {
    // Then the file keeps the group that it was made with.
  }
  return fchmod(fd, like.st_mode & 0777) == 0;
}

}  // namespace

uint32_t CrcOrFail(const std::string& path) {
  std::string error;
  const auto crc = CrcOfFile(path, &error);
  if (!crc) {
    Fail(error);
  }
  return *crc;
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
    Leave(BelongsTo(data.st_uid, data.st_gid));
  }
}

Place::Place(const Sstable& sstable)
    : sstable_(sstable), stamps_(StampsOf(sstable)) {
  HasFile(sstable_.Path("Data.db"));
  HasFile(sstable_.IndexPath());
  HasFile(sstable_.Path(kFilterDb));
  if (access(sstable_.folder.c_str(), W_OK | X_OK) != 0) {
    FailAt(sstable_.folder, "cannot create files in this folder");
  }
  ReadToc();
  ReadScyllaDb();
}

void Place::ReadToc() {
  const std::string path = sstable_.Path(kTocName);
  if (HasFile(path)) {
    toc_ = Read(path, kMaxTocSize);
    if (!TocNames(toc_, "Data.db")) {
      LeaveFor(Check::kTocDamaged);
    }
  }
}

void Place::ReadScyllaDb() {
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

std::vector<Place::NewFile> Place::FilesOf(const Change& change) const {
  std::vector<NewFile> files;
  const bool completes_toc =
      change.completes_toc && !toc_.empty() && !TocNames(toc_, kFilterDb);
  const std::string toc = completes_toc ? CompletedToc(toc_) : toc_;
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
  if (change.filter) {
    files.push_back({kFilterDb, change.filter});
  }
  if (completes_toc) {
    files.push_back({kTocName, ContentOf(toc)});
  }
  return files;
}

void Place::WriteTemporary(const Change& change, const std::string& suffix) {
  suffix_ = suffix;
  for (const NewFile& file : FilesOf(change)) {
    const std::string path = sstable_.Path(file.component);
    const std::string temporary = path + suffix;
    // The file becomes like the one that it replaces, or like Data.db if the
    // node may not read that one, so that the same processes may read it.
    struct stat like;
    if (stat(path.c_str(), &like) != 0 || (like.st_mode & S_IRUSR) == 0) {
      stat(sstable_.Path("Data.db").c_str(), &like);
    }
    const FileDescriptor fd(
        open(temporary.c_str(),
             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd.get() < 0) {
      FailAt(path, "cannot create a temporary file beside it");
    }
    written_.push_back(path);
    const timespec times[] = {{0, UTIME_OMIT}, change.filter_time};
    if (!file.write([&fd](const char* data, size_t size) {
          return WriteAll(fd.get(), data, size);
        }) ||
        !TakeModeAndGroup(like, fd.get()) ||
        (file.component == kFilterDb && futimens(fd.get(), times) != 0)) {
      FailAt(path, "cannot write");
    }
  }
}

void Place::CheckUnchanged() const {
  if (StampsOf(sstable_) != stamps_) {
    Leave(
        "this SSTable has changed since it was looked at; run the same line "
        "again");
  }
}

// A TOC.txt or Filter.db without its SSTable is taken away again, because a
// node may not start with it.
void Place::GiveNames() {
  for (const std::string& path : written_) {
    if (rename((path + suffix_).c_str(), path.c_str()) != 0) {
      FailAt(path, "cannot name the file");
    }
  }
  if (NameExists(sstable_.Path("Data.db"))) {
    written_.clear();
    return;
  }
  for (const std::string& path : written_) {
    unlink(path.c_str());
  }
  Fail(sstable_.Path(kFilterDb) +
       ": its SSTable was removed while it was changed");
}

void Place::RemoveTemporary() {
  for (const std::string& path : written_) {
    unlink((path + suffix_).c_str());
  }
  written_.clear();
}

}  // namespace cassandra_bloom::tools
