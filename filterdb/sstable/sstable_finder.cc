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
#include "plugin/filter_db/split.h"

namespace cassandra_bloom::tools {
namespace {

// Older versions of ScyllaDB first write each SSTable in a folder named
// GENERATION.sstable (sstables::tempdir_extension).
bool IsFolderOfUnfinished(std::string_view folder) {
  constexpr std::string_view kEnd = ".sstable";
  return EndsWith(folder, kEnd) && FileNameOf(folder).size() > kEnd.size();
}

// In versions before `ma`, the file names of an SSTable that is being written
// have "tmp" or "tmplink" before the version. In versions before `la`, the
// names begin with keyspace and table. So the second word may also be a table
// called "tmp", which is no such mark (Descriptor.fromFilename of Cassandra
// 2.1).
bool IsNameOfUnfinished(std::string_view name_prefix) {
  std::vector<std::string_view> words = Split(name_prefix, '-');
  words.pop_back();  // What follows the last "-".
  const bool since_la =
      !words.empty() && (words.back() == "big" || words.back() == "bti");
  const size_t from_version_on = since_la ? 3 : 2;
  if (words.size() <= from_version_on) {
    return false;
  }
  const size_t before_version = words.size() - from_version_on;
  const std::string_view mark = words[before_version - 1];
  return (mark == "tmp" || mark == "tmplink") &&
         (since_la || before_version != 2);
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

bool IsMainComponent(std::string_view component) {
  return std::find(std::begin(kMainComponents), std::end(kMainComponents),
                   component) != std::end(kMainComponents);
}

bool IsDenied() { return errno == EACCES || errno == EPERM; }

}  // namespace

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

FolderListing ListFolder(const std::string& folder, bool node_is_down,
                         std::error_code* failure) {
  FolderListing listing;
  listing.other_names = NamesIn(
      folder,
      [&listing](const std::string& name) {
        const auto parsed = ParseComponentName(name);
        if (parsed && IsMainComponent(parsed->component)) {
          listing.sstables.insert(parsed->name_prefix);
        }
        return !parsed;
      },
      failure);
  std::sort(listing.other_names.begin(), listing.other_names.end());
  if (!listing.sstables.empty()) {
    listing.logs = ReadTransactionLogs(
        folder, node_is_down ? &listing.other_names : nullptr);
  }
  return listing;
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
    Sstable sstable(folder_, *left_.begin());
    left_.erase(left_.begin());
    sstable.is_in_use = is_in_use_;
    SetState(listing_.logs, &sstable);
    const std::string denied =
        sstable.state == SstableState::kLive ? sstable.DeniedPath() : "";
    if (denied.empty()) {
      return sstable;
    }
    // Nothing else is found out about it, because its faults would be those of
    // the user.
    FailAt(denied, "cannot open");
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
  // A link is not followed, because mend would change files that no PATH names.
  // Nothing is said about a link to a folder that was searched anyway.
  for (const std::string& link : links_) {
    struct stat status;
    if (stat(link.c_str(), &status) != 0 ||
        searched_.count({status.st_dev, status.st_ino}) == 0) {
      on_error_(link +
                ": a link, which is not followed; to look into it, give " +
                RealPath(link) + " as PATH, too");
    }
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
  if (listing_.sstables.count(parsed->name_prefix) != 0) {
    left_.insert(parsed->name_prefix);
  }
}

void SstableFinder::BeginFolder(Folder folder) {
  FolderId id;
  if (!IdOf(folder.path, &id) || !searched_.insert(id).second) {
    return;
  }
  List(folder.path, id);
  for (const std::string& name_prefix : listing_.sstables) {
    if (by_file_.count({id, name_prefix}) == 0) {
      left_.insert(left_.end(), name_prefix);
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
    // An empty folder does not count, because Cassandra makes a folder
    // "backups" for each table.
    std::error_code failure;
    if (!std::filesystem::is_empty(path, failure) || failure) {
      ++left_out_[name];
    }
  } else if (is_link) {
    links_.push_back(path);
  } else if (name != "lost+found") {  // Of ext4, for root alone.
    folders_.push_back({path, folder.in_table || IsTableFolderName(name)});
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
