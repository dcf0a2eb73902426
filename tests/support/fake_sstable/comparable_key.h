// SPDX-License-Identifier: Apache-2.0

// The order of the partitions in an SSTable with Murmur3Partitioner.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPARABLE_KEY_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPARABLE_KEY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::testing {

// h1 of the key's hash. The lowest token stands for "before all keys"
// (org.apache.cassandra.dht.Murmur3Partitioner), so no key but the empty one
// has it.
int64_t Murmur3Token(std::string_view key);

// Sorts by token, then by the bytes of the key.
void SortByToken(std::vector<std::string>* keys);

// The byte-comparable form (version OSS50) of a token and its key: the order of
// these forms, byte by byte, is that of the partitions.
std::string ComparableForm(std::string_view key);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPARABLE_KEY_H_
