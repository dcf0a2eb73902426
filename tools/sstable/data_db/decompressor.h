// SPDX-License-Identifier: Apache-2.0

// Decompresses chunks of a Data.db.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_DECOMPRESSOR_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_DECOMPRESSOR_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace cassandra_bloom::tools {

class Decompressor {
 public:
  Decompressor() = default;
  virtual ~Decompressor() = default;
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // Decompresses `chunk`, which must give exactly `size` bytes, into `to`.
  // Otherwise returns false and says in `*what` why.
  virtual bool Decompress(std::string_view chunk, size_t size, char* to,
                          std::string* what) = 0;
};

// `name`: the class of a compressor of Cassandra 5.0.1 or ScyllaDB, without its
// package. Returns nullptr if it is not known. `dictionary`: of ScyllaDB's
// LZ4WithDictsCompressor and ZstdWithDictsCompressor, and must outlive the
// decompressor; the others ignore it.
std::unique_ptr<Decompressor> NewDecompressor(const std::string& name,
                                              const std::string& dictionary);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DB_DECOMPRESSOR_H_
