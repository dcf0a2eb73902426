// SPDX-License-Identifier: Apache-2.0

// Compressed chunks, and CompressionInfo.db, as Cassandra writes them since
// version `ma`.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_COMPRESSED_DATA_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_COMPRESSED_DATA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

// The compressors of ScyllaDB with "WithDicts" in their names use `dictionary`.
// Returns `bytes` unchanged if `compressor` is not known.
std::string Compress(const std::string& compressor, const std::string& bytes,
                     const std::string& dictionary = "");

using Options = std::vector<std::pair<std::string, std::string>>;

// If `max_compressed_length` is not set, the file does not have this field.
std::string CompressionInfoOf(const std::string& compressor,
                              const Options& options, int64_t chunk_length,
                              std::optional<int64_t> max_compressed_length,
                              int64_t data_length,
                              const std::vector<uint64_t>& offsets);

struct CompressedData {
  std::string data;
  std::string info;  // CompressionInfo.db
};

CompressedData CompressData(const std::string& data,
                            const std::string& compressor, size_t chunk_length,
                            std::optional<int32_t> max_compressed_length);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_COMPRESSED_DATA_H_
