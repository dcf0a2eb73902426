// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/pinned_folder.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "filterdb/health/open_files.h"
#include "filterdb/mending/mend_record.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// With O_NONBLOCK, openat() does not wait if the file is a FIFO without a
// writer.
int OpenIn(int folder, const std::string& name) {
  return openat(folder, name.c_str(),
                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

// Gets the names of the extended attributes, each with a zero byte at its end.
// Gets no names if the file system has no such attributes.
bool ListAttributes(int fd, std::string* names) {
  const ssize_t size = flistxattr(fd, nullptr, 0);
  if (size <= 0) {
    names->clear();
    return size == 0 || errno == ENOTSUP;
  }
  names->resize(static_cast<size_t>(size));
  const ssize_t got = flistxattr(fd, names->data(), names->size());
  names->resize(static_cast<size_t>(got < 0 ? 0 : got));
  return got >= 0;
}

bool ReadAttribute(int fd, const char* name, std::string* value) {
  const ssize_t size = fgetxattr(fd, name, nullptr, 0);
  if (size < 0) {
    return false;
  }
  value->resize(static_cast<size_t>(size));
  const ssize_t got = fgetxattr(fd, name, value->data(), value->size());
  value->resize(static_cast<size_t>(got < 0 ? 0 : got));
  return got >= 0;
}

// Sets the attribute only if its value differs, because setting a security
// label needs a privilege even if nothing changes.
bool CopyAttribute(int from, int to, const char* name) {
  std::string value;
  std::string present;
  return ReadAttribute(from, name, &value) &&
         ((ReadAttribute(to, name, &present) && present == value) ||
          fsetxattr(to, name, value.data(), value.size(), /*flags=*/0) == 0);
}

// Removes the access control list that a new file inherits (acl(5)).
bool RemoveAcl(int fd) {
  return fremovexattr(fd, "system.posix_acl_access") == 0 || errno == ENODATA ||
         errno == ENOTSUP;
}

// Also copies access control lists and SELinux labels, which are extended
// attributes (acl(5), xattr(7)).
bool CopyAttributes(int from, int to) {
  std::string names;
  if (!ListAttributes(from, &names)) {
    return false;
  }
  for (size_t at = 0; at < names.size(); at += std::strlen(&names[at]) + 1) {
    if (!CopyAttribute(from, to, &names[at])) {
      return false;
    }
  }
  return true;
}

// Sets the owner before the mode, because a change of the owner clears bits of
// the mode.
bool CopyOwnerAndMode(int from, int to) {
  struct stat status;
  return fstat(from, &status) == 0 &&
         fchown(to, status.st_uid, status.st_gid) == 0 && RemoveAcl(to) &&
         fchmod(to, status.st_mode & 07777) == 0 && CopyAttributes(from, to);
}

bool IsInGroup(gid_t group) {
  std::vector<gid_t> groups(
      static_cast<size_t>(std::max(getgroups(0, nullptr), 0)));
  const int num_groups =
      getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<size_t>(std::max(num_groups, 0)));
  return group == getegid() ||
         std::find(groups.begin(), groups.end(), group) != groups.end();
}

bool IsTemporary(std::string_view name) {
  if (!EndsWith(name, kTemporarySuffix)) {
    return false;
  }
  name.remove_suffix(std::strlen(kTemporarySuffix));
  return EndsWith(name, "Filter.db") || EndsWith(name, "TOC.txt") ||
         EndsWith(name, "Scylla.db") || EndsWith(name, kRecordSuffix);
}

}  // namespace

WriteContent ContentOf(const std::string& bytes) {
  return [&bytes](const Append& append) {
    return append(bytes.data(), bytes.size());
  };
}

std::string ReasonNotToCreateIn(const std::string& folder) {
  fs::path path = fs::path(folder).lexically_normal();
  while (access(path.c_str(), F_OK) != 0 && errno == ENOENT &&
         path.has_relative_path()) {
    path = path.has_parent_path() ? path.parent_path() : fs::path(".");
  }
  try {
    return PinnedFolder(path).ReasonNotWritable();
  } catch (const FileError& error) {
    return error.text;
  }
}

void CreateFolders(const std::string& folder) {
  const fs::path path = fs::absolute(folder);
  fs::path there = path;
  while (access(there.c_str(), F_OK) != 0 && there.has_relative_path()) {
    there = there.parent_path();
  }
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) {
    throw FileError{folder +
                    ": cannot create the folder: " + failure.message()};
  }
  std::string error;
  for (fs::path above = path; above != there;) {
    above = above.parent_path();
    if (!SyncFolder(above, &error)) {
      throw FileError{error};
    }
  }
}

PinnedFolder::PinnedFolder(const std::string& folder)
    : folder_(folder),
      fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  std::string error;
  struct stat ignored;
  if (fd_.get() < 0) {
    FailWithErrno(folder, "cannot open", &error);
    throw FileError{error};
  }
  if (stat(OpenPath().c_str(), &ignored) != 0) {
    throw FileError{folder + ": mend reaches this folder through " +
                    OpenPath() + ", and /proc is not mounted here"};
  }
}

bool PinnedFolder::IsAt(const std::string& real_path) const {
  std::error_code failure;
  const auto path = std::filesystem::read_symlink(OpenPath(), failure);
  return !failure && path == real_path;
}

std::string PinnedFolder::OpenPath() const {
  return "/proc/self/fd/" + std::to_string(fd_.get());
}

void PinnedFolder::NameInError(std::string* error) const {
  const std::string open_folder = PathOf("");
  if (error->compare(0, open_folder.size(), open_folder) == 0) {
    error->replace(0, open_folder.size(), folder_ + "/");
  }
}

void PinnedFolder::FailAt(const std::string& name, const char* what) const {
  std::string error;
  FailWithErrno(folder_ + "/" + name, what, &error);
  throw FileError{error};
}

void PinnedFolder::Fail(std::string error) const {
  NameInError(&error);
  throw FileError{error};
}

bool PinnedFolder::IsSameAs(const PinnedFolder& other) const {
  struct stat one;
  struct stat second;
  return fstat(fd_.get(), &one) == 0 && fstat(other.fd_.get(), &second) == 0 &&
         one.st_dev == second.st_dev && one.st_ino == second.st_ino;
}

std::string PinnedFolder::ReasonNotWritable() const {
  std::string reason;
  if (faccessat(fd_.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
    FailWithErrno(folder_, "cannot create files in this folder", &reason);
  }
  return reason;
}

// Follows the rules of chown(2). In a folder with the set-group-ID bit, a new
// file gets the group of the folder, even if the process is not in this group.
std::string PinnedFolder::ReasonNotToKeepOwner(const std::string& name) const {
  struct stat file;
  struct stat folder;
  if (!StatusOf(name, &file) || fstat(fd_.get(), &folder) != 0) {
    FailAt(name, "cannot open");
  }
  const bool has_group =
      IsInGroup(file.st_gid) ||
      ((folder.st_mode & S_ISGID) != 0 && folder.st_gid == file.st_gid);
  // Root in a container may lack the capability to give files to other users.
  if ((file.st_uid == geteuid() && has_group) || HasCapability(CAP_CHOWN)) {
    return "";
  }
  return folder_ + "/" + name + ": belongs to user " +
         std::to_string(file.st_uid) + " and group " +
         std::to_string(file.st_gid) +
         ", which only root can give to a new file";
}

std::string PinnedFolder::Lock() const {
  constexpr int kAttempts = 50;
  for (int i = 0; i < kAttempts; ++i) {
    if (flock(fd_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
      return "";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return folder_ + ": another process, such as a mend, has locked the folder";
}

bool PinnedFolder::StatusOf(const std::string& name,
                            struct stat* status) const {
  return fstatat(fd_.get(), name.c_str(), status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool PinnedFolder::HasName(const std::string& name) const {
  struct stat status;
  return StatusOf(name, &status) || errno != ENOENT;
}

bool PinnedFolder::HasFile(const std::string& name) const {
  struct stat status;
  if (!StatusOf(name, &status)) {
    if (errno == ENOENT) {
      return false;
    }
    FailAt(name, "cannot open");
  }
  if (!S_ISREG(status.st_mode)) {
    throw FileError{folder_ + "/" + name + ": is " +
                    NameOfFileType(status.st_mode) +
                    ", not a regular file, and is left alone"};
  }
  return true;
}

uint64_t PinnedFolder::SizeOf(const std::string& name) const {
  struct stat status;
  return StatusOf(name, &status) ? static_cast<uint64_t>(status.st_size) : 0;
}

uint64_t PinnedFolder::NumLinksOf(const std::string& name) const {
  struct stat status;
  return StatusOf(name, &status) ? status.st_nlink : 0;
}

void PinnedFolder::Replace(const std::string& name, const std::string& like,
                           const WriteContent& write,
                           const std::function<void()>& before_naming) const {
  const FileDescriptor model(OpenIn(fd_.get(), like));
  if (model.get() < 0) {
    FailAt(like, "cannot open");
  }
  const auto finish = [&](int fd, std::string*) {
    if (!CopyOwnerAndMode(model.get(), fd)) {
      FailAt(name, "cannot keep the owner, the mode and the attributes");
    }
    if (before_naming != nullptr) {
      before_naming();
    }
    return true;
  };
  std::string error;
  if (!WriteFileAtomically(PathOf(name), /*overwrite=*/true, write, &error,
                           finish)) {
    Fail(error);
  }
}

bool PinnedFolder::AreOneFile(const std::string& name,
                              const std::string& second) const {
  struct stat one;
  struct stat other;
  return StatusOf(name, &one) && StatusOf(second, &other) &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

void PinnedFolder::AddName(const std::string& name,
                           const std::string& second) const {
  bool is_named = linkat(fd_.get(), name.c_str(), fd_.get(), second.c_str(),
                         /*flags=*/0) == 0;
  if (!is_named && errno == EEXIST) {
    is_named = AreOneFile(name, second);
    errno = EEXIST;
  }
  if (!is_named || fsync(fd_.get()) != 0) {
    FailAt(second, "cannot keep the old filter under this name");
  }
}

// If both names belong to one file, only removes `from`, because rename() would
// do nothing.
void PinnedFolder::Rename(const std::string& from,
                          const std::string& to) const {
  const bool is_renamed =
      AreOneFile(from, to)
          ? unlinkat(fd_.get(), from.c_str(), /*flags=*/0) == 0
          : renameat(fd_.get(), from.c_str(), fd_.get(), to.c_str()) == 0;
  if (!is_renamed || fsync(fd_.get()) != 0) {
    FailAt(from, "cannot rename");
  }
}

void PinnedFolder::Write(const std::string& name, bool overwrite,
                         const WriteContent& write) const {
  std::string error;
  if (!WriteFileAtomically(PathOf(name), overwrite, write, &error)) {
    Fail(error);
  }
}

void PinnedFolder::Remove(const std::string& name) const {
  if (unlinkat(fd_.get(), name.c_str(), /*flags=*/0) != 0 ||
      fsync(fd_.get()) != 0) {
    FailAt(name, "cannot remove");
  }
}

FileSum PinnedFolder::Sum(const std::string& name,
                          const std::vector<FileSum>& wanted,
                          const BetweenPieces& between_pieces) const {
  const FileDescriptor fd(OpenIn(fd_.get(), name));
  struct stat status;
  if (fd.get() < 0 || fstat(fd.get(), &status) != 0) {
    FailAt(name, "cannot open");
  }
  if (!S_ISREG(status.st_mode)) {
    throw FileError{folder_ + "/" + name + ": not a regular file"};
  }
  FileSum sum = {static_cast<uint64_t>(status.st_size), 0};
  const bool may_be_wanted =
      wanted.empty() ||
      std::any_of(wanted.begin(), wanted.end(),
                  [&](const FileSum& one) { return one.size == sum.size; });
  const auto only_sum = [](const char*, size_t) { return true; };
  if (may_be_wanted &&
      !CopyInPieces(fd.get(), only_sum, between_pieces, &sum)) {
    FailAt(name, "cannot read");
  }
  return sum;
}

WriteContent PinnedFolder::ContentOf(const std::string& name,
                                     const BetweenPieces& between_pieces,
                                     FileSum* sum) const {
  return [this, name, between_pieces, sum](const Append& append) {
    const FileDescriptor fd(OpenIn(fd_.get(), name));
    return fd.get() >= 0 && CopyInPieces(fd.get(), append, between_pieces, sum);
  };
}

std::string PinnedFolder::Read(const std::string& name,
                               uint64_t max_size) const {
  const FileDescriptor fd(OpenIn(fd_.get(), name));
  std::string content;
  std::string error;
  if (!ReadRegularFile(fd.get(), folder_ + "/" + name, max_size, &content,
                       &error)) {
    throw FileError{error};
  }
  return content;
}

void PinnedFolder::RemoveLeftOvers(const std::string& folder) {
  try {
    const PinnedFolder pinned(folder);
    std::error_code ignored;
    for (const std::string& name :
         NamesIn(pinned.PathOf("."), IsTemporary, &ignored)) {
      RemoveLeftOver(pinned.PathOf(name));
    }
  } catch (const FileError&) {
  }
}

}  // namespace cassandra_bloom::tools
