// SPDX-License-Identifier: Apache-2.0

// Finds a key for a hash: exactly one 16-byte key has a given 128-bit hash.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_OF_HASH_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_OF_HASH_H_

#include <array>
#include <cstdint>

namespace cassandra_bloom::testing {

// The 16-byte key whose NaiveFilter::Hash is {h1, h2}. Shares no code with the
// core.
std::array<char, 16> KeyOfHash(uint64_t h1, uint64_t h2);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_OF_HASH_H_
