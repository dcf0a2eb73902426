// Data that real Cassandra code produced, if this checkout has it beside itself
// (in ../shared/cassandra, or where the environment variable
// CASSANDRA_BLOOM_TEST_DATA says).

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

namespace cassandra_bloom::testing {

// The fields of the lines of a table, without the comments. Empty if there is
// no such file: the test then says so and is skipped.
std::vector<std::vector<std::string>> ReadCassandraTable(
    const std::string& file_name);

// The folders in a folder, in order. Empty if there is none.
std::vector<std::string> ListCassandraFolders(const std::string& folder_name);

std::string FromHex(const std::string& hex);

// Set i, ii or iii of the vectors: key number `i`.
std::string VectorKey(const std::string& set, uint32_t i);

}  // namespace cassandra_bloom::testing

#define SKIP_WITHOUT(table)                                           \
  if ((table).empty()) {                                              \
    GTEST_SKIP() << "no data of real Cassandra beside this checkout"; \
  }

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_CASSANDRA_DATA_H_
