// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_PERCENT_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_PERCENT_H_

#include <cstdint>
#include <cstdlib>
#include <optional>

namespace cassandra_bloom::testing {

// Returns how many percent of a large test to run. Returns nullopt if the
// environment variable CASSANDRA_BLOOM_PERCENT is not set.
inline std::optional<uint64_t> Percent() {
  const char* const given = std::getenv("CASSANDRA_BLOOM_PERCENT");
  return given == nullptr
             ? std::nullopt
             : std::optional<uint64_t>(std::strtoull(given, nullptr, 10));
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_PERCENT_H_
