// SPDX-License-Identifier: Apache-2.0

// The order of the partitions in an SSTable with Murmur3Partitioner.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPARABLE_KEY_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPARABLE_KEY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::testing {

// The token of a key: h1 of its hash. Only the empty key has the lowest token,
// which stands for "before all keys"
// (org.apache.cassandra.dht.Murmur3Partitioner). If another key's h1 is the
// lowest number, its token is the highest number.
int64_t Murmur3Token(std::string_view key);

// Sorts by token, then by the bytes of the key.
void SortByToken(std::vector<std::string>* keys);

// The byte-comparable form (version OSS50) of a key with its token. The byte
// order of these forms is the order of the partitions.
std::string ComparableForm(std::string_view key);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPARABLE_KEY_H_
