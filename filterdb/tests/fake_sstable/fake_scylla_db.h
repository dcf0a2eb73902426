// SPDX-License-Identifier: Apache-2.0

// Writes and checks a Scylla.db as ScyllaDB's docs/dev/sstable-scylla-format.md
// says. Shares no code with filterdb.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_SCYLLA_DB_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_SCYLLA_DB_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "filterdb/tests/fake_sstable/checksums.h"
#include "plugin/filter/endian.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// The tag and the bytes of one part of a Scylla.db.
using ScyllaPart = std::pair<uint32_t, std::string>;
// The number and the digest of each component of an SSTable.
using ScyllaDigests = std::vector<std::pair<uint32_t, uint32_t>>;

inline constexpr uint32_t kTagOfDigests = 12;

// The numbers of ScyllaDB's sstables/component_type.hh.
inline const std::map<uint32_t, std::string>& ScyllaComponents() {
  static const std::map<uint32_t, std::string> components = {
      {0, "Index.db"},   {2, "Data.db"},       {3, "TOC.txt"},
      {4, "Summary.db"}, {7, "Filter.db"},     {8, "Statistics.db"},
      {12, "Rows.db"},   {13, "Partitions.db"}};
  return components;
}

// What WriteScyllaDb writes around the digests. The tag 99 stands for a part
// that later versions of ScyllaDB may add.
inline const ScyllaPart kFeatures = {2, "features"};
inline const ScyllaPart kNewPart = {99, "new"};

inline ScyllaPart DigestsPart(const ScyllaDigests& digests) {
  std::string bytes = BigEndian(digests.size(), 4);
  for (const auto& [component, digest] : digests) {
    bytes += BigEndian(component, 4) + BigEndian(digest, 4);
  }
  return {kTagOfDigests, bytes};
}

// If `has_crc` is true, the content ends with its CRC-32.
inline std::string ScyllaDbContent(const std::vector<ScyllaPart>& parts,
                                   bool has_crc) {
  std::string content = BigEndian(parts.size(), 4);
  for (const auto& [tag, bytes] : parts) {
    content += BigEndian(tag, 4) + BigEndian(bytes.size(), 4) + bytes;
  }
  return has_crc ? WithChecksum(content) : content;
}

// `prefix` is the path of Data.db without "Data.db".
inline void WriteScyllaDb(const std::string& prefix) {
  ScyllaDigests digests;
  for (const auto& [number, name] : ScyllaComponents()) {
    if (std::filesystem::exists(prefix + name)) {
      digests.emplace_back(number, Crc32(ReadFile(prefix + name)));
    }
  }
  WriteFile(prefix + "Scylla.db",
            ScyllaDbContent({kFeatures, DigestsPart(digests), kNewPart},
                            /*has_crc=*/true));
}

// Returns what Scylla.db must be after a change of other components: as
// WriteScyllaDb wrote it, but with the new digest of each component that
// exists.
inline std::string RightScyllaDb(const std::string& prefix) {
  const std::string content = ReadFile(prefix + "Scylla.db");
  const auto number_at = [&](size_t at) {
    return static_cast<uint32_t>(LoadBigEndian32(&content.at(at)));
  };
  // The tag and the size of a part have 8 bytes. All other numbers have 4.
  const size_t begin = 4 + 8 + kFeatures.second.size() + 8 + 4;
  const size_t end = content.size() - 4 - kNewPart.second.size() - 8;
  ScyllaDigests digests;
  for (size_t at = begin; at < end; at += 8) {
    const uint32_t number = number_at(at);
    const std::string path = prefix + ScyllaComponents().at(number);
    digests.emplace_back(number, std::filesystem::exists(path)
                                     ? Crc32(ReadFile(path))
                                     : number_at(at + 4));
  }
  return ScyllaDbContent({kFeatures, DigestsPart(digests), kNewPart},
                         /*has_crc=*/true);
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_SCYLLA_DB_H_
