// SPDX-License-Identifier: Apache-2.0

// Chunks of a Data.db as compressors write them, and CompressionInfo.db.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPRESSED_DATA_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPRESSED_DATA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

// A chunk as Cassandra's LZ4Compressor writes it or, with a dictionary, as
// ScyllaDB's LZ4WithDictsCompressor writes it.
std::string CompressLz4(const std::string& bytes,
                        const std::string& dictionary = "");

// The bytes and their CRC32.
std::string WithChecksum(const std::string& bytes);

// The bytes of a chunk in the file. This is `compressed` if it is shorter than
// `max_compressed`, otherwise `bytes`. A reader tells only by the length that a
// chunk is not compressed, so a short last chunk is filled with zeros up to
// `max_compressed` bytes (io.compress.CompressedSequentialWriter.flushData).
std::string StoredChunk(const std::string& compressed, const std::string& bytes,
                        size_t max_compressed);

using Options = std::vector<std::pair<std::string, std::string>>;

// The bytes of a CompressionInfo.db. If `max_compressed_length` is not set, the
// file does not have this field.
std::string CompressionInfoOf(const std::string& compressor,
                              const Options& options, int64_t chunk_length,
                              std::optional<int64_t> max_compressed_length,
                              int64_t data_length,
                              const std::vector<uint64_t>& offsets);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPRESSED_DATA_H_
