// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/sanity_check.h"

#include <algorithm>
#include <stdexcept>

#include "db_bench_ext/filter_bench/workloads.h"

namespace cassandra_bloom::bench {

using ROCKSDB_NAMESPACE::FilterBitsReader;

namespace {

constexpr uint64_t kMostKeys = 20000;
constexpr uint64_t kFirstAbsentOfCheck = uint64_t{1} << 61;
constexpr size_t kBatches[] = {1,  2,  3,  4,  7,   8,
                               31, 32, 33, 64, 100, kMaxWorkBatch};

void Choose(uint64_t first, KeyChunk* keys) {
  for (size_t i = 0; i < KeyChunk::kCapacity; ++i) {
    keys->Set(i, (i % 2 == 0 ? 0 : kFirstAbsentOfCheck) + first + i / 2);
  }
}

void CheckAnswers(FilterBitsReader* naive, FilterBitsReader* reader,
                  size_t batch, KeyChunk* keys) {
  bool answers[kMaxWorkBatch];
  for (size_t i = 0; i + batch <= KeyChunk::kCapacity; i += batch) {
    reader->MayMatch(static_cast<int>(batch), keys->pointers() + i, answers);
    for (size_t j = 0; j < batch; ++j) {
      const bool expected = naive->MayMatch((*keys)[i + j]);
      if (answers[j] != expected ||
          reader->MayMatch((*keys)[i + j]) != expected) {
        throw std::runtime_error(
            "it does not answer as the naive filter does, in batches of " +
            std::to_string(batch));
      }
    }
  }
}

}  // namespace

void CheckSameBlocks(const FilterSet& a, const FilterSet& b) {
  for (uint64_t index = 0; index < a.config().filters; ++index) {
    if (a.block(index) != b.block(index)) {
      throw std::runtime_error(
          a.filter().name + " and " + b.filter().name +
          " built different blocks of the same keys: " + a.config().Name());
    }
  }
}

void CheckAgainstNaive(const FilterUnderTest& filter, FilterConfig config) {
  if (!filter.builds_filter_db) {
    return;
  }
  config.filters = 1;
  config.keys = std::min(config.keys, kMostKeys);
  const FilterUnderTest naive = NewFilterUnderTest(kNaive, config.bits_per_key);
  const FilterSet expected(naive, config);
  const FilterSet built(filter, config);
  CheckSameBlocks(built, expected);
  KeyChunk keys(config.key_shape);
  for (const size_t batch : kBatches) {
    Choose(batch * KeyChunk::kCapacity % config.keys, &keys);
    try {
      CheckAnswers(expected.reader(0), built.reader(0), batch, &keys);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(filter.name + ": " + error.what() + ": " +
                               config.Name());
    }
  }
}

}  // namespace cassandra_bloom::bench
