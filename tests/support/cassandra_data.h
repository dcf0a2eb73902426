// SPDX-License-Identifier: Apache-2.0

// Data that real Cassandra code produced: tests/data/README.md.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// The fields of the lines of a table in tests/data, without the comments.
std::vector<std::vector<std::string>> ReadCassandraTable(
    const std::string& file_name);

// The folders of whole SSTables in tests/data/sstables, in order.
std::vector<std::string> CassandraSstables();

// The folders of other people's SSTables, in order: those in the folder that
// the environment variable CASSANDRA_BLOOM_CORPUS names, or else in
// ../shared/cassandra/corpus beside this checkout. They are not in this
// repository, as they are test data of Cassandra and ScyllaDB; without them the
// tests that read them are skipped.
std::vector<std::string> CorpusSstables();

std::string FromHex(const std::string& hex);

// Set i, ii or iii of the vectors: key number `i`.
std::string VectorKey(const std::string& set, uint32_t i);

}  // namespace cassandra_bloom::testing

#define SKIP_WITHOUT_CORPUS(folders)                                     \
  if ((folders).empty()) {                                               \
    GTEST_SKIP() << "opt-in: CASSANDRA_BLOOM_CORPUS names no folder of " \
                    "other people's SSTables";                           \
  }

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
