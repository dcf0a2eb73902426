// SPDX-License-Identifier: Apache-2.0

// Writes and checks a Scylla.db as ScyllaDB's docs/dev/sstable-scylla-format.md
// says. Shares no code with filterdb.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_SCYLLA_DB_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_SCYLLA_DB_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

// The tag and the bytes of one part of a Scylla.db.
using ScyllaPart = std::pair<uint32_t, std::string>;
// The number and the digest of each component of an SSTable.
using ScyllaDigests = std::vector<std::pair<uint32_t, uint32_t>>;

ScyllaPart DigestsPart(const ScyllaDigests& digests);

// If `has_crc` is true, the content ends with its CRC-32.
std::string ScyllaDbContent(const std::vector<ScyllaPart>& parts, bool has_crc);

// `prefix` is the path of Data.db without "Data.db".
void WriteScyllaDb(const std::string& prefix);

// Returns what Scylla.db must be after a change of other components: as
// WriteScyllaDb wrote it, but with the new digest of each component that
// exists.
std::string RightScyllaDb(const std::string& prefix);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_SCYLLA_DB_H_
