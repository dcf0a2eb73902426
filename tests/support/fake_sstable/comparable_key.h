// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPARABLE_KEY_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPARABLE_KEY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::testing {

// Returns h1 of the key's hash, as org.apache.cassandra.dht.Murmur3Partitioner
// does. Only the empty key has the lowest number as its token.
int64_t Murmur3Token(std::string_view key);

// Sorts by token, then by the bytes of the key.
void SortByToken(std::vector<std::string>* keys);

// Returns Cassandra's byte-comparable form (version OSS50) of a key and its
// token. The byte order of these forms is the order of the partitions.
std::string ComparableForm(std::string_view key);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPARABLE_KEY_H_
