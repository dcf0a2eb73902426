// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPRESSED_DATA_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPRESSED_DATA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

// Compresses a chunk as Cassandra's LZ4Compressor does. If `dictionary` is not
// empty, compresses the chunk as ScyllaDB's LZ4WithDictsCompressor does.
std::string CompressLz4(const std::string& bytes,
                        const std::string& dictionary = "");

std::string WithChecksum(const std::string& bytes);

// Returns a chunk as Data.db stores it. The result is `compressed` if
// `compressed` is shorter than `max_compressed` bytes, and otherwise `bytes`.
// If `bytes` is also shorter, zeros are added up to `max_compressed` bytes,
// because a reader decides by the length whether a chunk is compressed
// (Cassandra's io.compress.CompressedSequentialWriter.flushData).
std::string StoredChunk(const std::string& compressed, const std::string& bytes,
                        size_t max_compressed);

using Options = std::vector<std::pair<std::string, std::string>>;

// If `max_compressed_length` is not set, the file does not have this field.
std::string CompressionInfoOf(const std::string& compressor,
                              const Options& options, int64_t chunk_length,
                              std::optional<int64_t> max_compressed_length,
                              int64_t data_length,
                              const std::vector<uint64_t>& offsets);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPRESSED_DATA_H_
