// SPDX-License-Identifier: Apache-2.0

// Data that real Cassandra code produced. See tests/data/README.md.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// Returns the fields of each line of a table in tests/data.
std::vector<std::vector<std::string>> ReadCassandraTable(
    const std::string& file_name);

// Returns the folders in tests/data/sstables, sorted. Each has one SSTable.
std::vector<std::string> CassandraSstables();

// Returns the folders in tests/data/compacted_sstables, sorted. Unlike the
// folders in tests/data/sstables, they have no keys.txt.
std::vector<std::string> CompactedSstables();

// Returns the folders in tests/data/recorded, sorted. Each has one SSTable, of
// any version since `ia`.
std::vector<std::string> RecordedSstables();

// Returns one of these folders by its name, such as "nb_deflate".
std::string RecordedSstable(const std::string& name);

// Returns the bloom_filter_fp_chance with which Cassandra wrote the SSTable in
// a folder of SstablesWithKeys.
double PlannedFpChance(const std::string& folder);

// Returns the path of a component such as "Data.db" in a folder with one
// SSTable, or "" if there is none.
std::string ComponentIn(const std::string& folder,
                        const std::string& component);

// Returns the folders with SSTables of other projects. These SSTables are not
// in this repository. The environment variable CASSANDRA_BLOOM_CORPUS names the
// parent of the folders. Without it, this function returns an empty vector.
std::vector<std::string> CorpusSstables();

// Returns those of CassandraSstables and RecordedSstables, and the larger
// SSTables in the folder `sstables` beside that of CASSANDRA_BLOOM_CORPUS. Each
// has the keys of its SSTable, in their order.
std::vector<std::string> SstablesWithKeys();

std::string FromHex(const std::string& hex);

// Returns the bytes of each line of a file of hexadecimal digits.
std::vector<std::string> HexLines(const std::string& path);

// Returns key number `i` of the set "i", "ii" or "iii". Cassandra made the
// filters in tests/data/vectors.tsv from these sets.
std::string VectorKey(const std::string& set, uint32_t i);

}  // namespace cassandra_bloom::testing

#define SKIP_WITHOUT_CORPUS()                             \
  if (std::getenv("CASSANDRA_BLOOM_CORPUS") == nullptr) { \
    GTEST_SKIP() << "CASSANDRA_BLOOM_CORPUS is not set";  \
  }

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
