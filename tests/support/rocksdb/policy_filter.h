// SPDX-License-Identifier: Apache-2.0

// Builds and queries a filter through RocksDB's interface, without a database.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_POLICY_FILTER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_POLICY_FILTER_H_

#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "plugin/filter/sizing.h"
#include "plugin/policy/block_form.h"
#include "plugin/policy/filter_bits_api.h"
#include "tests/support/naive_filter.h"

namespace cassandra_bloom::testing {

inline std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> NewBuilder(
    const ROCKSDB_NAMESPACE::FilterPolicy& policy,
    bool detect_corruption = false) {
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table_options;
  table_options.optimize_filters_for_memory = false;  // Keeps sizes exact.
  table_options.detect_filter_construct_corruption = detect_corruption;
  return std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder>(
      policy.GetBuilderWithContext(
          ROCKSDB_NAMESPACE::FilterBuildingContext(table_options)));
}

inline std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> NewReader(
    const ROCKSDB_NAMESPACE::FilterPolicy& policy,
    const ROCKSDB_NAMESPACE::Slice& block) {
  return std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader>(
      policy.GetFilterBitsReader(block));
}

// Queries all keys in one call. Repeats the call with other initial answers, so
// that an answer which the reader does not set is noticed.
inline std::vector<bool> MayMatchBatch(
    ROCKSDB_NAMESPACE::FilterBitsReader* reader,
    const std::vector<std::string>& keys) {
  std::vector<ROCKSDB_NAMESPACE::Slice> slices(keys.begin(), keys.end());
  std::vector<ROCKSDB_NAMESPACE::Slice*> pointers;
  for (ROCKSDB_NAMESPACE::Slice& slice : slices) {
    pointers.push_back(&slice);
  }
  const auto answers = std::make_unique<bool[]>(keys.size() + 1);
  std::vector<bool> result;
  for (const bool before : {false, true}) {
    std::fill_n(answers.get(), keys.size() + 1, before);
    reader->MayMatch(static_cast<int>(keys.size()), pointers.data(),
                     answers.get());
    EXPECT_EQ(answers[keys.size()], before) << "written past the end";
    const std::vector<bool> now(answers.get(), answers.get() + keys.size());
    EXPECT_TRUE(result.empty() || result == now);
    result = now;
  }
  return result;
}

// Adds a key and its prefix, as RocksDB does for filters that hold both.
inline void AddKeyAndPrefix(const ROCKSDB_NAMESPACE::Slice& key,
                            const ROCKSDB_NAMESPACE::Slice& prefix,
                            ROCKSDB_NAMESPACE::FilterBitsBuilder* builder) {
#if CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT
  builder->AddKeyAndAlt(key, prefix);
#else
  builder->AddKey(key);
  builder->AddKey(prefix);
#endif
}

inline std::string FinishBlock(ROCKSDB_NAMESPACE::FilterBitsBuilder* builder) {
  std::unique_ptr<const char[]> buffer;
  ROCKSDB_NAMESPACE::Status status;
  return builder->Finish(&buffer, &status).ToString();
}

// Returns the name of the type of filter in a block.
inline std::string TypeOf(const std::string& block) {
  if (WithoutTrailer(block).has_value()) {
    return "cassandra";
  }
  // The fifth byte before the end tells RocksDB's own filters apart.
  const int type =
      block.size() < 5 ? 0 : static_cast<signed char>(block[block.size() - 5]);
  return type == -1   ? "bloom"
         : type == -2 ? "ribbon"
         : type > 0   ? "legacy bloom"
                      : "other";
}

// Returns the Filter.db of these keys, at 10 bits per key.
inline std::string NaiveBlock(const std::vector<std::string>& keys) {
  NaiveFilter naive(7, SizingForBitsPerKey(10)->NumWords(keys.size()));
  for (const std::string& key : keys) {
    naive.Add(key);
  }
  return naive.Serialize();
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ROCKSDB_POLICY_FILTER_H_
