// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/sstable_finder.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/sstable/transaction_logs.h"
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

// Returns true for /proc, /sys and the folders in them.
bool IsOfKernel(const std::string& folder) {
  struct statfs status;
  return statfs(folder.c_str(), &status) == 0 &&
         (status.f_type == PROC_SUPER_MAGIC || status.f_type == SYSFS_MAGIC);
}

std::string WithoutSlashesAtEnd(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

class Finder {
 public:
  void Find(const std::vector<std::string>& operands) {
    for (const std::string& operand : operands) {
      operands_.push_back({WithoutSlashesAtEnd(operand)});
    }
    for (Operand& operand : operands_) {
      operand_ = &operand;
      FindIn(operand.path);
    }
    for (const Link& link : links_) {
      operand_ = link.operand;
      NameLink(link.path);
    }
    for (const Operand& operand : operands_) {
      if (operand.is_empty) {
        found_.errors.push_back(operand.path + ": no SSTables in it");
      }
    }
  }

  FoundSstables TakeFound() { return std::move(found_); }

 private:
  using Components = std::set<std::string>;

  struct Operand {
    std::string path;
    bool is_empty = true;  // No SSTable and no error was found.
  };

  struct Folder {
    std::string path;
    std::string real_path;  // The absolute path, without links.
    std::string below;      // The path relative to the operand.
    bool in_table;          // A table's folder, or a folder in it.
  };

  struct Link {
    Operand* operand;
    std::string path;
  };

  struct Listing {
    std::map<std::string, Components> sstables;
    std::vector<std::string> other_names;
  };

  // A folder whose files are command-line operands.
  struct FolderOfFiles {
    Listing listing;
    TransactionLogs logs;
  };

  void Fail(const std::string& error) {
    operand_->is_empty = false;
    found_.errors.push_back(error);
  }

  void FailAt(const std::string& path, const char* what) {
    std::string error;
    FailWithErrno(path, what, &error);
    Fail(error);
  }

  void FindIn(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0) {
      FailAt(path, "cannot open");
    } else if (S_ISDIR(status.st_mode)) {
      const std::string target = RealPath(path);
      FindInFolder(
          {path, target, /*below=*/"", IsTableFolderName(FileNameOf(target))});
    } else {
      FindByFile(path);
    }
  }

  static bool IsLeftOut(const std::string& name) {
    return name == "snapshots" || name == "backups";
  }

  // Counts a folder that is not searched. An empty folder does not count,
  // because Cassandra makes a folder "backups" for each table.
  void LeaveOut(const std::string& path, const std::string& name) {
    std::error_code failure;
    if (!std::filesystem::is_empty(path, failure) || failure) {
      ++found_.left_out[name];
    }
  }

  // After a failure, `*listing` has the names that were found before.
  bool List(const std::string& folder, Listing* listing) {
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
    // It is no error if the folder has vanished, because a table may be
    // dropped.
    if (failure && failure != std::errc::no_such_file_or_directory) {
      errno = failure.value();
      FailAt(folder, "cannot list the folder");
    }
    return !failure;
  }

  // Each folder is read only once, even if two operands lead to it.
  bool IsFirstVisit(const std::string& folder) {
    struct stat status;
    if (stat(folder.c_str(), &status) != 0) {
      if (errno != ENOENT) {
        FailAt(folder, "cannot open");
      }
      return false;
    }
    return visited_.emplace(status.st_dev, status.st_ino).second;
  }

  void FindInFolder(Folder folder) {
    if (!IsFirstVisit(folder.path)) {
      operand_->is_empty = false;
      return;
    }
    if (IsOfKernel(folder.path)) {
      ++found_.left_out[std::string(FileNameOf(folder.path))];
      return;
    }
    Listing listing;
    if (!List(folder.path, &listing) && listing.sstables.empty()) {
      return;
    }
    if (!listing.sstables.empty()) {
      AddSstables(folder, listing.sstables, ReadLogs(folder.path));
    }
    folder.in_table |= !listing.sstables.empty();
    // One error for the folder is enough, because each name would give the same
    // error.
    bool has_failed = false;
    for (const std::string& name : listing.other_names) {
      FindInEntry(folder, name, &has_failed);
    }
  }

  void FindInEntry(const Folder& folder, const std::string& name,
                   bool* has_failed) {
    const std::string path = folder.path + "/" + name;
    struct stat status;
    if (lstat(path.c_str(), &status) != 0) {
      if (errno != ENOENT && !*has_failed) {
        FailAt(folder.path, "cannot look at what is in the folder");
        *has_failed = true;
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
    if (folder.in_table && IsLeftOut(name)) {
      LeaveOut(path, name);
    } else if (is_link) {
      links_.push_back({operand_, path});
    } else {
      FindInFolder(
          {path, (std::filesystem::path(folder.real_path) / name).string(),
           BelowOf(folder, name), folder.in_table || IsTableFolderName(name)});
    }
  }

  static std::string BelowOf(const Folder& folder, const std::string& name) {
    return folder.below.empty() ? name : folder.below + "/" + name;
  }

  // A link is not followed, because mend would change files that no PATH names.
  // Nothing is said about a link to a folder that was searched anyway.
  void NameLink(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status) != 0) {
      FailAt(path, "cannot follow the link");
    } else if (visited_.count({status.st_dev, status.st_ino}) == 0) {
      Fail(path + ": a link, which is not followed; to look into it, give " +
           RealPath(path) + " as PATH, too");
    }
  }

  void FindByFile(const std::string& path) {
    const auto parsed = ParseComponentName(FileNameOf(path));
    if (!parsed) {
      Fail(path + ": not a component of an SSTable, such as nb-1-big-Data.db");
      return;
    }
    const std::string folder = WithoutSlashesAtEnd(FolderOf(path));
    const FolderOfFiles& all = ListOnce(folder);
    const auto sstable = all.listing.sstables.find(parsed->name_prefix);
    if (sstable != all.listing.sstables.end()) {
      AddSstables({folder, RealPath(folder), /*below=*/"", /*in_table=*/true},
                  {*sstable}, all.logs);
    }
  }

  // Lists a folder only once, because a shell may expand "*" to thousands of
  // files.
  const FolderOfFiles& ListOnce(const std::string& folder) {
    const auto [found, is_new] = listed_.try_emplace(folder);
    FolderOfFiles& all = found->second;
    Listing listing;
    if (is_new && List(folder, &listing)) {
      all.listing = std::move(listing);
      all.logs = ReadLogs(folder);
    }
    return all;
  }

  void AddSstables(const Folder& folder,
                   const std::map<std::string, Components>& sstables,
                   const TransactionLogs& logs) {
    for (const auto& [sstable, components] : sstables) {
      if (std::none_of(std::begin(kMainComponents), std::end(kMainComponents),
                       [&names = components](const char* name) {
                         return names.count(name) != 0;
                       })) {
        continue;
      }
      operand_->is_empty = false;
      // Another operand may already have led to this SSTable.
      if (seen_.emplace(folder.real_path, sstable).second) {
        AddSstable(folder, sstable, components, logs);
      }
    }
  }

  TransactionLogs ReadLogs(const std::string& folder) {
    TransactionLogs logs = ReadTransactionLogs(folder);
    for (const std::string& error : logs.errors) {
      // Another operand may already have led to this log.
      if (failed_logs_.insert(error).second) {
        Fail(error +
             "; so SSTables of its folder may be incomplete or obsolete");
      }
    }
    return logs;
  }

  void AddSstable(const Folder& folder, const std::string& name_prefix,
                  const Components& components, const TransactionLogs& logs) {
    Sstable sstable;
    sstable.folder = folder.path;
    sstable.folder_below = folder.below;
    sstable.name_prefix = name_prefix;
    std::string ignored_error;
    if (!SstableVersionOfFileName(name_prefix + "Data.db", &sstable.version,
                                  &ignored_error)) {
      sstable.version.clear();
    }
    if (logs.obsolete.count(name_prefix) != 0) {
      sstable.state = SstableState::kObsolete;
    } else if (logs.being_written.count(name_prefix) != 0 ||
               components.count("TOC.txt.tmp") != 0 ||
               IsNameOfUnfinished(name_prefix) ||
               IsFolderOfUnfinished(folder.path)) {
      sstable.state = SstableState::kBeingWritten;
    }
    sstable.time_is_logged = logs.with_times.count(name_prefix) != 0;
    sstable.unread_log = logs.errors.empty() ? "" : logs.errors.front();
    found_.sstables.push_back(std::move(sstable));
  }

  std::vector<Operand> operands_;
  Operand* operand_ = nullptr;  // The operand that is being searched.
  std::vector<Link> links_;
  std::set<std::pair<dev_t, ino_t>> visited_;
  std::set<std::pair<std::string, std::string>> seen_;
  std::map<std::string, FolderOfFiles> listed_;
  std::set<std::string> failed_logs_;
  FoundSstables found_;
};

}  // namespace

FoundSstables FindSstables(const std::vector<std::string>& operands) {
  Finder finder;
  finder.Find(operands);
  return finder.TakeFound();
}

}  // namespace cassandra_bloom::tools
