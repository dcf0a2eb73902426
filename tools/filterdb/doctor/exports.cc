// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/doctor/exports.h"

#include <rocksdb/convenience.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/export/database_exporter.h"
#include "plugin/export/folder/folder.h"
#include "plugin/export/listener.h"
#include "plugin/export/live_ssts.h"
#include "plugin/export/read_only_env.h"
#include "tools/filterdb/output.h"

namespace cassandra_bloom::tools {

namespace fs = std::filesystem;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::ObjectRegistry;
using ROCKSDB_NAMESPACE::Status;

namespace {

ConfigOptions Config() {
  ConfigOptions config;
  config.env = ReadOnlyEnv();
  config.ignore_unknown_options = true;
  config.registry = ObjectRegistry::NewInstance();
  config.registry->AddLibrary("cassandra_bloom", register_cassandra_bloom, "");
  return config;
}

bool Has(const std::vector<ExportTarget>& targets, const std::string& folder) {
  return std::any_of(targets.begin(), targets.end(), [&](const auto& target) {
    std::error_code ignored;
    return fs::weakly_canonical(target.out_dir, ignored) ==
           fs::weakly_canonical(folder, ignored);
  });
}

// ---- OPTIONS files ----

struct Listeners {
  std::vector<ExportTarget> targets;  // Those of cassandra_bloom's listeners.
  std::string error;
};

// Returns the names of the OPTIONS files, newest first. RocksDB keeps two.
std::vector<std::string> OptionsFiles(const std::string& db) {
  constexpr std::string_view kPrefix = "OPTIONS-";
  std::map<uint64_t, std::string, std::greater<>> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(db, ignored)) {
    const std::string name = entry.path().filename();
    uint64_t number = 0;
    const char* const end = name.data() + name.size();
    if (entry.is_regular_file(ignored) && name.rfind(kPrefix, 0) == 0 &&
        std::from_chars(name.data() + kPrefix.size(), end, number).ptr == end) {
      names[number] = name;
    }
  }
  std::vector<std::string> newest;
  for (const auto& named : names) {
    newest.push_back(named.second);
  }
  return newest;
}

std::string ListenersIn(const std::string& options_file) {
  constexpr std::string_view kOption = "listeners=";
  std::ifstream file(options_file);
  for (std::string line; std::getline(file, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.rfind(kOption, 0) == 0) {
      return line.substr(kOption.size());
    }
  }
  return "";
}

// Returns the export listeners that the OPTIONS file names. Outer braces around
// the whole list are removed first, as RocksDB 11.8 and later does
// (OptionTypeInfo::StripOuterBraces).
Listeners Meant(const std::string& options_file) {
  std::string text = ListenersIn(options_file);
  Listeners listeners;
  if (text.find(kExportListenerName) == std::string::npos) {
    return listeners;
  }
  std::vector<std::string> in_braces;
  if (SplitListeners(text, &in_braces, &listeners.error) &&
      in_braces.size() == 1) {
    text = in_braces[0];
  }
  FilterDbExportListener ours(text);
  const Status status = ours.ConfigureFromMap(Config(), {});
  listeners.targets = ours.targets();
  listeners.error = status.ok() ? "" : status.getState();
  return listeners;
}

// Returns the export listeners that this RocksDB creates from the newest
// OPTIONS file.
Listeners Loaded(const std::string& db) {
  DBOptions options;
  std::vector<ColumnFamilyDescriptor> families;
  const Status status =
      ROCKSDB_NAMESPACE::LoadLatestOptions(Config(), db, &options, &families);
  Listeners listeners;
  if (!status.ok()) {
    listeners.error = status.ToString();
  }
  for (const auto& listener : options.listeners) {
    if (listener->Name() == kExportListenerName) {
      const auto& ours = static_cast<const FilterDbExportListener&>(*listener);
      listeners.targets.insert(listeners.targets.end(), ours.targets().begin(),
                               ours.targets().end());
    }
  }
  return listeners;
}

// ---- A folder of exported filters ----

// Returns the live SST files that have no up-to-date Filter.db in this folder.
// Adds the other live SST files to `*filtered`. Does not check SST files that
// are in `*filtered` already.
std::vector<std::string> Unfiltered(const ExaminedFolder& folder,
                                    const LiveSsts& live,
                                    std::set<std::string>* filtered) {
  std::vector<std::string> unfiltered;
  FilterForm form;
  std::string ignored;
  FormOfSstableVersion(folder.sstable_version, &form, &ignored);
  const FolderMark mark = ReadFolderMark(folder.folder).value_or(FolderMark());
  for (const LiveSst& file : live.files) {
    if (filtered->count(file.path) > 0 ||
        IsUpToDate(mark,
                   folder.folder + "/" +
                       FilterDbName(folder.sstable_version, file.number),
                   form, file.path)) {
      filtered->insert(file.path);
    } else {
      unfiltered.push_back(file.path);
    }
  }
  return unfiltered;
}

std::string ShellWord(const std::string& text) {
  constexpr char kPlain[] =
      "/._-=:,0123456789"
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  if (text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return word + "'";
}

// Returns the options with which `filterdb export` makes filters as `asked`
// says (FilterContents::asked). A space precedes each option.
std::string OptionsThatAsk(const std::string& asked) {
  std::string options;
  std::istringstream words(asked);
  for (std::string word; words >> word;) {
    if (word == "live_keys_only") {
      options += " --live-keys-only";
    } else if (word.rfind("partition_key=", 0) == 0) {
      const std::string value = word.substr(word.find('=') + 1);
      options +=
          value == "default" ? "" : " " + ShellWord("--partition-key=" + value);
    } else {
      options += " " + ShellWord("--" + word);
    }
  }
  return options;
}

// Returns the `filterdb export` command that brings `folder` up to date.
// `asked` says how the filters in the folder are made (FilterContents::asked).
// For filters that a listener makes, `asked` is "".
std::string SyncCommand(const NamedDatabase& database,
                        const ExaminedFolder& folder,
                        const std::string& asked) {
  const std::string& version = folder.sstable_version;
  std::string command =
      "filterdb export --sync " + ShellWord("--db=" + database.db);
  for (const std::string& path : database.db_paths) {
    command += " " + ShellWord("--db-path=" + path);
  }
  return command + " " + ShellWord("--out-dir=" + folder.folder) +
         " --sstable-version=" + (version.empty() ? "VERSION" : version) +
         OptionsThatAsk(asked);
}

void CountFilters(const NamedDatabase& database, const std::string& asked,
                  ExaminedFolder* folder) {
  std::vector<std::string> unfiltered;
  std::set<std::string> filtered;
  // Lists the files several times, because a listener of a running database may
  // still be writing filters.
  constexpr int kListings = 5;
  for (int listing = 1; listing <= kListings; ++listing) {
    const LiveSsts live = ListLiveSsts(database);
    unfiltered = Unfiltered(*folder, live, &filtered);
    folder->live = live.files.size();
    folder->filtered = folder->live - unfiltered.size();
    if (unfiltered.empty()) {
      return;
    }
    if (listing < kListings) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }
  folder->diagnoses.push_back(
      {"live SST files without an up-to-date Filter.db in " + folder->folder +
           ": it is missing, or the mark of the folder does not say that it "
           "was made from this SST file",
       SyncCommand(database, *folder, asked) +
           (folder->fed
                ? "; the listener writes missing ones at the next flush, "
                  "compaction or ingestion, or says in the LOG why it cannot"
                : ""),
       /*fault=*/true, unfiltered});
}

// Returns the SSTable versions that the mark file of an export folder names.
// Returns only the version "" if there is no mark file, or no version in it.
// Returns no version if `folder` is empty.
std::vector<std::string> VersionsIn(const std::string& folder) {
  std::vector<std::string> versions;
  if (const auto mark = ReadFolderMark(folder)) {
    for (const auto& held : mark->contents) {
      versions.push_back(held.first);
    }
  }
  if (versions.empty() && !folder.empty()) {
    versions.push_back("");
  }
  return versions;
}

void Examine(const NamedDatabase& database, ExaminedFolder* folder) {
  const LiveSsts live = ListLiveSsts(database);
  folder->live = live.files.size();
  const auto add = [&](const std::string& what, const std::string& to_do) {
    folder->diagnoses.push_back({what, to_do});
  };
  std::string error;
  const auto mark = ReadFolderMark(folder->folder);
  const std::string& version = folder->sstable_version;
  const std::string found = mark && SpeaksFor(*mark, version)
                                ? ""
                                : FilterDbIn(folder->folder, version);
  const std::string asked = mark && mark->contents.count(version) > 0
                                ? mark->contents.at(version).asked
                                : "";
  if (mark && !IsMarkOf(*mark, live.database)) {
    add(folder->folder + ": is marked as that of another database, " +
            mark->database + ". This one is " + live.database +
            ", made anew, restored, moved or copied: nothing is written there",
        "to use the folder for this database, remove " +
            FolderMarkPath(folder->folder) +
            " and have all filters made anew: " +
            SyncCommand(database, *folder, folder->fed ? "" : asked) +
            " --force; otherwise choose another folder");
  } else if (!found.empty()) {
    add(folder->folder + ": has filters that no export recorded as its own, " +
            "such as " + found + ": nothing is written there",
        "choose another folder, or take this one over: " +
            SyncCommand(database, *folder, "") + " --force");
  } else if (!mark) {
    if (folder->live > 0) {
      add(folder->folder +
              ": is not there, or not marked as the folder of a "
              "database: no filters were ever synchronised into it",
          "make sure that it can be created and written to; it is filled at "
          "the next flush, compaction or ingestion, or by filterdb export "
          "--sync");
    }
  } else if (!CheckHoldsNoSstables(folder->folder, &error)) {
    add(error, "choose another folder");
  } else {
    const std::string listeners = ContentsOf({}, live).asked;
    if (folder->fed && !asked.empty() && asked != listeners) {
      add(folder->folder + ": holds filters made with " + asked +
              ". The listener makes them with " + listeners +
              ", and does not touch these",
          "give the listener another folder, or have all filters made anew: " +
              SyncCommand(database, *folder, "") + " --force");
    }
    if (!version.empty()) {
      CountFilters(database, asked, folder);
    } else if (folder->live > 0) {
      add(folder->folder +
              ": the mark does not say of which version its filters are, so "
              "they were not examined",
          SyncCommand(database, *folder, ""));
    }
  }
}

}  // namespace

std::vector<ExaminedFolder> ExamineExports(const NamedDatabase& database,
                                           const std::string& export_dir) {
  const std::string& db = database.db;
  const std::vector<std::string> files = OptionsFiles(db);
  const std::string latest = files.empty() ? "" : files[0];
  const Listeners meant =
      latest.empty() ? Listeners() : Meant(db + "/" + latest);
  const Listeners before =
      files.size() < 2 ? Listeners() : Meant(db + "/" + files[1]);
  const Listeners loaded = Loaded(db);
  std::vector<ExaminedFolder> folders;
  const auto add = [&](const std::string& path, const std::string& version) {
    ExaminedFolder folder;
    folder.folder = path;
    folder.sstable_version = version;
    folder.fed = Has(loaded.targets, path);
    Examine(database, &folder);
    folders.push_back(folder);
    return &folders.back();
  };
  if (!meant.error.empty() && !loaded.error.empty()) {
    folders.emplace_back();
    folders.back().diagnoses.push_back(
        {latest +
             ": its export listener is refused, and so is the whole file: " +
             meant.error,
         "correct listeners= in it"});
  }
  for (const ExportTarget& target : meant.targets) {
    ExaminedFolder* const folder = add(target.out_dir, target.sstable_version);
    if (!folder->fed && meant.error.empty()) {
      folder->diagnoses.push_back(
          {latest + ": names an export listener for " + target.out_dir +
               ", but this RocksDB creates none when it reads this text" +
               (loaded.error.empty() ? "" : ": " + loaded.error),
           "write listeners={" + ExportId(meant.targets) +
               "} there, or add the listener in the program "
               "(NewFilterDbExportListener)"});
    }
  }
  for (const ExportTarget& target : before.targets) {
    const auto mark = ReadFolderMark(target.out_dir);
    if (!Has(meant.targets, target.out_dir) && mark &&
        IsMarkOf(*mark, ListLiveSsts(database).database)) {
      add(target.out_dir, target.sstable_version)
          ->diagnoses.push_back(
              {files[1] + ": had an export listener for " + target.out_dir +
                   ", which is marked as that of this database; " + latest +
                   ", which is newer, has none: its filters fall behind",
               "open the database with listeners={" + ExportId({target}) +
                   "}, or remove the folder"});
    }
  }
  for (const std::string& version : VersionsIn(export_dir)) {
    const bool is_known =
        std::any_of(folders.begin(), folders.end(), [&](const auto& folder) {
          return Has({{folder.folder, ""}}, export_dir) &&
                 (version.empty() || folder.sstable_version == version);
        });
    if (!is_known) {
      add(export_dir, version)
          ->diagnoses.push_back(
              {latest + ": has no export listener for " + export_dir +
                   (version.empty() ? "" : " and version " + version),
               "open the database with one, or run filterdb export --sync "
               "after each change",
               /*fault=*/false});
    }
  }
  return folders;
}

}  // namespace cassandra_bloom::tools
