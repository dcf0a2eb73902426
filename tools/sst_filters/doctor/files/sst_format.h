// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: the format of an SST file that RocksDB cannot open.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_SST_FORMAT_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_SST_FORMAT_H_

#include <cstdint>
#include <optional>
#include <string>

namespace cassandra_bloom::tools {

// RocksDB's name of the only SST format that has filters of a filter policy.
constexpr char kBlockBasedTable[] = "BlockBasedTable";

struct SstFormat {
  std::string table;  // The name of its table_factory in OPTIONS files.
  uint32_t format_version = 0;

  bool IsBlockBased() const { return table == kBlockBasedTable; }
};

// Reads the format from the last bytes of the file. Returns nullopt if the file
// does not end like an SST file.
std::optional<SstFormat> ReadSstFormat(const std::string& path);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_SST_FORMAT_H_
