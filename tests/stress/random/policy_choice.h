// SPDX-License-Identifier: Apache-2.0

// Draws the filter policy of a column family: none, one of RocksDB's own, or
// one of ours.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_POLICY_CHOICE_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_POLICY_CHOICE_H_

#include <string>

#include "tests/stress/random/draws.h"

namespace cassandra_bloom::testing {

// Which member of PolicyChoice to use. kOurs is mostly a policy of
// cassandra_bloom. kBuiltin is always RocksDB's own policy, or none.
enum class Stand { kOurs, kBuiltin };

struct PolicyChoice {
  std::string ours;     // A filter_policy string.
  std::string builtin;  // RocksDB's policy with about as many bits per key.

  const std::string& In(Stand stand) const {
    return stand == Stand::kOurs ? ours : builtin;
  }
};

// `partition_key` says where the partition key is in keys.
PolicyChoice DrawPolicy(const std::string& partition_key, Draws* draws);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_POLICY_CHOICE_H_
