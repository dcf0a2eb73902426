// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/sstable_finder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <set>
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

class Finder {
 public:
  FoundSstables Find(const std::vector<std::string>& operands) {
    for (const std::string& operand : operands) {
      const std::string path = WithoutSlashesAtEnd(operand);
      is_empty_ = true;
      FindIn(path);
      if (is_empty_) {
        found_.errors.push_back(path + ": no SSTables in it");
      }
    }
    for (const std::string& link : links_) {
      NameLink(link);
    }
    return std::move(found_);
  }

 private:
  using Components = std::set<std::string>;

  // Sorts nb-2-big before nb-10-big.
  struct ByGeneration {
    bool operator()(const std::string& a, const std::string& b) const {
      return strverscmp(a.c_str(), b.c_str()) < 0;
    }
  };

  struct Folder {
    std::string path;
    std::string below;      // The path relative to the operand.
    bool in_table = false;  // A table's folder, or a folder in it.
  };

  // What a folder has. It is listed only once, even if two operands lead to it,
  // and because a shell may expand "*" to thousands of its files.
  struct Listing {
    // By the name prefix.
    std::map<std::string, Components, ByGeneration> sstables;
    std::vector<std::string> other_names;
    TransactionLogs logs;
    std::set<std::string> added;  // The SSTables that are in the result.
    bool is_searched = false;     // With all folders in it.
  };

  // What identifies a folder, by whatever path: its device and inode.
  using FolderId = std::pair<dev_t, ino_t>;

  void Fail(const std::string& error) {
    is_empty_ = false;
    found_.errors.push_back(error);
  }

  void FailAt(const std::string& path, const char* what) {
    const bool is_denied = IsDenied();
    std::string error;
    FailWithErrno(path, what, &error);
    Fail(is_denied ? error + "; " + HowToRead(path) : error);
  }

  static bool IsDenied() { return errno == EACCES || errno == EPERM; }

  void FindIn(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0) {
      FailAt(path, "cannot open");
    } else if (S_ISDIR(status.st_mode)) {
      FindInFolder(
          {path, /*below=*/"", IsTableFolderName(FileNameOf(RealPath(path)))});
    } else {
      FindByFile(path);
    }
  }

  void FindByFile(const std::string& path) {
    const auto parsed = ParseComponentName(FileNameOf(path));
    if (!parsed) {
      Fail(path + ": not a component of an SSTable, such as nb-1-big-Data.db");
      return;
    }
    const std::string folder = WithoutSlashesAtEnd(FolderOf(path));
    Listing* const listing = List(folder);
    if (listing != nullptr &&
        listing->sstables.count(parsed->name_prefix) != 0) {
      AddSstable({folder, /*below=*/""}, parsed->name_prefix, listing);
    }
  }

  void FindInFolder(Folder folder) {
    Listing* const listing = List(folder.path);
    if (listing == nullptr || listing->is_searched) {
      is_empty_ &= listing == nullptr;
      return;
    }
    listing->is_searched = true;
    for (const auto& [name_prefix, components] : listing->sstables) {
      AddSstable(folder, name_prefix, listing);
    }
    folder.in_table |= !listing->sstables.empty();
    for (const std::string& name : listing->other_names) {
      FindInEntry(folder, name);
    }
  }

  void FindInEntry(const Folder& folder, const std::string& name) {
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
      is_empty_ = false;
      links_.push_back(path);
    } else {
      FindInFolder({path,
                    folder.below.empty() ? name : folder.below + "/" + name,
                    folder.in_table || IsTableFolderName(name)});
    }
  }

  // Counts a folder that is not searched. An empty folder does not count,
  // because Cassandra makes a folder "backups" for each table.
  void LeaveOut(const std::string& path, const std::string& name) {
    std::error_code failure;
    if (!std::filesystem::is_empty(path, failure) || failure) {
      ++found_.left_out[name];
    }
  }

  // A link is not followed, because mend would change files that no PATH names.
  // Nothing is said about a link to a folder that was searched anyway.
  void NameLink(const std::string& path) {
    struct stat status;
    const bool is_there = stat(path.c_str(), &status) == 0;
    const auto found = is_there ? listings_.find({status.st_dev, status.st_ino})
                                : listings_.end();
    if (found == listings_.end() || !found->second.is_searched) {
      Fail(path + ": a link, which is not followed; to look into it, give " +
           RealPath(path) + " as PATH, too");
    }
  }

  // Returns nullptr if the folder cannot be entered. It is no error if the
  // folder has vanished, because a table may be dropped.
  Listing* List(const std::string& folder) {
    struct stat status;
    if (stat((folder + "/.").c_str(), &status) != 0) {
      if (errno != ENOENT) {
        FailAt(folder, "cannot enter the folder");
      }
      return nullptr;
    }
    const auto [found, is_new] =
        listings_.try_emplace({status.st_dev, status.st_ino});
    Listing* const listing = &found->second;
    if (is_new) {
      Fill(folder, listing);
    }
    return listing;
  }

  // After a failure, `*listing` has the names that were found before.
  void Fill(const std::string& folder, Listing* listing) {
    std::error_code failure;
    auto names = NamesIn(
        folder, [](const std::string&) { return true; }, &failure);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const auto parsed = ParseComponentName(name);
      if (parsed) {
        listing->sstables[parsed->name_prefix].insert(parsed->component);
      } else {
        listing->other_names.push_back(name);
      }
    }
    if (failure && failure != std::errc::no_such_file_or_directory) {
      errno = failure.value();
      FailAt(folder, "cannot list the folder");
    }
    if (!listing->sstables.empty()) {
      listing->logs = ReadTransactionLogs(folder);
    }
    for (const std::string& error : listing->logs.errors) {
      Fail(error + "; so SSTables of its folder may be incomplete or obsolete");
    }
  }

  void AddSstable(const Folder& folder, const std::string& name_prefix,
                  Listing* listing) {
    const Components& components = listing->sstables[name_prefix];
    if (std::none_of(
            std::begin(kMainComponents), std::end(kMainComponents),
            [&](const char* name) { return components.count(name) != 0; })) {
      return;
    }
    is_empty_ = false;
    if (!listing->added.insert(name_prefix).second) {
      return;
    }
    Sstable sstable(folder.path, name_prefix);
    sstable.folder_below = folder.below;
    SetState(listing->logs, &sstable);
    if (sstable.state != SstableState::kLive || MayRead(sstable, components)) {
      found_.sstables.push_back(std::move(sstable));
    }
  }

  // Returns whether this user may read all files of an SSTable. Nothing else is
  // found out about one that the user may not read, because its faults would be
  // those of the user.
  bool MayRead(const Sstable& sstable, const Components& components) {
    for (const std::string& component : components) {
      const std::string path = sstable.Path(component);
      if (access(path.c_str(), R_OK) != 0 && IsDenied()) {
        FailAt(path, "cannot open");
        return false;
      }
    }
    return true;
  }

  // Whether the present operand has led to no SSTable and no error.
  bool is_empty_ = true;
  std::vector<std::string> links_;  // To folders.
  std::map<FolderId, Listing> listings_;
  FoundSstables found_;
};

}  // namespace

FoundSstables FindSstables(const std::vector<std::string>& operands) {
  return Finder().Find(operands);
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
