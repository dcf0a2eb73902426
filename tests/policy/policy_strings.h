// SPDX-License-Identifier: Apache-2.0

// The filter_policy strings of the tests: what is accepted and as what, and
// what is refused and with which words.

#ifndef CASSANDRA_BLOOM_TESTS_POLICY_POLICY_STRINGS_H_
#define CASSANDRA_BLOOM_TESTS_POLICY_POLICY_STRINGS_H_

#include <cstdint>
#include <vector>

namespace cassandra_bloom::testing {

// The number of keys for which the tables below give the size of the filter.
constexpr int kNumTableKeys = 1000;

struct AcceptedString {
  const char* text;
  const char* id;      // What GetId answers.
  int32_t num_probes;  // k; 0 if no filter is built.
  int32_t num_words;   // Of a filter of kNumTableKeys keys.
};

struct RefusedString {
  const char* text;
  const char* value;  // The message repeats it ...
  const char* range;  // ... and says what would be right.
};

const std::vector<AcceptedString>& AcceptedStrings();
const std::vector<RefusedString>& RefusedStrings();

// Both forms of a filter_policy value can be written anywhere: the short one,
// and options in braces.
bool IsInBraces(const char* text);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_POLICY_POLICY_STRINGS_H_
