// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_OF_HASH_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_OF_HASH_H_

#include <array>
#include <cstdint>

namespace cassandra_bloom::testing {

// Returns the only 16-byte key whose NaiveFilter::Hash is {h1, h2}.
std::array<char, 16> KeyOfHash(uint64_t h1, uint64_t h2);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_OF_HASH_H_
