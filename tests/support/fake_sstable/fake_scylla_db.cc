// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/fake_scylla_db.h"

#include <filesystem>

#include "tests/support/fake_sstable/big_endian_out.h"
#include "tests/support/fake_sstable/checksums.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

ScyllaPart DigestsPart(const ScyllaDigests& digests) {
  std::string bytes;
  AppendBigEndian(digests.size(), 4, &bytes);
  for (const auto& [component, digest] : digests) {
    AppendBigEndian(component, 4, &bytes);
    AppendBigEndian(digest, 4, &bytes);
  }
  return {12, bytes};
}

std::string ScyllaDbContent(const std::vector<ScyllaPart>& parts,
                            bool has_crc) {
  std::string content;
  AppendBigEndian(parts.size(), 4, &content);
  for (const auto& [tag, bytes] : parts) {
    AppendBigEndian(tag, 4, &content);
    AppendBigEndian(bytes.size(), 4, &content);
    content += bytes;
  }
  if (has_crc) {
    AppendBigEndian(Crc32(content), 4, &content);
  }
  return content;
}

void WriteScyllaDb(const std::string& prefix) {
  const std::vector<std::pair<uint32_t, std::string>> components = {
      {0, "Index.db"},   {2, "Data.db"},       {3, "TOC.txt"},
      {4, "Summary.db"}, {7, "Filter.db"},     {8, "Statistics.db"},
      {12, "Rows.db"},   {13, "Partitions.db"}};
  ScyllaDigests digests;
  for (const auto& [number, name] : components) {
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

}  // namespace cassandra_bloom::testing
