// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/examine.h"

#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/metadata.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "filterdb/commands/output.h"
#include "filterdb/commands/progress_bar.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::ColumnFamilyMetaData;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::LevelMetaData;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::SstFileMetaData;
using ROCKSDB_NAMESPACE::SstFileReader;
using ROCKSDB_NAMESPACE::Status;

namespace {

// A database with more SST files is examined by a sample of about this size.
constexpr uint64_t kMostFiles = 2000;
// A level with no more files is examined as a whole.
constexpr uint64_t kFewFiles = 20;

// How many random keys all filters together are asked for, and one at most.
constexpr uint64_t kRandomKeys = 4'000'000;
constexpr uint64_t kRandomKeysOfOne = 20'000;

constexpr int kListings = 10;

// ---- Which files ----

// Takes the same files from each listing. A product with 2^64 times the golden
// ratio spreads the numbers evenly (Fibonacci hashing).
bool IsInSample(uint64_t file_number, uint64_t all_files) {
  constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  constexpr double kRange = 18446744073709551616.0;  // 2^64
  return all_files <= kMostFiles ||
         static_cast<double>(file_number * kGoldenRatio) <
             kRange * static_cast<double>(kMostFiles) /
                 static_cast<double>(all_files);
}

// As Version::IsFilterSkipped in db/version_set.cc.
bool IsInLastRun(const ColumnFamilyMetaData& family, int level,
                 const SstFileMetaData& file) {
  // RocksDB lists the oldest file of level 0 last.
  return std::all_of(family.levels.begin(), family.levels.end(),
                     [&](const LevelMetaData& other) {
                       return other.level <= level || other.files.empty();
                     }) &&
         (level > 0 ||
          family.levels[0].files.back().file_number == file.file_number);
}

// As VersionStorageInfo::RangeMightExistAfterSortedRun in db/version_set.cc.
bool IsBottommost(const ColumnFamilyMetaData& family, int level,
                  const SstFileMetaData& file, const Comparator& comparator) {
  if (level == 0) {
    return IsInLastRun(family, level, file);
  }
  const auto overlaps = [&](const SstFileMetaData& other) {
    return comparator.Compare(other.smallestkey, file.largestkey) <= 0 &&
           comparator.Compare(file.smallestkey, other.largestkey) <= 0;
  };
  return std::none_of(family.levels.begin(), family.levels.end(),
                      [&](const LevelMetaData& other) {
                        return other.level > level &&
                               std::any_of(other.files.begin(),
                                           other.files.end(), overlaps);
                      });
}

// ---- Which keys ----

// Returns a few keys between the first and the last key of an SST file that are
// most likely in no file: one of the two with strange bytes behind it. If there
// is an extractor, they have the prefix of that key. Returns nothing if there
// are no such keys, as in a file with one key.
std::vector<std::string> AbsentKeys(const SstFileMetaData& file,
                                    const Comparator& comparator,
                                    const SliceTransform* extractor) {
  constexpr std::string_view kStrange[] = {{"\0\xa5\x5a\0\xc3\x3c\x96", 7},
                                           {"\0\x69\0\x78\x87\xe1\x1e", 7},
                                           {"\0\0\xb4\x4b\xd2\x2d\xf0", 7}};
  std::vector<std::string> absent;
  // In reverse order, a longer key comes before the key that it begins with. So
  // only keys made from the last one are in the range.
  for (const std::string& present : {file.smallestkey, file.largestkey}) {
    for (const std::string_view strange : kStrange) {
      const std::string key = present + std::string(strange);
      if (comparator.Compare(file.smallestkey, key) < 0 &&
          comparator.Compare(key, file.largestkey) < 0 &&
          (extractor == nullptr ||
           (extractor->InDomain(present) && extractor->InDomain(key)))) {
        absent.push_back(key);
      }
    }
  }
  return absent;
}

class Examiner {
 public:
  explicit Examiner(const DatabaseOnDisk& what) : what_(what) {}

  std::vector<ExaminedFamily> Run() {
    // What fails is tried again, because a compaction may remove listed files,
    // and a new listing has the files that replaced them.
    for (int attempt = 1;; ++attempt) {
      std::vector<ExaminedFamily> families;
      const auto opened = OrUnusable([&](std::string* error) {
        return OpenDatabase(what_, witness_, error);
      });
      if (ExamineAll(*opened, attempt == kListings, &families)) {
        for (ExaminedFamily& family : families) {
          for (ExaminedSst& sst : family.ssts) {
            sst.answers = witness_->answers[*NumberOfSst(sst.name)];
          }
        }
        return families;
      }
    }
  }

 private:
  // Returns false if something failed, unless this is the last listing.
  bool ExamineAll(const OpenedDatabase& opened, bool is_last,
                  std::vector<ExaminedFamily>* families) {
    uint64_t all_files = 0;
    for (const OpenedFamily& family : opened.families) {
      all_files += family.files.file_count;
    }
    witness_->num_random_keys =
        std::min(kRandomKeysOfOne,
                 kRandomKeys / std::clamp<uint64_t>(all_files, 1, kMostFiles));
    bool all_there = true;
    uint64_t done = 0;
    for (const OpenedFamily& family : opened.families) {
      families->push_back({family.name, family.options, {}, {}});
      for (const LevelMetaData& level : family.files.levels) {
        if (level.files.empty()) {
          continue;
        }
        families->back().files_in_level[level.level] = level.files.size();
        for (const SstFileMetaData& file : level.files) {
          progress_.Show(done++, all_files);
          if (!family.options.not_asked.empty() ||
              (level.files.size() > kFewFiles &&
               !IsInSample(file.file_number, all_files))) {
            continue;
          }
          if (known_.count(file.file_number) == 0 &&
              !ExamineSst(opened, family, file, is_last)) {
            all_there = false;
            continue;
          }
          families->back().ssts.push_back(InLevel(family, level.level, file));
        }
      }
      iterator_.reset();
    }
    return all_there;
  }

  // Examines what does not depend on the level of the file, because RocksDB may
  // move it. Returns false if that failed, unless this is the last listing.
  bool ExamineSst(const OpenedDatabase& opened, const OpenedFamily& family,
                  const SstFileMetaData& file, bool is_last) {
    ExaminedSst sst;
    sst.name = FileNameOf(file.name);
    sst.keys = file.num_entries;
    Status status = Measure(opened, family.options, file, &sst);
    if (status.ok()) {
      status = LookUp(opened, family, file, &sst);
    }
    witness_->asking = FilterWitness::Asking::kNothing;
    if (!status.ok()) {
      if (!is_last) {
        return false;
      }
      sst.not_asked = "RocksDB cannot read it: " + status.ToString();
    }
    known_[file.file_number] = std::move(sst);
    return true;
  }

  // Opens the file by itself, and asks its filter for random keys.
  Status Measure(const OpenedDatabase& opened, const FamilyOptions& options,
                 const SstFileMetaData& file, ExaminedSst* sst) {
    Options reading;
    static_cast<ColumnFamilyOptions&>(reading) =
        options.ForReading(witness_->Witnessed(options.table.filter_policy),
                           /*cache=*/nullptr);
    reading.env = opened.env.get();
    SstFileReader reader(reading);
    const FilterAnswers& answers = witness_->answers[file.file_number] = {};
    // RocksDB tells listeners only of files of a database.
    witness_->sst = file.file_number;
    witness_->asking = FilterWitness::Asking::kRandomKeys;
    const Status status = reader.Open(file.db_path + file.name);
    if (!status.ok()) {
      return status;
    }
    const auto properties = reader.GetTableProperties();
    sst->keys = properties->num_entries - properties->num_range_deletions;
    if (properties->filter_size > 0) {
      sst->filter_keys = properties->num_filter_entries > 0
                             ? properties->num_filter_entries
                             : properties->num_entries;
      sst->filter_bytes =
          answers.bytes > 0 ? answers.bytes : properties->filter_size;
    }
    sst->policy = properties->filter_policy_name;
    sst->prefix_extractor = properties->prefix_extractor_name;
    const auto& collected = properties->user_collected_properties;
    const auto whole_keys =
        collected.find("rocksdb.block.based.table.whole.key.filtering");
    sst->holds_keys =
        whole_keys != collected.end() && whole_keys->second == "1";
    return status;
  }

  // Looks for keys that no file has.
  Status LookUp(const OpenedDatabase& opened, const OpenedFamily& family,
                const SstFileMetaData& file, ExaminedSst* sst) {
    const Comparator& comparator = *family.options.options.comparator;
    const SliceTransform* const extractor =
        family.options.options.prefix_extractor.get();
    ReadOptions reading;
    // Otherwise RocksDB would not look below a range that was deleted.
    reading.ignore_range_deletions = true;
    // A seek need not find a key. Otherwise it would pass over all deletions
    // that follow, in time that grows with their square over all files. A seek
    // that passes over more keys is Incomplete.
    reading.max_skippable_internal_keys = 1000;
    reading.fill_cache = false;
    std::vector<std::string> keys = AbsentKeys(file, comparator, extractor);
    sst->was_sought = extractor != nullptr && !keys.empty();
    if (keys.empty()) {
      keys = AbsentKeys(file, comparator, /*extractor=*/nullptr);
    }
    sst->was_looked_up = !keys.empty();
    for (const std::string& key : keys) {
      witness_->asking = FilterWitness::Asking::kGet;
      PinnableSlice value;
      const Status status = opened.db->Get(reading, family.handle, key, &value);
      if (!status.ok() && !status.IsNotFound()) {
        return status;
      }
      if (sst->was_sought) {
        if (iterator_ == nullptr) {
          iterator_.reset(opened.db->NewIterator(reading, family.handle));
        }
        witness_->asking = FilterWitness::Asking::kSeek;
        iterator_->Seek(key);
        const Status sought = iterator_->status();
        if (!sought.ok() && !sought.IsIncomplete()) {
          return sought;
        }
      }
    }
    return Status::OK();
  }

  ExaminedSst InLevel(const OpenedFamily& family, int level,
                      const SstFileMetaData& file) const {
    ExaminedSst sst = known_.at(file.file_number);
    sst.level = level;
    sst.is_in_last_run = IsInLastRun(family.files, level, file);
    // Only asked for files without a filter, because it looks at all files.
    sst.is_bottommost = sst.filter_bytes == 0 &&
                        IsBottommost(family.files, level, file,
                                     *family.options.options.comparator);
    return sst;
  }

  const DatabaseOnDisk& what_;
  const std::shared_ptr<FilterWitness> witness_ =
      std::make_shared<FilterWitness>();
  std::unique_ptr<Iterator> iterator_;     // Of a column family, or null.
  std::map<uint64_t, ExaminedSst> known_;  // Key: the number of the file.
  ProgressBar progress_{"examining"};
};

}  // namespace

std::vector<ExaminedFamily> Examine(const DatabaseOnDisk& what) {
  return Examiner(what).Run();
}

}  // namespace cassandra_bloom::tools
