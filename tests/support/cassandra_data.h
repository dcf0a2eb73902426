// SPDX-License-Identifier: Apache-2.0

// Data that real Cassandra code produced; see tests/data/README.md.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// The fields of each line of a table in tests/data, without comment lines.
std::vector<std::vector<std::string>> ReadCassandraTable(
    const std::string& file_name);

// The SSTable folders in tests/data/sstables, sorted.
std::vector<std::string> CassandraSstables();

// The SSTable folders in tests/data/compacted_sstables, sorted: they have no
// keys.txt.
std::vector<std::string> CompactedSstables();

// SSTable folders of other projects, sorted. They are in the folder that the
// environment variable CASSANDRA_BLOOM_CORPUS names, by default
// ../shared/cassandra/corpus next to this checkout. They are test data of
// Cassandra and ScyllaDB, so they are not in this repository. Without them, the
// tests that read them are skipped.
std::vector<std::string> CorpusSstables();

// SSTable folders that are as those in tests/data/sstables but larger, sorted,
// with keys.txt.
// They are in the folder "sstables" beside the folder of CorpusSstables, and
// not in this repository; without them there are none.
std::vector<std::string> SstablesBesideCorpus();

// The fields of each line of trie_nodes.txt in that folder: more nodes as those
// in tests/data/trie_nodes.tsv. Empty if there is no such file.
std::vector<std::vector<std::string>> TrieNodesBesideCorpus();

std::string FromHex(const std::string& hex);

// Key number `i` of set "i", "ii" or "iii" of the vectors.
std::string VectorKey(const std::string& set, uint32_t i);

}  // namespace cassandra_bloom::testing

#define SKIP_WITHOUT_CORPUS(folders)                                     \
  if ((folders).empty()) {                                               \
    GTEST_SKIP() << "opt-in: CASSANDRA_BLOOM_CORPUS names no folder of " \
                    "other people's SSTables";                           \
  }

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
