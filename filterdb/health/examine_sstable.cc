// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/examine_sstable.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/health/compare_digests.h"
#include "filterdb/health/filter_fill.h"
#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/sstable/statistics_db.h"
#include "filterdb/sstable/toc.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

// Asks a filter for 64 keys at once. This takes half the time of 64 calls for
// one key each.
class KeyBatch {
 public:
  KeyBatch() { ends_.reserve(kSize); }

  // The batch must not be full.
  void Add(std::string_view key) {
    bytes_.append(key);
    ends_.push_back(bytes_.size());
  }

  bool is_full() const { return ends_.size() == kSize; }

  // Returns how many keys of the batch the filter denies. Empties the batch.
  uint64_t CountMissing(const FilterDbFile& filter) {
    std::array<std::string_view, kSize> keys;
    std::array<bool, kSize> may_contain;
    size_t begin = 0;
    for (size_t i = 0; i < ends_.size(); ++i) {
      keys[i] = std::string_view(bytes_).substr(begin, ends_[i] - begin);
      begin = ends_[i];
    }
    filter.MayContain(keys.data(), ends_.size(), may_contain.data());
    const auto missing = std::count(
        may_contain.begin(),
        may_contain.begin() + static_cast<ptrdiff_t>(ends_.size()), false);
    bytes_.clear();
    ends_.clear();
    return static_cast<uint64_t>(missing);
  }

 private:
  static constexpr size_t kSize = 64;

  std::string bytes_;
  std::vector<size_t> ends_;  // Where each key ends in bytes_.
};

class Examination {
 public:
  Examination(const Sstable& sstable, const ExamineOptions& options)
      : options_(options) {
    found_.sstable = sstable;
    found_.plan = options.default_fp_chance;
  }

  Examined Run() {
    if (found_.sstable.state != SstableState::kLive) {
      return found_;
    }
    found_.stamps = StampsOf(found_.sstable);
    Examine();
    // A node of ScyllaDB may have begun to remove it.
    if (found_.has_fault() && found_.sstable.HasTemporaryToc()) {
      found_.LeaveOut(SstableState::kBeingWritten);
    }
    return found_;
  }

 private:
  void Examine() {
    std::string error;
    if (!FormOfSstableVersion(found_.sstable.version, &form_, &error)) {
      // What is not known here is no fault: its filter may be as good as any.
      const std::string& version = found_.sstable.version;
      found_.Add(Check::kUnknownVersion,
                 version.empty() ? "its name tells no SSTable version"
                 : IsVersionBeforeIa(version)
                     ? error
                     : "SSTable version '" + version +
                           "' is not known here, so its filter was not judged");
      return;
    }
    ReadPlan();
    ReadToc();
    OpenFilter();
    Examined without_keys = found_;
    try {
      CompareDigests(toc_, &found_);
      without_keys = found_;
      const bool has_keys = ReadKeys(&error);
      const bool has_fault = found_.has_fault();
      if (!has_keys || (has_fault && !VerifyKeys(&error))) {
        found_ = without_keys;
        found_.Add(Check::kKeysUnreadable, error);
      } else if (!has_fault && !are_keys_counted_) {
        found_.Add(Check::kKeysNotConfirmed,
                   "Statistics.db does not tell how many keys there are, so "
                   "the index may lack some");
      }
    } catch (const NotSupported& not_supported) {
      found_ = without_keys;
      found_.Add(Check::kNotSupported, not_supported.what());
    }
    AddObstacles(options_, &found_);
  }

  // The planned rate in Statistics.db replaces the rate that the user gave.
  void ReadPlan() {
    const Statistics facts = ReadStatistics(
        found_.sstable.Path("Statistics.db"), found_.sstable.version);
    found_.plan = facts.fp_chance ? facts.fp_chance : found_.plan;
    found_.plan_error = facts.error;
  }

  void ReadToc() {
    const std::string path = found_.sstable.Path("TOC.txt");
    const bool is_of_scylla = FileExists(found_.sstable.Path("Scylla.db"));
    if (!NameExists(path)) {
      if (is_of_scylla) {
        found_.Add(Check::kTocMissing,
                   path + ": missing, so the node does not start");
      }
      return;
    }
    std::string error;
    if (!ReadRegularFile(path, kMaxTocSize, &toc_, &error)) {
      ThrowIfShort(path);
      found_.Add(Check::kTocDamaged, error);
    } else if (!TocNames(toc_, "Data.db")) {
      found_.Add(Check::kTocDamaged, path + ": does not name Data.db");
    } else {
      found_.toc_names_filter = TocNames(toc_, "Filter.db");
    }
    if (!found_.toc_names_filter && IsFilterPlanned() &&
        FileExists(found_.sstable.Path("Filter.db"))) {
      found_.Add(is_of_scylla ? Check::kNotLoaded : Check::kNotInToc);
    }
  }

  // Cassandra loads Filter.db only if a filter is planned. It goes by the
  // present chance of the table (FilterComponent.maybeLoadBloomFilter), which
  // is not known here.
  bool IsFilterPlanned() const { return !found_.plan || *found_.plan < 1; }

  void OpenFilter() {
    const std::string path = found_.sstable.Path("Filter.db");
    struct stat status;
    const bool is_there = stat(path.c_str(), &status) == 0;
    if (!is_there && errno == ENOENT) {
      if (TocNames(toc_, "Filter.db") || (found_.plan && *found_.plan < 1)) {
        found_.Add(Check::kMissing);
      }
      return;
    }
    if (is_there && S_ISREG(status.st_mode)) {
      found_.has_filter_file = true;
      found_.filter_size = static_cast<uint64_t>(status.st_size);
    }
    std::string error;
    filter_ = FilterDbFile::Open(path, form_, &error);
    if (filter_ == nullptr) {
      ThrowIfShort(path);
      // Cassandra 4.0 and later do not notice that a file ends early (class
      // OffHeapBitSet): the missing bits are what was in the memory, so rows
      // are hidden. Before version `na`, a node refuses such a file
      // (DataInput.readLong).
      found_.Add(IsTruncatedFilterDb(path, error) ? Check::kTruncated
                                                  : Check::kFilterUnreadable,
                 error);
    } else if (filter_->always_present()) {
      found_.Add(Check::kEmpty);
    } else {
      found_.fill = FillOf(*filter_);
      if (found_.fill.is_saturated()) {
        found_.Add(Check::kSaturated);
      }
    }
  }

  bool ReadKeys(std::string* error) {
    const auto keys = OpenSstableKeys(found_.sstable, KeyChecks::kCheap, error);
    if (keys == nullptr) {
      return false;
    }
    AskForAll(keys.get());
    if (!keys->error().empty()) {
      *error = keys->error();
      return false;
    }
    found_.has_keys = true;
    CheckReader(*keys);
    if (found_.num_missing > 0) {
      found_.Add(Check::kKeysMissing);
    }
    ComparePlan();
    return true;
  }

  void CheckReader(const SstableKeys& keys) {
    are_keys_counted_ = keys.is_number_known();
    all_read_in_data_ = keys.all_are_in_data();
    if (keys.num_wrong_hashes() > 0) {
      found_.Add(Check::kWrongIndexHashes,
                 "number of keys with another byte of the hash in "
                 "Partitions.db, which Cassandra may not find: " +
                     std::to_string(keys.num_wrong_hashes()));
    }
  }

  // Compares the keys of the index with Data.db, because a damaged index makes
  // a good filter look wrong. Does nothing if all keys were read from Data.db.
  bool VerifyKeys(std::string* error) {
    if (all_read_in_data_) {
      return true;
    }
    const auto keys =
        OpenSstableKeys(found_.sstable, KeyChecks::kEveryKey, error);
    if (keys == nullptr) {
      return false;
    }
    std::string_view key;
    while (keys->Next(&key)) {
    }
    *error = keys->error();
    return error->empty();
  }

  void AskForAll(KeyReader* keys) {
    KeyBatch batch;
    std::string_view key;
    while (keys->Next(&key)) {
      if (filter_ != nullptr) {
        batch.Add(key);
        if (batch.is_full()) {
          found_.num_missing += batch.CountMissing(*filter_);
        }
      }
      ++found_.num_keys;
    }
    if (filter_ != nullptr) {
      found_.num_missing += batch.CountMissing(*filter_);
    }
  }

  // If bloom_filter_fp_chance is 0.393 or more, even a filter that Cassandra
  // sizes lets about 75 % of absent keys pass. So a rate is compared with the
  // rate of the planned size if that is higher than the plan.
  void ComparePlan() {
    if (!found_.plan) {
      return;
    }
    const auto sizing = SizingForFpChance(*found_.plan);
    if (!sizing) {
      return;
    }
    found_.planned_size = sizing->FilterSize(found_.num_keys);
    found_.planned_rate =
        sizing->ExpectedRate(found_.num_keys, found_.planned_size);
    if (found_.fill.num_probes == 0) {  // There is no filter to compare.
      return;
    }
    if (found_.fill.rate() >
        kPlanTolerance * std::max(*found_.plan, found_.planned_rate)) {
      found_.Add(Check::kWorseThanPlanned);
    }
    // Cassandra may size a filter for this many keys even if the SSTable has
    // fewer (expectedBloomFilterSize in CompactionManager and Scrubber).
    constexpr uint64_t kFewestKeysPlanned = 128;
    const auto largest_planned_size = static_cast<double>(
        sizing->FilterSize(std::max(found_.num_keys, kFewestKeysPlanned)));
    if (static_cast<double>(found_.filter_size) >
        kPlanTolerance * largest_planned_size) {
      found_.Add(Check::kOversized);
    }
  }

  const ExamineOptions& options_;
  Examined found_;
  FilterForm form_ = kNaAndLater;
  std::string toc_;  // The content of TOC.txt, or "".
  bool all_read_in_data_ = false;
  // Whether the SSTable tells how many keys it has.
  bool are_keys_counted_ = false;
  std::unique_ptr<FilterDbFile> filter_;
};

}  // namespace

Examined ExamineSstable(const Sstable& sstable, const ExamineOptions& options) {
  return Examination(sstable, options).Run();
}

}  // namespace cassandra_bloom::tools
