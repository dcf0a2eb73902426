// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/files/sst_format.h"

#include <filesystem>
#include <fstream>

#include "plugin/filter/endian.h"

namespace cassandra_bloom::tools {
namespace {

// The number that ends an SST file (RocksDB's table/*/*_table_builder.cc). In
// files with an old number, no format_version precedes the number.
struct Magic {
  uint64_t number;
  const char* table;
  bool has_version;
};
constexpr Magic kMagics[] = {
    {0x88e241b785f4cff7, kBlockBasedTable, true},
    {0xdb4775248b80fb57, kBlockBasedTable, false},
    {0x8242229663bf9564, "PlainTable", true},
    {0x4f3418eb7a8f13b8, "PlainTable", false},
    {0x926789d0c5f17873, "CuckooTable", true},
};

}  // namespace

std::optional<SstFormat> ReadSstFormat(const std::string& path) {
  char end[12];
  std::error_code ignored;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, ignored)) {
    file.open(path, std::ios::binary);
  }
  if (!file.is_open() ||
      !file.seekg(-static_cast<int>(sizeof(end)), std::ios::end) ||
      !file.read(end, sizeof(end))) {
    return std::nullopt;
  }
  for (const Magic& magic : kMagics) {
    if (LoadLittleEndian64(end + 4) == magic.number) {
      return SstFormat{magic.table,
                       magic.has_version ? LoadLittleEndian32(end) : 0};
    }
  }
  return std::nullopt;
}

}  // namespace cassandra_bloom::tools
