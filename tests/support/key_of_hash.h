// SPDX-License-Identifier: Apache-2.0

// A key for a hash: any hash has exactly one of 16 bytes.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_OF_HASH_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_OF_HASH_H_

#include <array>
#include <cstdint>

namespace cassandra_bloom::testing {

// The 16 bytes that NaiveFilter::Hash makes {h1, h2} of. It shares no code with
// the core.
std::array<char, 16> KeyOfHash(uint64_t h1, uint64_t h2);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_KEY_OF_HASH_H_
