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

Place::Place(const Sstable& sstable)
    : sstable_(sstable),
      paths_{sstable.Path("Data.db"), sstable.IndexPath(),
             sstable.Path(kFilterDb), sstable.Path(kTocName),
             sstable.Path("Scylla.db")},
      stamps_(StampsOf(sstable)) {
  CheckIsOwner();
  Read(kIndex, 0);
  Read(kFilter, 0);
  toc_ = Read(kToc, kMaxTocSize);
  if (found_[kToc].crc && !TocNames(toc_, "Data.db")) {
    LeaveFor(Check::kTocDamaged);
  }
  const std::string scylla = Read(kScylla, kMaxScyllaDbSize);
  if (found_[kScylla].crc) {
    ParseScyllaDb(scylla);
  }
}

// A new file belongs to the user of this process. So this fails if this user is
// not that of the node, which owns Data.db and its folder. Files with other
// owners than Data.db are not expected.
void Place::CheckIsOwner() {
  struct stat folder;
  struct stat data;
  if (stat(sstable_.folder.c_str(), &folder) != 0) {
    FailAt(sstable_.folder, "cannot open");
  }
  if (lstat(paths_[kData].c_str(), &data) != 0) {
    FailAt(paths_[kData], "cannot open");
  }
  if (data.st_uid != folder.st_uid) {
    Leave("belongs to " + NameOfUser(data.st_uid) + ", and its folder to " +
          NameOfUser(folder.st_uid) +
          "; give both to the user of the node (chown), and work as this user");
  }
  if (data.st_uid != geteuid()) {
    Leave(BelongsTo(data.st_uid, data.st_gid));
  }
  if (access(sstable_.folder.c_str(), W_OK | X_OK) != 0) {
    FailAt(sstable_.folder, "cannot create files in this folder");
  }
  CheckIsRegular(kData, data.st_mode);
  found_[kData] = {data.st_mode, data.st_gid, {}};
}

// A new file would replace a link, and leave what it leads to.
void Place::CheckIsRegular(Part part, mode_t mode) const {
  if (!S_ISREG(mode)) {
    Leave(paths_[part].substr(sstable_.Path("").size()) + " is " +
          NameOfFileType(mode) +
          ", which is left alone; put a regular file in its place");
  }
}

// Sets found_[part]. Returns the content of a file that has at most `max_kept`
// bytes; a larger one is an error. If `max_kept` is 0, nothing is kept.
std::string Place::Read(Part part, uint64_t max_kept) {
  const std::string& path = paths_[part];
  struct stat status;
  if (lstat(path.c_str(), &status) == 0) {
    CheckIsRegular(part, status.st_mode);
  } else if (errno == ENOENT) {
    return "";
  }
  const FileDescriptor fd(
      open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0 || fstat(fd.get(), &status) != 0) {
    FailAt(path, "cannot open");
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
    FailAt(path, "cannot read");
  }
  found_[part] = {status.st_mode, status.st_gid, crc};
  return content;
}

void Place::ParseScyllaDb(const std::string& content) {
  std::string error;
  scylla_ = ScyllaDb::Parse(paths_[kScylla], content, &error);
  if (!scylla_) {
    LeaveFor(Check::kScyllaDbDamaged);
  }
  const auto digest = scylla_->Digest(DigestOf::kToc);
  if (digest && !toc_.empty() && digest != found_[kToc].crc &&
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
  for (NewFile& file : planned_) {
    Write(&file, paths_[file.part] + suffix);
  }
}

void Place::Write(NewFile* file, const std::string& temporary) {
  // The file becomes like the one that it replaces, or like Data.db if the node
  // may not read that one, so that the same processes may read it.
  const Found& old = found_[file->part];
  const Found& like = (old.mode & S_IRUSR) != 0 ? old : found_[kData];
  const mode_t mode = like.mode & 0777;
  const FileDescriptor fd(
      open(temporary.c_str(),
           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  const std::string& path = paths_[file->part];
  struct stat status;
  if (fd.get() < 0 || fstat(fd.get(), &status) != 0) {
    FailAt(path, "cannot create a temporary file beside it");
  }
  file->temporary = temporary;
  bool is_written = true;
  if (file->part == kFilter) {
    CopyListed(change_.filter, *change_.filter_crc, fd.get(), path);
  } else {
    is_written = WriteAll(fd.get(), file->bytes.data(), file->bytes.size());
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
  if (StampsOf(sstable_) != stamps_) {
    Leave(
        "this SSTable has changed since it was looked at; run the same line "
        "again");
  }
}

// A TOC.txt or Filter.db without its SSTable is taken away again, because a
// node may not start with it.
void Place::GiveNames() {
  for (NewFile& file : planned_) {
    const std::string& path = paths_[file.part];
    if (rename(file.temporary.c_str(), path.c_str()) != 0) {
      FailAt(path, "cannot name the file");
    }
    file.temporary.clear();
  }
  struct stat status;
  if (lstat(paths_[kData].c_str(), &status) == 0 || errno != ENOENT) {
    return;
  }
  for (const NewFile& file : planned_) {
    unlink(paths_[file.part].c_str());
  }
  Fail(paths_[kFilter] + ": its SSTable was removed while it was changed");
}

Place::~Place() {
  for (const NewFile& file : planned_) {
    if (!file.temporary.empty()) {
      unlink(file.temporary.c_str());
    }
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
