// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/filters/filter_blocks.h"

#include <rocksdb/filter_policy.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "filterdb/health/filter_fill.h"
#include "plugin/filter/block_layout.h"
#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

namespace {

// The number of random keys with which RocksDB's filters are measured. It is
// enough to measure a rate of 1 % with an error of at most a fifth.
constexpr uint64_t kMostKeys = 20000;
// The least number of random keys for each partition of a filter.
constexpr uint64_t kFewestKeys = 200;

// Returns the same keys in each run, so that sst_filters doctor always says the
// same of a database.
const std::vector<std::string>& RandomKeys() {
  static const std::vector<std::string>& keys = *[] {
    auto* const all = new std::vector<std::string>;
    std::mt19937_64 random(20000);  // NOLINT: a fixed seed.
    for (uint64_t i = 0; i < kMostKeys; ++i) {
      const uint64_t parts[] = {random(), random()};
      all->emplace_back(reinterpret_cast<const char*>(parts), sizeof(parts));
    }
    return all;
  }();
  return keys;
}

}  // namespace

void FilterBlocks::Add(const Slice& block, FilterKind kind) {
  ++count_;
  if (kind == FilterKind::kCassandra || kind == FilterKind::kBesideRocksdb) {
    AddOurs(block);
    return;
  }
  constexpr uint64_t kRocksdbsTrailer = 5;
  bits_ += 8 * (block.size() - std::min(block.size(), kRocksdbsTrailer));
  rocksdbs_.push_back(block);
}

void FilterBlocks::AddOurs(const Slice& block) {
  ParsedFilter filter;
  if (!ParseFilterDb(block.data(), block.size(), &filter)) {
    ++damaged_;
    AddRate(block, 1);
    return;
  }
  const FilterFill fill = FillOf(filter);
  bits_ += fill.capacity_bits;
  saturated_ += fill.is_saturated() ? 1 : 0;
  AddRate(block, fill.rate());
}

void FilterBlocks::AddRate(const Slice& block, double rate) {
  if (rate == 1) {
    ++num_open_;
    return;
  }
  const auto weight = static_cast<double>(block.size());
  sum_of_rates_ += weight * rate;
  sum_of_weights_ += weight;
}

void FilterBlocks::Measure() {
  if (rocksdbs_.empty()) {
    return;
  }
  // This policy lets RocksDB's own reader read RocksDB's filter blocks.
  const std::unique_ptr<const FilterPolicy> policy(
      ROCKSDB_NAMESPACE::NewCassandraBloomPolicyBesideRocksdb(10));
  const uint64_t num_keys = std::max(kFewestKeys, kMostKeys / rocksdbs_.size());
  for (const Slice& block : rocksdbs_) {
    const std::unique_ptr<FilterBitsReader> reader(
        policy->GetFilterBitsReader(block));
    uint64_t passed = 0;
    for (uint64_t i = 0; i < num_keys; ++i) {
      passed += reader == nullptr || reader->MayMatch(RandomKeys()[i]) ? 1 : 0;
    }
    damaged_ +=
        passed == num_keys && !IsRocksdbsWithoutKeys(block.ToStringView()) ? 1
                                                                           : 0;
    asked_ += num_keys;
    passed_ += passed;
    AddRate(block, static_cast<double>(passed) / static_cast<double>(num_keys));
  }
  rocksdbs_.clear();
}

PassRate FilterBlocks::Rate() const {
  PassRate pass;
  if (count_ > 0) {
    const auto open = static_cast<double>(num_open_);
    const auto count = static_cast<double>(count_);
    const double of_others =
        num_open_ == count_ ? 1 : sum_of_rates_ / sum_of_weights_;
    pass.rate = (open + (count - open) * of_others) / count;
    pass.bound = pass.rate;
  }
  if (asked_ == 0) {
    return pass;
  }
  // If 3 keys pass on average, none passes in one of e^3 = 20 measurements.
  constexpr double kMeanOfNone = 3;
  const auto asked = static_cast<double>(asked_);
  const auto passed = static_cast<double>(passed_);
  pass.is_measured = true;
  if (pass.rate == 0) {
    pass.is_at_most = true;
    pass.rate = kMeanOfNone / asked;
  }
  pass.bound =
      std::min(1.0, pass.rate + (kMeanOfNone + 4 * std::sqrt(passed)) / asked);
  return pass;
}

}  // namespace cassandra_bloom::tools
