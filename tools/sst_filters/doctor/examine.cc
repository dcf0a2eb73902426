// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/examine.h"

#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/iterator.h>
#include <rocksdb/metadata.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "filterdb/commands/progress_bar.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/policy/filter_name.h"
#include "tools/sst_filters/doctor/absent_keys.h"
#include "tools/sst_filters/export/read_only_env.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyMetaData;
using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::SstFileReader;
using ROCKSDB_NAMESPACE::Status;

namespace {

// A database with more SST files is examined by a sample of this size.
constexpr size_t kMostFiles = 2000;
// At least as many files of each level are in a sample.
constexpr size_t kLeastOfLevel = 20;

// How many random keys all filters together are asked for, and one at most.
constexpr uint64_t kRandomKeys = 4'000'000;
constexpr uint64_t kRandomKeysOfOne = 20'000;

// So many filters that RocksDB does not find are looked at for damage. For
// that, RocksDB must read the whole file.
constexpr int kMostVerified = 20;

constexpr int kListings = 10;

// The files of a column family, to find out which are its last. All of them,
// not only those of a sample.
class LastFiles {
 public:
  LastFiles(const Listing& listing, const std::string& column_family,
            const Comparator& comparator)
      : comparator_(comparator) {
    for (const LiveFileMetaData& file : listing.files) {
      if (file.column_family_name == column_family) {
        files_.push_back(&file);
        last_level_ = std::max(last_level_, file.level);
      }
    }
    // RocksDB lists the oldest file of level 0 last.
    ColumnFamilyMetaData family;
    listing.db->GetColumnFamilyMetaData(listing.handles.at(column_family),
                                        &family);
    if (!family.levels.empty() && !family.levels[0].files.empty()) {
      oldest_of_level0_ = family.levels[0].files.back().file_number;
    }
  }

  // As Version::IsFilterSkipped in db/version_set.cc.
  bool IsInLastRun(const LiveFileMetaData& file) const {
    return file.level == last_level_ &&
           (file.level > 0 || file.file_number == oldest_of_level0_);
  }

  // As VersionStorageInfo::RangeMightExistAfterSortedRun in db/version_set.cc.
  bool IsBottommost(const LiveFileMetaData& file) const {
    if (file.level == 0) {
      return IsInLastRun(file);
    }
    return std::none_of(
        files_.begin(), files_.end(), [&](const LiveFileMetaData* other) {
          return other->level > file.level &&
                 comparator_.Compare(other->smallestkey, file.largestkey) <=
                     0 &&
                 comparator_.Compare(file.smallestkey, other->largestkey) <= 0;
        });
  }

 private:
  const Comparator& comparator_;
  std::vector<const LiveFileMetaData*> files_;
  int last_level_ = 0;
  uint64_t oldest_of_level0_ = 0;
};

bool IsGone(const Status& status) {
  return status.IsPathNotFound() ||
         (status.IsIOError() &&
          status.ToString().find("No such file") != std::string::npos);
}

// Returns whether RocksDB gives filters of files of the policy `of_file` to
// `policy`. It goes by CompatibilityName, which the file's properties do not
// have. It is the same for all of RocksDB's own policies, and for ours with
// blocks=rocksdb.
bool MayRead(const FilterPolicy& policy, const std::string& of_file) {
  const auto may_be_rocksdbs = [](const std::string& name) {
    return name == "bloomfilter" || name == "ribbonfilter" ||
           name == kRocksdbsFilterName || name == kPolicyName;
  };
  return of_file == policy.Name() ||
         (std::strcmp(policy.CompatibilityName(), kRocksdbsFilterName) == 0 &&
          may_be_rocksdbs(of_file));
}

class Examiner {
 public:
  explicit Examiner(const DatabaseToExamine& what)
      : what_(what),
        env_(NewWitnessedEnv(what.db_paths, &witness_)),
        wanted_(what.column_families.begin(), what.column_families.end()) {}

  ExaminedDatabase Run() {
    // A compaction may remove listed files. A new listing has the files that
    // replaced them.
    for (int attempt = 1;; ++attempt) {
      const Listing listing = OpenListing(what_, env_.get(), cache_, &witness_);
      const auto sample = SampleOf(listing);
      if (ExamineAll(listing, sample, attempt == kListings)) {
        return Result(listing, sample);
      }
    }
  }

 private:
  using Sample = std::vector<const LiveFileMetaData*>;

  bool IsWanted(const std::string& column_family) const {
    return wanted_.empty() || wanted_.count(column_family) > 0;
  }

  // Takes files that were examined already first. The others are evenly spread
  // over the keys of a level.
  Sample SampleOf(const Listing& listing) const {
    std::map<std::pair<std::string, int>, Sample> levels;
    size_t all = 0;
    for (const LiveFileMetaData& file : listing.files) {
      if (IsWanted(file.column_family_name)) {
        levels[{file.column_family_name, file.level}].push_back(&file);
        ++all;
      }
    }
    Sample sample;
    for (const auto& level : levels) {
      const Sample& files = level.second;
      const size_t share =
          all <= kMostFiles
              ? files.size()
              : std::max(kLeastOfLevel, files.size() * kMostFiles / all);
      Sample known;
      Sample others;
      for (const LiveFileMetaData* const file : files) {
        const auto examined = ssts_.find(file->file_number);
        const bool is_known = examined != ssts_.end() && examined->second.done;
        (is_known ? known : others).push_back(file);
      }
      known.resize(std::min(known.size(), share));
      const size_t more = std::min(others.size(), share - known.size());
      for (size_t i = 0; i < more; ++i) {
        known.push_back(others[i * others.size() / more]);
      }
      sample.insert(sample.end(), known.begin(), known.end());
    }
    return sample;
  }

  // Returns false if a file does not exist any more, unless this is the last
  // listing.
  bool ExamineAll(const Listing& listing, const Sample& sample, bool is_last) {
    witness_.num_random_keys = std::min(
        kRandomKeysOfOne, kRandomKeys / std::max<size_t>(1, sample.size()));
    bool all_there = true;
    uint64_t done = 0;
    std::map<std::string, std::unique_ptr<Iterator>> iterators;
    for (const LiveFileMetaData* const file : sample) {
      progress_.Show(done++, sample.size());
      State* const state = &ssts_[file->file_number];
      if (state->done) {
        continue;
      }
      const FamilyOptions& options =
          listing.families.at(file->column_family_name);
      state->sst.not_asked = options.not_asked;
      Status status;
      bool is_there = true;
      if (options.not_asked.empty()) {
        status = Measure(listing, *file, options, &state->sst);
        is_there = !IsGone(status);
        if (status.ok()) {
          status = LookUp(listing, *file, options,
                          &iterators[file->column_family_name], &state->sst);
        }
      }
      // A file that is missing in two listings is lost. But a look-up may meet
      // another file that is gone, and that file gone in the next listing.
      if (IsGone(status) && !is_last &&
          (is_there || state->listings_without_it++ == 0)) {
        all_there = false;
        continue;
      }
      if (!status.ok()) {
        state->sst.not_asked =
            !is_there
                ? "the file is missing, though the database lists it; if it "
                  "has db_paths or cf_paths, name them by --db-path"
            : IsGone(status) ? "a look-up met another file that is missing"
                             : "RocksDB cannot read it: " + status.ToString();
      }
      state->done = true;
    }
    witness_.asking = Asking::kNothing;
    return all_there;
  }

  // Opens the file by itself, and asks its filter for random keys.
  Status Measure(const Listing& listing, const LiveFileMetaData& file,
                 const FamilyOptions& options, ExaminedSst* sst) {
    Options reading;
    static_cast<ROCKSDB_NAMESPACE::ColumnFamilyOptions&>(reading) =
        options.ForReading(listing.recorded, file.column_family_name,
                           /*cache=*/nullptr, &witness_);
    reading.env = env_.get();
    reading.info_log = NewDiscardingLogger();
    SstFileReader reader(reading);
    const uint64_t number = file.file_number;
    FilterAnswers* const answers = &witness_.answers[number];
    answers->blocks = answers->bytes = 0;
    answers->bytes_times_rate = 0;
    witness_.asking = Asking::kRandomKeys;
    const Status status = reader.Open(file.db_path + file.name);
    witness_.asking = Asking::kNothing;
    if (!status.ok()) {
      return status;
    }
    const auto properties = reader.GetTableProperties();
    const auto is_on = [&](const char* name) {
      const auto& all = properties->user_collected_properties;
      const auto found = all.find(name);
      return found != all.end() && found->second == "1";
    };
    sst->filter_bytes = properties->filter_size;
    sst->filter_keys = properties->num_filter_entries > 0
                           ? properties->num_filter_entries
                           : properties->num_entries;
    sst->keys = properties->num_entries - properties->num_range_deletions;
    sst->policy = properties->filter_policy_name;
    sst->prefix_extractor = properties->prefix_extractor_name;
    sst->holds_keys = is_on("rocksdb.block.based.table.whole.key.filtering");
    if (sst->filter_bytes > 0 && answers->blocks == 0 &&
        options.table.filter_policy != nullptr &&
        MayRead(*options.table.filter_policy, sst->policy) &&
        num_verified_ < kMostVerified) {
      ++num_verified_;
      const Status whole = reader.VerifyChecksum();
      sst->damage = whole.ok() ? "" : whole.ToString();
    }
    return status;
  }

  // Looks for keys that no file has. Sets what RocksDB asked in `*sst`.
  Status LookUp(const Listing& listing, const LiveFileMetaData& file,
                const FamilyOptions& options,
                std::unique_ptr<Iterator>* iterator, ExaminedSst* sst) {
    const auto& comparator = *options.options.comparator;
    const auto* const extractor = options.options.prefix_extractor.get();
    ReadOptions reading;
    // Otherwise RocksDB would not look below a range that was deleted.
    reading.ignore_range_deletions = true;
    // A seek need not find a key. Otherwise it would pass over all deletions
    // that follow, in time that grows with their square over all files.
    reading.max_skippable_internal_keys = 1000;
    reading.fill_cache = false;
    ColumnFamilyHandle* const handle =
        listing.handles.at(file.column_family_name);
    std::vector<std::string> keys =
        AbsentKeys(file.smallestkey, file.largestkey, comparator, extractor);
    sst->was_sought = extractor != nullptr && !keys.empty();
    if (keys.empty() && extractor != nullptr) {
      keys = AbsentKeys(file.smallestkey, file.largestkey, comparator,
                        /*extractor=*/nullptr);
    }
    sst->was_looked_up = !keys.empty();
    for (const std::string& key : keys) {
      witness_.asking = Asking::kGet;
      PinnableSlice value;
      const Status status = listing.db->Get(reading, handle, key, &value);
      if (!status.ok() && (!status.IsNotFound() || IsGone(status))) {
        return status;
      }
      if (sst->was_sought) {
        if (*iterator == nullptr) {
          iterator->reset(listing.db->NewIterator(reading, handle));
        }
        witness_.asking = Asking::kSeek;
        (*iterator)->Seek(key);
        if (IsGone((*iterator)->status())) {
          return (*iterator)->status();
        }
      }
    }
    return Status::OK();
  }

  ExaminedDatabase Result(const Listing& listing, const Sample& sample) {
    ExaminedDatabase database;
    for (const auto& [name, options] : listing.families) {
      if (!IsWanted(name)) {
        database.left_out.push_back(name);
        continue;
      }
      ExaminedFamily family;
      family.name = name;
      family.options = options;
      for (const LiveFileMetaData& file : listing.files) {
        if (file.column_family_name == name) {
          ++family.files_in_level[file.level];
        }
      }
      const LastFiles last(listing, name, *options.options.comparator);
      for (const LiveFileMetaData* const file : sample) {
        State& state = ssts_[file->file_number];
        if (file->column_family_name == name && state.done) {
          // The newest listing has the right level, because RocksDB may have
          // moved the file since.
          family.ssts.push_back(InLevel(
              *file, state.sst, last, options.options.prefix_extractor.get()));
        }
      }
      database.families.push_back(std::move(family));
    }
    return database;
  }

  ExaminedSst InLevel(const LiveFileMetaData& file, ExaminedSst sst,
                      const LastFiles& last, const SliceTransform* extractor) {
    sst.name = FileNameOf(file.name);
    sst.level = file.level;
    sst.is_without_prefixes = extractor != nullptr &&
                              !extractor->InDomain(file.smallestkey) &&
                              !extractor->InDomain(file.largestkey);
    sst.is_in_last_run = last.IsInLastRun(file);
    // Only asked for files without a filter, because it looks at all files.
    sst.is_bottommost = sst.filter_bytes == 0 && last.IsBottommost(file);
    if (sst.keys == 0 && !sst.not_asked.empty()) {
      sst.keys = file.num_entries;
    }
    sst.answers = witness_.answers[file.file_number];
    return sst;
  }

  struct State {
    ExaminedSst sst;
    bool done = false;
    int listings_without_it = 0;
  };

  const DatabaseToExamine& what_;
  FilterWitness witness_;
  const std::unique_ptr<Env> env_;
  const std::shared_ptr<Cache> cache_ =
      ROCKSDB_NAMESPACE::NewLRUCache(32 << 20);
  const std::set<std::string> wanted_;
  std::map<uint64_t, State> ssts_;
  int num_verified_ = 0;
  ProgressBar progress_{"examining"};
};

}  // namespace

ExaminedDatabase Examine(const DatabaseToExamine& what) {
  return Examiner(what).Run();
}

}  // namespace cassandra_bloom::tools
