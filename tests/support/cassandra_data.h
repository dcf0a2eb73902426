// SPDX-License-Identifier: Apache-2.0

// Data that real Cassandra code produced. See tests/data/README.md.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// Returns the fields of each line of a table in tests/data.
std::vector<std::vector<std::string>> ReadCassandraTable(
    const std::string& file_name);

// Returns the folders in tests/data/sstables, sorted. Each has one SSTable.
std::vector<std::string> CassandraSstables();

// Returns the folders in tests/data/compacted_sstables, without keys.txt.
std::vector<std::string> CompactedSstables();

// Returns folders with SSTables of other projects, which are not in this
// repository. The environment variable CASSANDRA_BLOOM_CORPUS names their
// parent folder. The default is ../shared/cassandra/corpus next to this
// checkout.
std::vector<std::string> CorpusSstables();

// Returns folders with larger SSTables, in `sstables` beside the folder of
// CorpusSstables. The result may be empty.
std::vector<std::string> SstablesBesideCorpus();

// Returns the fields of each line of trie_nodes.txt in `sstables` beside the
// folder of CorpusSstables. The result may be empty.
std::vector<std::vector<std::string>> TrieNodesBesideCorpus();

std::string FromHex(const std::string& hex);

// Returns key number `i` of the set "i", "ii" or "iii". Cassandra made the
// filters in tests/data/vectors.tsv from these sets.
std::string VectorKey(const std::string& set, uint32_t i);

}  // namespace cassandra_bloom::testing

#define SKIP_WITHOUT_CORPUS(folders)                                     \
  if ((folders).empty()) {                                               \
    GTEST_SKIP() << "opt-in: CASSANDRA_BLOOM_CORPUS names no folder of " \
                    "other people's SSTables";                           \
  }

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
