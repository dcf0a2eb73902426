// SPDX-License-Identifier: Apache-2.0

// Data that real Cassandra code produced; see tests/data/README.md.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// The fields of each line of a table in tests/data, without comments and empty
// lines.
std::vector<std::vector<std::string>> ReadCassandraTable(
    const std::string& file_name);

// The SSTable folders in tests/data/sstables, sorted.
std::vector<std::string> CassandraSstables();

// The SSTable folders in tests/data/compacted_sstables, sorted. They have no
// keys.txt.
std::vector<std::string> CompactedSstables();

// SSTable folders of other projects, sorted. They are in the folder that the
// environment variable CASSANDRA_BLOOM_CORPUS names, by default
// ../shared/cassandra/corpus next to this checkout. They are not in this
// repository, because they are test data of Cassandra and ScyllaDB. Without
// them, the tests that read them are skipped.
std::vector<std::string> CorpusSstables();

// Larger SSTables like those in tests/data/sstables: their folders, sorted.
// They have keys.txt, are in the folder "sstables" beside the corpus folder
// (see CorpusSstables), and are not in this repository. Empty if there are
// none.
std::vector<std::string> SstablesBesideCorpus();

// The fields of each line of trie_nodes.txt in the same folder, which has more
// nodes like those in tests/data/trie_nodes.tsv. Empty if there is no such
// file.
std::vector<std::vector<std::string>> TrieNodesBesideCorpus();

std::string FromHex(const std::string& hex);

// Key number `i` of the set "i", "ii" or "iii", from which Cassandra made the
// filters in tests/data/vectors.tsv.
std::string VectorKey(const std::string& set, uint32_t i);

}  // namespace cassandra_bloom::testing

#define SKIP_WITHOUT_CORPUS(folders)                                     \
  if ((folders).empty()) {                                               \
    GTEST_SKIP() << "opt-in: CASSANDRA_BLOOM_CORPUS names no folder of " \
                    "other people's SSTables";                           \
  }

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
