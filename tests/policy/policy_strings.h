// SPDX-License-Identifier: Apache-2.0

// The filter_policy strings of the tests.

#ifndef CASSANDRA_BLOOM_TESTS_POLICY_POLICY_STRINGS_H_
#define CASSANDRA_BLOOM_TESTS_POLICY_POLICY_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cassandra_bloom::testing {

// The number of keys in the tests' filters.
constexpr int kNumTableKeys = 1000;

// The num_probes of a policy that builds one of RocksDB's own filters.
constexpr int32_t kRocksdbsFilter = -1;

struct AcceptedString {
  const char* text;
  const char* id;  // The result of GetId.
  // The number of probes, or 0 if no filter is built, or kRocksdbsFilter.
  int32_t num_probes;
  // The size of our filter, in 64-bit words. For kRocksdbsFilter, the number of
  // whole words in the block.
  int32_t num_words;
};

struct RefusedString {
  const char* text;
  const char* value;  // Part of the message that repeats the value.
  const char* range;  // Part of the message that says what is valid.
};

const std::vector<AcceptedString>& AcceptedStrings();
const std::vector<RefusedString>& RefusedStrings();

// Returns the size in bytes of a filter block, including a trailer.
size_t BlockSize(const AcceptedString& accepted);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_POLICY_POLICY_STRINGS_H_
