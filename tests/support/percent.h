// SPDX-License-Identifier: Apache-2.0

// How much of a large test to do.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_PERCENT_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_PERCENT_H_

#include <cstdint>
#include <cstdlib>
#include <optional>

namespace cassandra_bloom::testing {

// What the environment variable CASSANDRA_BLOOM_PERCENT says, if it is there.
inline std::optional<uint64_t> Percent() {
  const char* const given = std::getenv("CASSANDRA_BLOOM_PERCENT");
  return given == nullptr
             ? std::nullopt
             : std::optional<uint64_t>(std::strtoull(given, nullptr, 10));
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_PERCENT_H_
