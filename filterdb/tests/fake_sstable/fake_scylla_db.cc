// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/fake_scylla_db.h"

#include <cstddef>
#include <filesystem>
#include <map>

#include "filterdb/tests/fake_sstable/checksums.h"
#include "plugin/filter/endian.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

constexpr uint32_t kTagOfDigests = 12;

// The numbers of ScyllaDB's sstables/component_type.hh.
const std::map<uint32_t, std::string>& Components() {
  static const std::map<uint32_t, std::string> components = {
      {0, "Index.db"},   {2, "Data.db"},       {3, "TOC.txt"},
      {4, "Summary.db"}, {7, "Filter.db"},     {8, "Statistics.db"},
      {12, "Rows.db"},   {13, "Partitions.db"}};
  return components;
}

// What WriteScyllaDb writes around the digests. The tag 99 stands for a part
// that later versions of ScyllaDB may add.
const ScyllaPart kFeatures = {2, "features"};
const ScyllaPart kNewPart = {99, "new"};

}  // namespace

ScyllaPart DigestsPart(const ScyllaDigests& digests) {
  std::string bytes = BigEndian(digests.size(), 4);
  for (const auto& [component, digest] : digests) {
    bytes += BigEndian(component, 4) + BigEndian(digest, 4);
  }
  return {kTagOfDigests, bytes};
}

std::string ScyllaDbContent(const std::vector<ScyllaPart>& parts,
                            bool has_crc) {
  std::string content = BigEndian(parts.size(), 4);
  for (const auto& [tag, bytes] : parts) {
    content += BigEndian(tag, 4) + BigEndian(bytes.size(), 4) + bytes;
  }
  return has_crc ? WithChecksum(content) : content;
}

void WriteScyllaDb(const std::string& prefix) {
  ScyllaDigests digests;
  for (const auto& [number, name] : Components()) {
    if (std::filesystem::exists(prefix + name)) {
      digests.emplace_back(number, Crc32(ReadFile(prefix + name)));
    }
  }
  WriteFile(prefix + "Scylla.db",
            ScyllaDbContent({kFeatures, DigestsPart(digests), kNewPart},
                            /*has_crc=*/true));
}

std::string RightScyllaDb(const std::string& prefix) {
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
    const std::string path = prefix + Components().at(number);
    digests.emplace_back(number, std::filesystem::exists(path)
                                     ? Crc32(ReadFile(path))
                                     : number_at(at + 4));
  }
  return ScyllaDbContent({kFeatures, DigestsPart(digests), kNewPart},
                         /*has_crc=*/true);
}

}  // namespace cassandra_bloom::testing
