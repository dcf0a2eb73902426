// SPDX-License-Identifier: Apache-2.0

// The filter_policy strings of the tests: accepted ones with the resulting
// policy, and refused ones with parts of the message.

#ifndef CASSANDRA_BLOOM_TESTS_POLICY_POLICY_STRINGS_H_
#define CASSANDRA_BLOOM_TESTS_POLICY_POLICY_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cassandra_bloom::testing {

// The number of keys of the filters whose size the tables below give.
constexpr int kNumTableKeys = 1000;

// The num_probes of a policy that builds one of RocksDB's own filters.
constexpr int32_t kRocksdbsFilter = -1;

struct AcceptedString {
  const char* text;
  const char* id;  // What GetId answers.
  // k; 0 if no filter is built, or kRocksdbsFilter.
  int32_t num_probes;
  // The size, in 64-bit words, of our filter of kNumTableKeys keys. For
  // kRocksdbsFilter, the whole words of the filter block.
  int32_t num_words;
};

struct RefusedString {
  const char* text;
  const char* value;  // The part of the message that repeats the value.
  const char* range;  // The part that says what is valid.
};

const std::vector<AcceptedString>& AcceptedStrings();
const std::vector<RefusedString>& RefusedStrings();

// The size of a filter block of kNumTableKeys keys, with its trailer if the
// policy's blocks have one.
size_t BlockSize(const AcceptedString& accepted);

// Whether a filter_policy value is written as options in braces. Not every
// route can carry that form.
bool IsInBraces(const char* text);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_POLICY_POLICY_STRINGS_H_
