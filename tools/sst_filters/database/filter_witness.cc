// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/database/filter_witness.h"

#include <rocksdb/slice.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

class WitnessedReader final : public rocksdb::FilterBitsReader {
 public:
  WitnessedReader(std::unique_ptr<rocksdb::FilterBitsReader> reader,
                  const FilterWitness* witness, FilterAnswers* answers)
      : reader_(std::move(reader)), witness_(witness), answers_(answers) {}

  // Get and Seek ask for one entry at a time.
  using rocksdb::FilterBitsReader::MayMatch;
  bool MayMatch(const rocksdb::Slice& entry) override {
    ++(witness_->asking == FilterWitness::Asking::kSeek ? answers_->by_seek
                                                        : answers_->by_get);
    return reader_->MayMatch(entry);
  }

 private:
  const std::unique_ptr<rocksdb::FilterBitsReader> reader_;
  const FilterWitness* const witness_;
  FilterAnswers* const answers_;
};

class WitnessedPolicy final : public rocksdb::FilterPolicy {
 public:
  WitnessedPolicy(std::shared_ptr<const rocksdb::FilterPolicy> policy,
                  FilterWitness* witness)
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
    if (witness_->asking == FilterWitness::Asking::kRandomKeys) {
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
  FilterWitness* const witness_;
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

std::shared_ptr<const rocksdb::FilterPolicy> FilterWitness::Witnessed(
    std::shared_ptr<const rocksdb::FilterPolicy> policy) {
  return std::make_shared<const WitnessedPolicy>(std::move(policy), this);
}

void FilterWitness::OnFileReadFinish(const rocksdb::FileOperationInfo& info) {
  if (EndsWith(info.path, ".sst") || EndsWith(info.path, ".ldb")) {
    sst = std::stoull(std::string(FileNameOf(info.path)));
  }
}

}  // namespace cassandra_bloom::tools
