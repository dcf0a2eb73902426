// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "filterdb/health/harm.h"
#include "filterdb/mending/outcome.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

[[noreturn]] void LeaveFor(Check check) {
  Leave(std::string(NameOf(check)) + "; " + InfoOf(check).remedy);
}

}  // namespace

Place::Place(const Sstable& sstable, int folder)
    : sstable_(sstable),
      folder_(folder),
      index_(sstable.IndexPath().substr(sstable.Path("").size())) {
  CheckIsOwner();
  Read(kIndex, 0);
  Read(kFilter, 0);
  toc_ = Read(kToc, kMaxTocSize);
  CheckToc();
  const std::string scylla = Read(kScylla, kMaxScyllaDbSize);
  if (parts_[kScylla].crc) {
    ParseScyllaDb(scylla);
  }
}

std::string Place::NameOfPart(Part part) const {
  const char* const names[] = {"Data.db", index_.c_str(), kFilterDb, kTocName,
                               "Scylla.db"};
  return sstable_.name_prefix + names[part];
}

std::string Place::PathOf(Part part) const {
  return sstable_.folder + "/" + NameOfPart(part);
}

// A new file belongs to the user of this process. So this fails if this user is
// not that of the node, which owns Data.db and its folder. Files with other
// owners than Data.db are not expected.
void Place::CheckIsOwner() {
  struct stat folder;
  struct stat data;
  if (fstat(folder_, &folder) != 0) {
    FailAt(sstable_.folder, "cannot open");
  }
  if (fstatat(folder_, NameOfPart(kData).c_str(), &data, AT_SYMLINK_NOFOLLOW) !=
      0) {
    FailAt(PathOf(kData), "cannot open");
  }
  if (data.st_uid != folder.st_uid) {
    Leave("belongs to " + NameOfUser(data.st_uid) + ", and its folder to " +
          NameOfUser(folder.st_uid) +
          "; give both to the user of the node (chown), and work as this user");
  }
  if (data.st_uid != geteuid()) {
    Leave(BelongsTo(data.st_uid, data.st_gid));
  }
  if (faccessat(folder_, ".", W_OK | X_OK, 0) != 0) {
    FailAt(sstable_.folder, "cannot create files in this folder");
  }
  CheckIsRegular(kData, data.st_mode);
  parts_[kData] = {StampOf(data), data.st_mode, data.st_gid, {}};
}

// A new file would replace a link, and leave what it leads to.
void Place::CheckIsRegular(Part part, mode_t mode) const {
  if (!S_ISREG(mode)) {
    Leave(NameOfPart(part).substr(sstable_.name_prefix.size()) + " is " +
          NameOfFileType(mode) +
          ", which is left alone; put a regular file in its place");
  }
}

// Sets parts_[part]. Returns the content of a file that has at most `max_kept`
// bytes; a larger one is an error. If `max_kept` is 0, nothing is kept.
std::string Place::Read(Part part, uint64_t max_kept) {
  const std::string name = NameOfPart(part);
  const FileDescriptor fd(openat(
      folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const int open_error = errno;
  struct stat status;
  if (fd.get() < 0 && open_error == ENOENT) {
    return "";
  }
  if ((fd.get() < 0
           ? fstatat(folder_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW)
           : fstat(fd.get(), &status)) == 0) {
    CheckIsRegular(part, status.st_mode);
  }
  if (fd.get() < 0) {
    errno = open_error;
    FailAt(PathOf(part), "cannot open");
  }
  std::string content;
  uint32_t crc = 0;
  const auto append = [&](const char* data, size_t size) {
    errno = EFBIG;
    if (max_kept > 0) {
      content.append(data, size);
    }
    return content.size() <= max_kept;
  };
  if (!ReadInPieces(fd.get(), append, &crc)) {
    FailAt(PathOf(part), "cannot read");
  }
  parts_[part] = {StampOf(status), status.st_mode, status.st_gid, crc};
  return content;
}

void Place::CheckToc() const {
  if (parts_[kToc].crc && !TocNames(toc_, "Data.db")) {
    LeaveFor(Check::kTocDamaged);
  }
}

void Place::ParseScyllaDb(const std::string& content) {
  std::string error;
  scylla_ = ScyllaDb::Parse(PathOf(kScylla), content, &error);
  if (!scylla_) {
    LeaveFor(Check::kScyllaDbDamaged);
  }
  const auto digest = scylla_->Digest(DigestOf::kToc);
  if (digest && !toc_.empty() && digest != parts_[kToc].crc &&
      *digest != Crc32(CompletedToc(toc_))) {
    LeaveFor(Check::kTocDigestDiffers);
  }
}

bool Place::Plan(const Change& change) {
  change_ = change;
  planned_.clear();
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
      planned_.push_back({kScylla, scylla.content()});
    }
  }
  if (!change.filter.empty()) {
    planned_.push_back({kFilter, ""});
  }
  if (completes_toc) {
    planned_.push_back({kToc, toc});
  }
  return !planned_.empty();
}

void Place::WriteTemporary(const std::string& suffix) {
  suffix_ = suffix;
  for (const NewFile& file : planned_) {
    Write(file, NameOfPart(file.part) + suffix);
  }
}

void Place::Write(const NewFile& file, const std::string& temporary) {
  // The file becomes like the one that it replaces, or like Data.db if the node
  // may not read that one, so that the same processes may read it.
  const Found& old = parts_[file.part];
  const Found& like = (old.mode & S_IRUSR) != 0 ? old : parts_[kData];
  const mode_t mode = like.mode & 0777;
  const FileDescriptor fd(
      openat(folder_, temporary.c_str(),
             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  const std::string path = PathOf(file.part);
  struct stat status;
  if (fd.get() < 0 || fstat(fd.get(), &status) != 0) {
    FailAt(path, "cannot create a temporary file beside it");
  }
  ++num_written_;
  bool is_written = true;
  if (file.part == kFilter) {
    CopyListed(change_.filter, *change_.filter_crc, fd.get(), path);
  } else {
    is_written = WriteAll(fd.get(), file.bytes.data(), file.bytes.size());
  }
  if (status.st_gid != like.group &&
      fchown(fd.get(), static_cast<uid_t>(-1), like.group) != 0) {
    // A user may give a file only to groups of which the user is a member. Else
    // the file keeps the group that it was made with.
  }
  if (!is_written ||
      ((status.st_mode & 0777) != mode && fchmod(fd.get(), mode) != 0)) {
    FailAt(path, "cannot write");
  }
}

void Place::CheckUnchanged() const {
  for (const Part part : {kData, kIndex, kFilter, kToc, kScylla}) {
    struct stat status = {};
    fstatat(folder_, NameOfPart(part).c_str(), &status, AT_SYMLINK_NOFOLLOW);
    if (StampOf(status) != parts_[part].stamp) {
      Leave(
          "this SSTable has changed since it was looked at; run the same line "
          "again");
    }
  }
}

// A TOC.txt or Filter.db without its SSTable is taken away again, because a
// node may not start with it.
void Place::GiveNames() {
  for (const NewFile& file : planned_) {
    const std::string name = NameOfPart(file.part);
    if (renameat(folder_, (name + suffix_).c_str(), folder_, name.c_str()) !=
        0) {
      FailAt(PathOf(file.part), "cannot name the file");
    }
  }
  num_written_ = 0;
  struct stat status;
  if (fstatat(folder_, NameOfPart(kData).c_str(), &status,
              AT_SYMLINK_NOFOLLOW) == 0 ||
      errno != ENOENT) {
    return;
  }
  for (const NewFile& file : planned_) {
    unlinkat(folder_, NameOfPart(file.part).c_str(), 0);
  }
  Fail(PathOf(kFilter) + ": its SSTable was removed while it was changed");
}

Place::~Place() {
  for (size_t i = 0; i < num_written_; ++i) {
    unlinkat(folder_, (NameOfPart(planned_[i].part) + suffix_).c_str(), 0);
  }
}

Change ChangeOf(const RunFolder& run, const RunLine& line, bool undo,
                const Place& place) {
  const auto present = place.filter_crc();
  Change change;
  change.completes_toc = !undo;
  if (undo && !line.old_filter) {
    return change;
  }
  change.filter_crc = undo ? line.old_filter : line.new_filter;
  if (present == change.filter_crc) {
    return change;
  }
  if (present != (undo ? line.new_filter : line.old_filter)) {
    throw End{Outcome::kForeign,
              !undo     ? "its filter is neither the old one nor the new one"
              : present ? "its filter has changed since this run, which "
                          "still keeps the old one"
                        : "its filter was removed"};
  }
  change.filter = undo ? run.OldPath(line) : run.NewPath(line);
  return change;
}

}  // namespace cassandra_bloom::tools
