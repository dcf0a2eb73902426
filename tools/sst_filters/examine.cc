// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor/doctor_test.cc.
// Tested in tests/sst_filters/doctor/running_database_test.cc.

#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/listener.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <random>
#include <set>
#include <string_view>
#include <utility>

#include "plugin/filter_db/read_file.h"
#include "tools/sst_filters/doctor.h"

namespace cassandra_bloom::tools {
namespace {

// How many random keys all filters together are asked for, and one at most.
constexpr uint64_t kRandomKeys = 4'000'000;
constexpr uint64_t kRandomKeysOfOne = 20'000;

// A database that is written to fast may remove files again and again.
constexpr int kMostListings = 10;

// Notes what RocksDB asks the filters of SST files, and how well they answer.
// RocksDB gets each filter policy as one that counts the questions to each
// reader that it makes. RocksDB does not tell a policy from which file a filter
// comes, so the witness is also a listener, and notes which file was read last:
// when RocksDB has read a filter, it calls the policy before it reads from
// another file.
//
// All of this serves one thread.
struct Witness final : FilterWitness {
  enum class Asking { kMeasure, kGet, kSeek };

  Policy PolicyFor(const Policy& policy) override;
  bool ShouldBeNotifiedOnFileIO() override { return true; }
  void OnFileReadFinish(const rocksdb::FileOperationInfo& info) override {
    if (EndsWith(info.path, ".sst") || EndsWith(info.path, ".ldb")) {
      sst = std::stoull(std::string(FileNameOf(info.path)));
    }
  }

  Asking asking = Asking::kGet;
  uint64_t sst = 0;  // The number of the SST file that was read last.
  uint64_t num_random_keys = 0;  // How many to ask a filter for.
  // Key: the number of the SST file.
  std::map<uint64_t, FilterAnswers> answers;
};

class WitnessedReader final : public rocksdb::FilterBitsReader {
 public:
  WitnessedReader(std::unique_ptr<rocksdb::FilterBitsReader> reader,
                  const Witness* witness, FilterAnswers* answers)
      : reader_(std::move(reader)), witness_(witness), answers_(answers) {}

  // Get and Seek ask for one entry at a time.
  using rocksdb::FilterBitsReader::MayMatch;
  bool MayMatch(const rocksdb::Slice& entry) override {
    ++(witness_->asking == Witness::Asking::kSeek ? answers_->by_seek
                                                  : answers_->by_get);
    return reader_->MayMatch(entry);
  }

 private:
  const std::unique_ptr<rocksdb::FilterBitsReader> reader_;
  const Witness* const witness_;
  FilterAnswers* const answers_;
};

// Forwards to `policy`. With Asking::kMeasure, asks each filter for random
// keys when RocksDB opens it. The witness must live longer.
class WitnessedPolicy final : public rocksdb::FilterPolicy {
 public:
  WitnessedPolicy(std::shared_ptr<const rocksdb::FilterPolicy> policy,
                  Witness* witness)
      : policy_(std::move(policy)), witness_(witness) {}

  const char* Name() const override { return policy_->Name(); }
  const char* CompatibilityName() const override {
    return policy_->CompatibilityName();
  }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return policy_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& block) const override {
    std::unique_ptr<rocksdb::FilterBitsReader> reader(
        policy_->GetFilterBitsReader(block));
    if (reader == nullptr) {
      return nullptr;  // RocksDB then takes every key as a match.
    }
    FilterAnswers* const answers = &witness_->answers[witness_->sst];
    if (witness_->asking == Witness::Asking::kMeasure) {
      Measure(block, reader.get(), answers);
    }
    return new WitnessedReader(std::move(reader), witness_, answers);
  }

 private:
  // Asks fewer and fewer keys from partition to partition, so that many small
  // partitions do not take much longer than a full filter.
  void Measure(const rocksdb::Slice& block, rocksdb::FilterBitsReader* reader,
               FilterAnswers* answers) const {
    ++answers->blocks;
    answers->bytes += block.size();
    answers->largest_block =
        std::max<uint64_t>(answers->largest_block, block.size());
    const uint64_t count =
        std::max<uint64_t>(200, witness_->num_random_keys / answers->blocks);
    answers->bytes_times_rate +=
        static_cast<double>(block.size()) *
        RateOf(count, witness_->sst + answers->blocks, reader);
  }

  const std::shared_ptr<const rocksdb::FilterPolicy> policy_;
  Witness* const witness_;
};

Witness::Policy Witness::PolicyFor(const Policy& policy) {
  return std::make_shared<const WitnessedPolicy>(policy, this);
}

class Examiner {
 public:
  explicit Examiner(const DatabaseOnDisk& what) : what_(what) {}

  ExaminedDatabase Run() {
    // A compaction may remove files that were listed. The next listing has the
    // files that replaced them. A file that stays in the listing is lost.
    std::set<std::string> gone;
    for (int listing = 1;; ++listing) {
      has_failed_ = false;
      const OpenedDatabase opened = OpenDatabase(what_, witness_);
      std::vector<ExaminedFamily> families = ExamineAll(opened);
      if (!has_failed_ || listing == kMostListings ||
          !AddGone(families, &gone)) {
        for (ExaminedFamily& family : families) {
          for (ExaminedSst& sst : family.ssts) {
            sst.answers = witness_->answers[sst.file.file_number];
          }
        }
        return {families, opened.log_dir};
      }
    }
  }

 private:
  // Adds the listed files that are not there to `*gone`. Returns whether there
  // is a new one.
  static bool AddGone(const std::vector<ExaminedFamily>& families,
                      std::set<std::string>* gone) {
    bool has_new = false;
    for (const ExaminedFamily& family : families) {
      for (const rocksdb::LevelMetaData& level : family.files.levels) {
        for (const rocksdb::SstFileMetaData& file : level.files) {
          const std::string path =
              PathOnDisk(file.directory + "/" + file.relative_filename);
          has_new |= !FileExists(path) && gone->insert(path).second;
        }
      }
    }
    return has_new;
  }

  std::vector<ExaminedFamily> ExamineAll(const OpenedDatabase& opened) {
    uint64_t all_files = 0;
    for (const Family& family : opened.families) {
      all_files += family.files.file_count;
    }
    witness_->num_random_keys = std::min(
        kRandomKeysOfOne, kRandomKeys / std::max<uint64_t>(all_files, 1));
    uint64_t done = 0;
    std::vector<ExaminedFamily> families;
    for (const Family& family : opened.families) {
      families.push_back({family, {}, {}, {}});
      for (const rocksdb::LevelMetaData& level : family.files.levels) {
        for (const rocksdb::SstFileMetaData& file : level.files) {
          progress_.Show(done++, all_files);
          if (family.is_block_based) {
            const auto known = known_.find(file.file_number);
            ExaminedSst& sst = families.back().ssts.emplace_back(
                known == known_.end() ? ExamineSst(opened, family, file)
                                      : known->second);
            sst.level = level.level;
          }
        }
      }
      iterator_.reset();
    }
    return families;
  }

  // Examines what does not depend on the level of the file, because RocksDB may
  // move it.
  ExaminedSst ExamineSst(const OpenedDatabase& opened, const Family& family,
                         const rocksdb::SstFileMetaData& file) {
    ExaminedSst sst;
    sst.file = file;
    sst.keys = file.num_entries;
    rocksdb::Status status = Measure(opened, family, &sst);
    if (!status.ok()) {
      sst.not_read = "RocksDB cannot read it: " + status.ToString();
    } else if (!family.not_asked.empty()) {
      sst.not_looked_up = family.not_asked;
    } else if (status = LookUp(opened, family, &sst); !status.ok()) {
      sst.not_looked_up =
          "RocksDB cannot read it, or another file with keys in its range: " +
          status.ToString();
    }
    has_failed_ |= !status.ok();
    if (status.ok()) {
      known_[file.file_number] = sst;
    }
    return sst;
  }

  // Opens the file by itself, and asks its filter for random keys.
  rocksdb::Status Measure(const OpenedDatabase& opened, const Family& family,
                          ExaminedSst* sst) {
    rocksdb::Options reading(rocksdb::DBOptions(),
                             OptionsForReading(family, witness_.get()));
    reading.env = opened.env.get();
    rocksdb::SstFileReader reader(reading);
    // RocksDB tells listeners only of files of a database.
    witness_->sst = sst->file.file_number;
    witness_->asking = Witness::Asking::kMeasure;
    // Look-ups in other files of level 0 may have asked it already.
    FilterAnswers& answers = witness_->answers[witness_->sst];
    answers = {0, 0, 0, 0, answers.by_get, answers.by_seek};
    const rocksdb::Status status = reader.Open(
        PathOnDisk(sst->file.directory + "/" + sst->file.relative_filename));
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

  // Looks for a few keys that are most likely in no file: the first and the
  // last key of the file with strange bytes behind them.
  rocksdb::Status LookUp(const OpenedDatabase& opened, const Family& family,
                         ExaminedSst* sst) {
    constexpr std::string_view kStrange[] = {{"\0\xa5\x5a\0\xc3\x3c\x96", 7},
                                             {"\0\x69\0\x78\x87\xe1\x1e", 7},
                                             {"\0\0\xb4\x4b\xd2\x2d\xf0", 7}};
    rocksdb::ReadOptions reading;
    // Otherwise RocksDB would not look below a range that was deleted.
    reading.ignore_range_deletions = true;
    // A seek need not find a key. Otherwise it would pass over all deletions
    // that follow, in time that grows with their square over all files. A seek
    // that passes over more keys is Incomplete.
    reading.max_skippable_internal_keys = 1000;
    reading.fill_cache = false;
    const std::string& first = sst->file.smallestkey;
    const std::string& last = sst->file.largestkey;
    const rocksdb::Comparator& comparator = *family.options.comparator;
    const auto& extractor = family.options.prefix_extractor;
    // In reverse order, a longer key comes before the key that it begins with.
    // So only keys made from the last one are in the range.
    const FilterAnswers& answers = witness_->answers[sst->file.file_number];
    for (const std::string& present : {first, last}) {
      for (const std::string_view strange : kStrange) {
        // A look-up asks each file of level 0 that has keys around it. With
        // thousands of them, one for each would take minutes.
        if (answers.by_get > 0 &&
            (extractor == nullptr || answers.by_seek > 0)) {
          sst->was_looked_up = true;
          sst->was_sought = answers.by_seek > 0;
          return rocksdb::Status::OK();
        }
        const std::string key = present + std::string(strange);
        if (comparator.Compare(first, key) >= 0 ||
            comparator.Compare(key, last) >= 0) {
          continue;
        }
        witness_->asking = Witness::Asking::kGet;
        rocksdb::PinnableSlice value;
        rocksdb::Status status =
            opened.db->Get(reading, family.handle, key, &value);
        if (!status.ok() && !status.IsNotFound()) {
          return status;
        }
        sst->was_looked_up = true;
        // The key must have the prefix of the key that it is made from.
        if (extractor == nullptr || !extractor->InDomain(present) ||
            !extractor->InDomain(key)) {
          continue;
        }
        if (iterator_ == nullptr) {
          iterator_.reset(opened.db->NewIterator(reading, family.handle));
        }
        witness_->asking = Witness::Asking::kSeek;
        iterator_->Seek(key);
        status = iterator_->status();
        if (!status.ok() && !status.IsIncomplete()) {
          return status;
        }
        sst->was_sought = true;
      }
    }
    return rocksdb::Status::OK();
  }

  const DatabaseOnDisk& what_;
  const std::shared_ptr<Witness> witness_ = std::make_shared<Witness>();
  std::unique_ptr<rocksdb::Iterator> iterator_;  // Of a column family, or null.
  std::map<uint64_t, ExaminedSst> known_;        // Key: the number of the file.
  bool has_failed_ = false;                      // In the latest listing.
  ProgressBar progress_{"examining"};
};

}  // namespace

double RateOf(uint64_t count, uint64_t seed,
              rocksdb::FilterBitsReader* reader) {
  std::mt19937_64 random(seed);
  double passed = 0;
  for (uint64_t asked = 0; asked < count; ++asked) {
    const uint64_t key[] = {random(), random()};
    const rocksdb::Slice slice(reinterpret_cast<const char*>(key), sizeof(key));
    passed += reader->MayMatch(slice) ? 1 : 0;
  }
  return passed / static_cast<double>(count);
}

ExaminedDatabase Examine(const DatabaseOnDisk& what) {
  return Examiner(what).Run();
}

}  // namespace cassandra_bloom::tools
