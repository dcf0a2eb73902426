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

// A chunk as LZ4Compressor writes it, or ScyllaDB's LZ4WithDictsCompressor with
// a dictionary.
std::string CompressLz4(const std::string& bytes,
                        const std::string& dictionary = "");

// The bytes and their CRC32.
std::string WithChecksum(const std::string& bytes);

// The stored bytes of a chunk: `compressed`, or `bytes` as they are if that has
// `max_compressed` bytes or more. A reader knows from the length alone that a
// chunk is not compressed, so a short last chunk is filled with zeros
// (io.compress.CompressedSequentialWriter.flushData).
std::string StoredChunk(const std::string& compressed, const std::string& bytes,
                        size_t max_compressed);

using Options = std::vector<std::pair<std::string, std::string>>;

// The bytes of a CompressionInfo.db. `max_compressed_length`: left out if it is
// not given.
std::string CompressionInfoOf(const std::string& compressor,
                              const Options& options, int64_t chunk_length,
                              std::optional<int64_t> max_compressed_length,
                              int64_t data_length,
                              const std::vector<uint64_t>& offsets);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FAKE_SSTABLE_COMPRESSED_DATA_H_
