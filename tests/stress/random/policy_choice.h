// SPDX-License-Identifier: Apache-2.0

// Draws the filter policy of a column family: none, one of RocksDB's own, or
// one of ours in either form and with all its options. A column family may have
// another one whenever the database is reopened.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_POLICY_CHOICE_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_POLICY_CHOICE_H_

#include "tests/stress/random/configuration.h"
#include "tests/stress/random/draws.h"

namespace cassandra_bloom::testing {

PolicyChoice DrawPolicy(const FamilyConfiguration& family, Draws* draws);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_POLICY_CHOICE_H_
