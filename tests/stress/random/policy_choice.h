// SPDX-License-Identifier: Apache-2.0

// Draws the filter policy of a column family: none, one of RocksDB's own, or
// one of ours in either form and with all its options. A column family may have
// another one whenever the database is reopened.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_POLICY_CHOICE_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_POLICY_CHOICE_H_

#include <optional>
#include <string>

#include "tests/stress/random/draws.h"

namespace cassandra_bloom::testing {

// Which policy to use: cassandra_bloom (or none), or the built-in filter.
enum class Stand { kOurs, kBuiltin };

struct PolicyChoice {
  std::string ours;     // A filter_policy string.
  std::string builtin;  // A policy with about as many bits per key.

  const std::string& In(Stand stand) const {
    return stand == Stand::kOurs ? ours : builtin;
  }
};

// `partition_key`: where it is in the keys of the column family. `last_level`:
// the last level, if compaction fills levels from the first one on.
PolicyChoice DrawPolicy(const std::string& partition_key,
                        std::optional<int> last_level, Draws* draws);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_POLICY_CHOICE_H_
