// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/sstable_finder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

// Older versions of ScyllaDB first write each SSTable in a folder named
// GENERATION.sstable (sstables::tempdir_extension).
bool IsFolderOfUnfinished(std::string_view folder) {
  constexpr std::string_view kEnd = ".sstable";
  return EndsWith(folder, kEnd) && FileNameOf(folder).size() > kEnd.size();
}

// Returns true for TABLE-ID, where ID has 32 hexadecimal digits. Cassandra has
// named the folders of tables like this since 2.1 (Directories.java).
bool IsTableFolderName(std::string_view name) {
  constexpr size_t kDigits = 32;
  return name.size() > kDigits + 1 && name[name.size() - kDigits - 1] == '-' &&
         name.find_last_not_of("0123456789abcdefABCDEF") ==
             name.size() - kDigits - 1;
}

// Returns the absolute path without links. On an error, returns `path` itself.
std::string RealPath(const std::string& path) {
  std::error_code failure;
  const std::filesystem::path real = std::filesystem::canonical(path, failure);
  return failure ? path : real.string();
}

std::string WithoutSlashesAtEnd(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

bool IsDenied() { return errno == EACCES || errno == EPERM; }

// Returns whether a node reads the SSTables of a folder, whose path is real.
// Cassandra and ScyllaDB make the folders upload, snapshots and backups in that
// of a table.
bool IsInUse(const std::string& folder) {
  const std::filesystem::path path = folder;
  std::string above;
  for (const auto& part : path) {
    const std::string name = part.string();
    if (IsTableFolderName(above) &&
        (name == "upload" || name == "snapshots" || name == "backups")) {
      return false;
    }
    above = name;
  }
  return true;
}

}  // namespace

FolderListing ListFolder(const std::string& folder, bool node_is_down,
                         std::error_code* failure) {
  FolderListing listing;
  listing.other_names = NamesIn(
      folder,
      [&listing](const std::string& name) {
        const auto parsed = ParseComponentName(name);
        if (parsed) {
          listing.sstables[parsed->name_prefix] |=
              ComponentBit(parsed->component);
        }
        return !parsed;
      },
      failure);
  std::sort(listing.other_names.begin(), listing.other_names.end());
  if (!listing.sstables.empty()) {
    listing.logs = node_is_down
                       ? ReadTransactionLogs(folder, listing.other_names)
                       : ReadTransactionLogs(folder);
  }
  return listing;
}

bool HasMainComponent(uint32_t components) {
  return std::any_of(std::begin(kMainComponents), std::end(kMainComponents),
                     [components](const char* name) {
                       return (components & ComponentBit(name)) != 0;
                     });
}

SstableFinder::SstableFinder(std::vector<std::string> operands,
                             OnError on_error)
    : on_error_(std::move(on_error)), operands_(std::move(operands)) {
  std::reverse(operands_.begin(), operands_.end());
}

std::optional<Sstable> SstableFinder::Next() {
  for (;;) {
    while (left_.empty()) {
      if (!NextListing()) {
        return std::nullopt;
      }
    }
    const auto [name_prefix, components] = *left_.begin();
    left_.erase(left_.begin());
    Sstable sstable(folder_, name_prefix);
    sstable.is_in_use = is_in_use_;
    SetState(listing_.logs, &sstable);
    if (sstable.state != SstableState::kLive || MayRead(sstable, components)) {
      return sstable;
    }
  }
}

// Returns false at the end. The next listing may have no SSTable.
bool SstableFinder::NextListing() {
  if (!folders_.empty()) {
    const Folder next = std::move(folders_.back());
    folders_.pop_back();
    BeginFolder(next);
    return true;
  }
  if (!operands_.empty()) {
    const std::string next = WithoutSlashesAtEnd(operands_.back());
    operands_.pop_back();
    BeginOperand(next);
    return true;
  }
  for (const std::string& link : links_) {
    NameLink(link);
  }
  links_.clear();
  return false;
}

void SstableFinder::FailAt(const std::string& path, const char* what) {
  const bool is_denied = IsDenied();
  std::string error;
  FailWithErrno(path, what, &error);
  on_error_(is_denied ? error + "; " + HowToRead(path) : error);
}

void SstableFinder::BeginOperand(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    FailAt(path, "cannot open");
  } else if (S_ISDIR(status.st_mode)) {
    BeginFolder({path, IsTableFolderName(FileNameOf(RealPath(path)))});
  } else {
    BeginFile(path);
  }
}

// A shell may expand "*" to thousands of files of a folder, which is listed
// only once.
void SstableFinder::BeginFile(const std::string& path) {
  const auto parsed = ParseComponentName(FileNameOf(path));
  if (!parsed) {
    on_error_(path +
              ": not a component of an SSTable, such as nb-1-big-Data.db");
    return;
  }
  const std::string folder = WithoutSlashesAtEnd(FolderOf(path));
  FolderId id;
  if (!IdOf(folder, &id) || searched_.count(id) != 0 ||
      !by_file_.emplace(id, parsed->name_prefix).second) {
    return;
  }
  if (id != listed_) {
    List(folder, id);
  }
  const auto found = listing_.sstables.find(parsed->name_prefix);
  if (found != listing_.sstables.end() && HasMainComponent(found->second)) {
    left_.insert(*found);
  }
}

void SstableFinder::BeginFolder(Folder folder) {
  FolderId id;
  if (!IdOf(folder.path, &id) || !searched_.insert(id).second) {
    return;
  }
  List(folder.path, id);
  for (const auto& [name_prefix, components] : listing_.sstables) {
    if (HasMainComponent(components) &&
        by_file_.count({id, name_prefix}) == 0) {
      left_.emplace_hint(left_.end(), name_prefix, components);
    }
  }
  folder.in_table |= !listing_.sstables.empty();
  const size_t begin = folders_.size();
  for (const std::string& name : listing_.other_names) {
    FindInEntry(folder, name);
  }
  std::reverse(folders_.begin() + static_cast<ptrdiff_t>(begin),
               folders_.end());
}

void SstableFinder::FindInEntry(const Folder& folder, const std::string& name) {
  const std::string path = folder.path + "/" + name;
  struct stat status;
  if (lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) {
      FailAt(path, "cannot open");
    }
    return;
  }
  const bool is_link = S_ISLNK(status.st_mode);
  if (is_link && stat(path.c_str(), &status) != 0) {
    FailAt(path, "cannot follow the link");
    return;
  }
  if (!S_ISDIR(status.st_mode)) {
    return;
  }
  if (folder.in_table && (name == "snapshots" || name == "backups")) {
    LeaveOut(path, name);
  } else if (is_link) {
    links_.push_back(path);
  } else if (name != "lost+found") {  // Of ext4, for root alone.
    folders_.push_back({path, folder.in_table || IsTableFolderName(name)});
  }
}

// Counts a folder that is not searched. An empty folder does not count, because
// Cassandra makes a folder "backups" for each table.
void SstableFinder::LeaveOut(const std::string& path, const std::string& name) {
  std::error_code failure;
  if (!std::filesystem::is_empty(path, failure) || failure) {
    ++left_out_[name];
  }
}

// A link is not followed, because mend would change files that no PATH names.
// Nothing is said about a link to a folder that was searched anyway.
void SstableFinder::NameLink(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 ||
      searched_.count({status.st_dev, status.st_ino}) == 0) {
    on_error_(path + ": a link, which is not followed; to look into it, give " +
              RealPath(path) + " as PATH, too");
  }
}

// Returns false if the folder cannot be entered. It is no error if the folder
// has vanished, because a table may be dropped.
bool SstableFinder::IdOf(const std::string& folder, FolderId* id) {
  struct stat status;
  if (stat((folder + "/.").c_str(), &status) != 0) {
    if (errno != ENOENT) {
      FailAt(folder, "cannot enter the folder");
    }
    return false;
  }
  *id = {status.st_dev, status.st_ino};
  return true;
}

void SstableFinder::List(const std::string& folder, const FolderId& id) {
  std::error_code failure;
  listing_ = ListFolder(folder, /*node_is_down=*/false, &failure);
  listed_ = id;
  folder_ = folder;
  is_in_use_ = IsInUse(RealPath(folder));
  if (failure && failure != std::errc::no_such_file_or_directory) {
    errno = failure.value();
    FailAt(folder, "cannot list the folder");
  }
  for (const std::string& error : listing_.logs.errors) {
    on_error_(error +
              "; so SSTables of its folder may be incomplete or obsolete");
  }
}

// Returns whether this user may read all files of an SSTable. Nothing else is
// found out about one that the user may not read, because its faults would be
// those of the user.
bool SstableFinder::MayRead(const Sstable& sstable, uint32_t components) {
  for (const std::string& component : ComponentsOf(components)) {
    const std::string path = sstable.Path(component);
    if (access(path.c_str(), R_OK) != 0 && IsDenied()) {
      FailAt(path, "cannot open");
      return false;
    }
  }
  return true;
}

void SetState(const TransactionLogs& logs, Sstable* sstable) {
  const std::string& name = sstable->name_prefix;
  const bool is_being_written =
      logs.being_written.count(name) != 0 || sstable->HasTemporaryToc() ||
      IsNameOfUnfinished(name) || IsFolderOfUnfinished(sstable->folder);
  sstable->state = logs.obsolete.count(name) != 0 ? SstableState::kObsolete
                   : is_being_written             ? SstableState::kBeingWritten
                                                  : SstableState::kLive;
  sstable->time_is_logged = logs.with_times.count(name) != 0;
  sstable->unread_log = logs.errors.empty() ? "" : logs.errors.front();
}

}  // namespace cassandra_bloom::tools
