// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/examine.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "filterdb/commands/output.h"
#include "plugin/policy/running_rocksdb.h"
#include "tools/sst_filters/doctor/judge_filters.h"

namespace cassandra_bloom::tools {
namespace {

// With optimize_filters_for_hits, RocksDB asks no filter of the last level that
// has files (Version::IsFilterSkipped, db/version_set.cc).
void SkipLastLevel(Family* family) {
  const int last = family->levels.empty() ? 0 : family->levels.rbegin()->first;
  for (Sst& sst : family->ssts) {
    sst.is_skipped =
        family->options.filters_for_hits && last > 0 && sst.file.level == last;
  }
}

// Examines the SST files of one or more listings, each file only once.
class Examiner {
 public:
  Examiner(const std::string& db,
           const std::vector<std::string>& column_families)
      : db_(db),
        options_(db),
        wanted_(column_families.begin(), column_families.end()) {}

  // Returns false if a listed file does not exist. The caller must then call
  // Examine with a new listing. A file that does not exist in two listings is
  // reported as missing.
  bool Examine(const DatabaseListing& live) {
    AwaitOptions(live);
    std::map<std::string, FamilyOptions> options;
    for (const auto& known : live.column_families) {
      options.emplace(known.first, options_.Of(known.first));
    }
    bool all_there = true;
    for (const ListedSst& file : live.files) {
      if (ssts_.count(file.number) != 0 || !IsWanted(file.column_family)) {
        continue;
      }
      auto sst = ExamineSst(file, live, options.at(file.column_family));
      if (!sst && !gone_.insert(file.number).second) {
        sst = MissingSst(file);
      }
      if (sst) {
        ssts_.emplace(file.number, *sst);
      } else {
        all_there = false;
      }
    }
    return all_there;
  }

  // Returns the database as the newest listing `live` has it.
  Database Examined(const DatabaseListing& live) const {
    Database database;
    for (const auto& [name, settings] : live.column_families) {
      if (!IsWanted(name)) {
        database.left_out.push_back(name);
        continue;
      }
      Family family;
      family.name = name;
      family.options = options_.Of(name);
      family.is_only = live.column_families.size() == 1;
      for (const ListedSst& file : live.files) {
        if (file.column_family == name) {
          family.ssts.push_back(ssts_.at(file.number));
          // The newest listing has the right level, because a trivial move may
          // have changed the level.
          family.ssts.back().file = file;
        }
      }
      JudgeFilters(&family);
      for (const Sst& sst : family.ssts) {
        family.levels[sst.file.level].Add(sst.filter);
      }
      SkipLastLevel(&family);
      database.families.push_back(std::move(family));
    }
    return database;
  }

 private:
  // Waits for an OPTIONS file with all column families. A database writes this
  // file a moment after it creates a column family.
  void AwaitOptions(const DatabaseListing& live) {
    const auto knows = [this](const auto& family) {
      return options_.Knows(family.first);
    };
    const auto& families = live.column_families;
    constexpr int kAttempts = 100;
    for (int attempt = 0;
         attempt < kAttempts &&
         !std::all_of(families.begin(), families.end(), knows) &&
         MayBeInUse(db_);
         ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      options_ = OptionsFile(db_);
    }
  }

  bool IsWanted(const std::string& column_family) const {
    return wanted_.empty() || wanted_.count(column_family) != 0;
  }

  const std::string db_;
  OptionsFile options_;
  const std::set<std::string> wanted_;
  std::map<uint64_t, Sst> ssts_;
  std::set<uint64_t> gone_;
};

}  // namespace

DatabaseListing ListDatabase(const NamedDatabase& database) {
  DatabaseListing live;
  OrUnusable([&](std::string* error) {
    return cassandra_bloom::ListDatabase(database.db, database.db_paths,
                                         /*column_family=*/"", &live, error);
  });
  return live;
}

Database ExamineDatabase(const NamedDatabase& database,
                         const std::vector<std::string>& column_families) {
  if (!RocksdbReleaseMatches()) {
    throw Unusable(
        "filterdb was built for another release of RocksDB than this one");
  }
  const std::string& db = database.db;
  const FilesWatch watch(SstFoldersOf(db, database.db_paths));
  const auto list = [&] { return ListDatabase(database); };
  DatabaseListing live = list();
  for (const std::string& name : column_families) {
    if (live.column_families.count(name) == 0) {
      throw Unusable(NoSuchColumnFamily(db, name, live));
    }
  }
  Examiner examiner(db, column_families);
  // A compaction may remove listed files. A new listing has the files that
  // replaced them.
  constexpr int kListings = 20;
  for (int listing = 1; !examiner.Examine(live); ++listing) {
    if (listing == kListings) {
      throw Unusable(
          db + ": its files are removed faster than they can be examined");
    }
    live = list();
  }
  Database examined = examiner.Examined(live);
  examined.files = watch.Look(live, list);
  return examined;
}

}  // namespace cassandra_bloom::tools
