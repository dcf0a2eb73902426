// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/sstable_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter_db/sstable_version.h"
#include "plugin/io/file_io.h"
#include "tools/sstable/transaction_logs.h"

namespace cassandra_bloom::tools {
namespace {

// Of all versions (SSTableFormat.Components, BigFormat, BtiFormat; Component of
// Cassandra 3.11), except those of secondary indexes.
constexpr std::string_view kComponents[] = {
    "Data.db",        "Index.db",    "Partitions.db",
    "Rows.db",        "Filter.db",   "Statistics.db",
    "Summary.db",     "CRC.db",      "CompressionInfo.db",
    "Digest.adler32", "Digest.sha1", "Digest.crc32",
    "Scylla.db",      "TOC.txt",     "TOC.txt.tmp"};

// A folder with one of these has an SSTable; the other components may be
// leftovers.
constexpr std::string_view kMainComponents[] = {"Data.db", "Index.db",
                                                "Partitions.db", "Filter.db"};

template <typename Array>
bool IsOneOf(const Array& array, std::string_view text) {
  return std::find(std::begin(array), std::end(array), text) != std::end(array);
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() > end.size() &&
         text.substr(text.size() - end.size()) == end;
}

// "SI_name.db", and "SAI+aa+name+Meta.db" and the like.
bool IsOfSecondaryIndex(std::string_view component) {
  return (component.rfind("SI_", 0) == 0 || component.rfind("SAI+", 0) == 0) &&
         EndsWith(component, ".db");
}

// Before version `ma`, an SSTable that is being written has "tmp" in its names,
// or "tmplink" if it can be read already (Descriptor.Type of Cassandra 2.x).
bool IsTemporary(std::string_view sstable) {
  return sstable.rfind("tmp-", 0) == 0 || sstable.rfind("tmplink-", 0) == 0 ||
         Contains(sstable, "-tmp-") || Contains(sstable, "-tmplink-");
}

// ScyllaDB once wrote each SSTable in a folder of its own first, named
// GENERATION.sstable (sstables::tempdir_extension).
bool IsFolderOfUnfinished(std::string_view folder) {
  return EndsWith(folder, ".sstable");
}

std::string NameOf(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string WithoutSlashesAtEnd(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

class Finder {
 public:
  explicit Finder(const FindOptions& options) : options_(options) {}

  void Find(const std::string& operand) {
    const std::string path = WithoutSlashesAtEnd(operand);
    struct stat status;
    if (stat(path.c_str(), &status) != 0) {
      FailAt(path, "cannot open");
    } else if (S_ISDIR(status.st_mode)) {
      FindInFolder(path, /*below=*/"");
    } else {
      FindByFile(path);
    }
  }

  FoundSstables TakeFound() { return std::move(found_); }

 private:
  using Components = std::set<std::string>;

  struct Listing {
    std::map<std::string, Components> sstables;
    std::vector<std::string> folders;
  };

  void FailAt(const std::string& path, const char* what) {
    std::string error;
    FailWithErrno(path, what, &error);
    found_.errors.push_back(error);
  }

  bool IsSkipped(const std::string& name) const {
    return (name == "snapshots" && !options_.snapshots) ||
           (name == "backups" && !options_.backups);
  }

  bool List(const std::string& folder, Listing* listing) {
    std::error_code failure;
    const auto names = NamesIn(
        folder, [](const std::string&) { return true; }, &failure);
    for (const std::string& name : names) {
      const auto parsed = ParseComponentName(name);
      if (parsed) {
        listing->sstables[parsed->sstable].insert(parsed->component);
        continue;
      }
      struct stat status;
      if (!IsSkipped(name) &&
          stat((folder + "/" + name).c_str(), &status) == 0 &&
          S_ISDIR(status.st_mode)) {
        listing->folders.push_back(name);
      }
    }
    std::sort(listing->folders.begin(), listing->folders.end());
    // A folder that vanishes meanwhile belonged to a table that was dropped.
    if (failure && failure != std::errc::no_such_file_or_directory) {
      errno = failure.value();
      FailAt(folder, "cannot list the folder");
    }
    return !failure;
  }

  // Reads each folder once, so links that lead in a circle do no harm.
  bool IsFirstVisit(const std::string& folder) {
    struct stat status;
    return stat(folder.c_str(), &status) == 0 &&
           visited_.emplace(status.st_dev, status.st_ino).second;
  }

  void FindInFolder(const std::string& folder, const std::string& below) {
    Listing listing;
    if (!IsFirstVisit(folder) ||
        (!List(folder, &listing) && listing.sstables.empty())) {
      return;
    }
    AddSstables(folder, below, listing.sstables);
    for (const std::string& name : listing.folders) {
      FindInFolder(folder + "/" + name,
                   below.empty() ? name : below + "/" + name);
    }
  }

  void FindByFile(const std::string& path) {
    const auto parsed = ParseComponentName(NameOf(path));
    if (!parsed) {
      found_.errors.push_back(
          path + ": not a component of an SSTable, such as nb-1-big-Data.db");
      return;
    }
    Listing listing;
    const std::string folder = WithoutSlashesAtEnd(FolderOf(path));
    if (!List(folder, &listing)) {
      return;
    }
    const auto sstable = listing.sstables.find(parsed->sstable);
    if (sstable != listing.sstables.end()) {
      AddSstables(folder, /*below=*/"", {*sstable});
    }
  }

  void AddSstables(const std::string& folder, const std::string& below,
                   const std::map<std::string, Components>& sstables) {
    if (sstables.empty()) {
      return;
    }
    const TransactionLogs logs = ReadTransactionLogs(folder);
    FailAtLogs(logs);
    for (const auto& [sstable, components] : sstables) {
      const bool is_sstable = std::any_of(
          components.begin(), components.end(), [](const std::string& name) {
            return IsOneOf(kMainComponents, name);
          });
      if (is_sstable && IsFirstTime(folder, sstable)) {
        AddSstable(folder, below, sstable, components, logs);
      }
    }
  }

  // Each once: a folder is looked into for each of its files that is an
  // operand.
  void FailAtLogs(const TransactionLogs& logs) {
    for (const std::string& error : logs.errors) {
      if (failed_logs_.insert(error).second) {
        found_.errors.push_back(
            error +
            "; so SSTables of its folder may be incomplete or obsolete");
      }
    }
  }

  // A file may be an operand beside its folder.
  bool IsFirstTime(const std::string& folder, const std::string& sstable) {
    struct stat status;
    return stat(folder.c_str(), &status) != 0 ||
           seen_.emplace(status.st_dev, status.st_ino, sstable).second;
  }

  void AddSstable(const std::string& folder, const std::string& below,
                  const std::string& sstable, const Components& components,
                  const TransactionLogs& logs) {
    SstableFiles files;
    files.folder = folder;
    files.folder_below = below;
    files.sstable = sstable;
    std::string ignored_error;
    if (!SstableVersionOfFileName(sstable + "Data.db", &files.version,
                                  &ignored_error)) {
      files.version.clear();
    }
    if (logs.obsolete.count(sstable) != 0) {
      files.state = SstableState::kObsolete;
    } else if (logs.being_written.count(sstable) != 0 ||
               components.count("TOC.txt.tmp") != 0 || IsTemporary(sstable) ||
               IsFolderOfUnfinished(folder)) {
      files.state = SstableState::kBeingWritten;
    }
    files.time_is_logged = logs.with_times.count(sstable) != 0;
    files.unread_log = logs.errors.empty() ? "" : logs.errors.front();
    found_.sstables.push_back(std::move(files));
  }

  const FindOptions options_;
  std::set<std::pair<dev_t, ino_t>> visited_;
  std::set<std::tuple<dev_t, ino_t, std::string>> seen_;
  std::set<std::string> failed_logs_;
  FoundSstables found_;
};

}  // namespace

std::optional<ComponentName> ParseComponentName(std::string_view name) {
  const size_t end = name.find_last_of('-');
  if (end == std::string_view::npos || end == 0) {
    return std::nullopt;
  }
  const std::string_view component = name.substr(end + 1);
  if (!IsOneOf(kComponents, component) && !IsOfSecondaryIndex(component)) {
    return std::nullopt;
  }
  return ComponentName{std::string(name.substr(0, end + 1)),
                       std::string(component)};
}

std::string SstableFiles::IndexPath() const {
  const std::string trie = Path("Partitions.db");
  return HasTrieIndex(version) || FileExists(trie) ? trie : Path("Index.db");
}

FoundSstables FindSstables(const std::vector<std::string>& operands,
                           const FindOptions& options) {
  Finder finder(options);
  for (const std::string& operand : operands) {
    finder.Find(operand);
  }
  return finder.TakeFound();
}

bool FileExists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

}  // namespace cassandra_bloom::tools
