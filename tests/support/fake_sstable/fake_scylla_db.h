// SPDX-License-Identifier: Apache-2.0

// Writes a Scylla.db by ScyllaDB's docs/dev/sstable-scylla-format.md.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SCYLLA_DB_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SCYLLA_DB_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

// The tag and the bytes of a part.
using ScyllaPart = std::pair<uint32_t, std::string>;
// The number of a component and its digest.
using ScyllaDigests = std::vector<std::pair<uint32_t, uint32_t>>;

ScyllaPart DigestsPart(const ScyllaDigests& digests);

// The content of a Scylla.db with these parts. `has_crc`: whether the CRC-32 of
// the content is at its end, as it is if one of the parts has digests.
std::string ScyllaDbContent(const std::vector<ScyllaPart>& parts, bool has_crc);

// Writes the Scylla.db of an SSTable, with the digests of its components.
// `prefix`: the path of each component without its "Data.db".
void WriteScyllaDb(const std::string& prefix);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_FAKE_SCYLLA_DB_H_
