// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/fake_scylla_db.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "filterdb/tests/fake_sstable/checksums.h"
#include "filterdb/tests/fake_sstable/compressed_data.h"
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

uint32_t NumberAt(const std::string& bytes, size_t at) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) {
    number = number << 8 | static_cast<uint8_t>(bytes.at(at + i));
  }
  return number;
}

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
  // The tag 99 stands for a part that later versions of ScyllaDB may add.
  WriteFile(
      prefix + "Scylla.db",
      ScyllaDbContent({{2, "features"}, DigestsPart(digests), {99, "new"}},
                      /*has_crc=*/true));
}

std::vector<std::string> WrongDigests(const std::string& prefix) {
  const std::string content = ReadFile(prefix + "Scylla.db");
  std::string digests;
  size_t end = 4;
  for (uint32_t left = NumberAt(content, 0); left > 0; --left) {
    const uint32_t size = NumberAt(content, end + 4);
    if (NumberAt(content, end) == kTagOfDigests) {
      digests = content.substr(end + 8, size);
    }
    end += 8 + size;
  }
  if (digests.empty()) {
    throw std::runtime_error(prefix + "Scylla.db has no digests");
  }
  std::vector<std::string> wrong;
  if (content != WithChecksum(content.substr(0, end))) {
    wrong.emplace_back("Scylla.db");
  }
  for (uint32_t i = 0; i < NumberAt(digests, 0); ++i) {
    const std::string& name = Components().at(NumberAt(digests, 4 + 8 * i));
    if (std::filesystem::exists(prefix + name) &&
        Crc32(ReadFile(prefix + name)) != NumberAt(digests, 8 + 8 * i)) {
      wrong.push_back(name);
    }
  }
  return wrong;
}

}  // namespace cassandra_bloom::testing
