// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/filter_witness.h"

#include <rocksdb/slice.h>

#include <algorithm>
#include <charconv>
#include <random>
#include <system_error>
#include <utility>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::FileOperationInfo;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

namespace {

class WitnessedReader final : public FilterBitsReader {
 public:
  WitnessedReader(std::unique_ptr<FilterBitsReader> reader,
                  const FilterWitness* witness, FilterAnswers* answers)
      : reader_(std::move(reader)), witness_(witness), answers_(answers) {}

  // Get and Seek ask for one entry at a time.
  using FilterBitsReader::MayMatch;
  bool MayMatch(const Slice& entry) override {
    ++(witness_->asking == FilterWitness::Asking::kSeek ? answers_->by_seek
                                                        : answers_->by_get);
    return reader_->MayMatch(entry);
  }

 private:
  const std::unique_ptr<FilterBitsReader> reader_;
  const FilterWitness* const witness_;
  FilterAnswers* const answers_;
};

class WitnessedPolicy final : public FilterPolicy {
 public:
  WitnessedPolicy(std::shared_ptr<const FilterPolicy> policy,
                  FilterWitness* witness)
      : policy_(std::move(policy)), witness_(witness) {}

  const char* Name() const override { return policy_->Name(); }
  const char* CompatibilityName() const override {
    return policy_->CompatibilityName();
  }
  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const override {
    return policy_->GetBuilderWithContext(context);
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& block) const override {
    std::unique_ptr<FilterBitsReader> reader(
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
  void Measure(const Slice& block, FilterBitsReader* reader,
               FilterAnswers* answers) const {
    ++answers->blocks;
    answers->bytes += block.size();
    const uint64_t count =
        std::max<uint64_t>(200, witness_->num_random_keys / answers->blocks);
    const uint64_t passed =
        PassedOf(count, witness_->sst + answers->blocks, reader);
    answers->bytes_times_rate += static_cast<double>(block.size()) *
                                 static_cast<double>(passed) /
                                 static_cast<double>(count);
  }

  const std::shared_ptr<const FilterPolicy> policy_;
  FilterWitness* const witness_;
};

}  // namespace

std::optional<uint64_t> NumberOfSst(std::string_view path) {
  const std::string_view name = FileNameOf(path);
  const char* const end = name.data() + name.size();
  uint64_t number = 0;
  const auto [rest, error] = std::from_chars(name.data(), end, number);
  return error == std::errc() &&
                 std::string_view(rest, static_cast<size_t>(end - rest)) ==
                     ".sst"
             ? std::optional<uint64_t>(number)
             : std::nullopt;
}

uint64_t PassedOf(uint64_t count, uint64_t seed, FilterBitsReader* reader) {
  std::mt19937_64 random(seed);
  uint64_t passed = 0;
  for (uint64_t asked = 0; asked < count; ++asked) {
    const uint64_t key[] = {random(), random()};
    const Slice slice(reinterpret_cast<const char*>(key), sizeof(key));
    passed += reader->MayMatch(slice) ? 1 : 0;
  }
  return passed;
}

std::shared_ptr<const FilterPolicy> FilterWitness::Witnessed(
    std::shared_ptr<const FilterPolicy> policy) {
  return policy == nullptr
             ? nullptr
             : std::make_shared<const WitnessedPolicy>(std::move(policy), this);
}

void FilterWitness::OnFileReadFinish(const FileOperationInfo& info) {
  if (const auto number = NumberOfSst(info.path)) {
    sst = *number;
  }
}

}  // namespace cassandra_bloom::tools
