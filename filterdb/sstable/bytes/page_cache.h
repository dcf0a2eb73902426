// SPDX-License-Identifier: Apache-2.0

// Caches recently read pages of a file in a fixed amount of memory.
// Tested in filterdb/tests/sstable/bytes/byte_reader_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_PAGE_CACHE_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_PAGE_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "filterdb/sstable/bytes/random_access_file.h"

namespace cassandra_bloom::tools {

class PageCache {
 public:
  // In bytes. Cassandra (io.util.PageAware) and ScyllaDB (BTI_PAGE_SIZE) write
  // each node of a trie within one page of this size.
  static constexpr size_t kPageSize = 4096;

  // `file` must outlive this object. `num_pages` must be a power of two.
  PageCache(const RandomAccessFile& file, size_t num_pages);

  // Gets one or more bytes at `offset`, which must be less than the size of the
  // file. The bytes are valid until the next call.
  bool ReadSome(uint64_t offset, std::string_view* bytes, std::string* error) {
    const uint64_t page = offset / kPageSize;
    const auto slot = static_cast<size_t>(page & slot_mask_);
    if (pages_[slot].number != page && !Load(page, slot, error)) {
      return false;
    }
    const auto from = static_cast<size_t>(offset % kPageSize);
    *bytes = std::string_view(memory_.get() + slot * kPageSize + from,
                              pages_[slot].size - from);
    return true;
  }

  // Gets `size` bytes, which must lie within the file. The bytes are valid
  // until the next call.
  bool ReadExactly(uint64_t offset, size_t size, std::string_view* bytes,
                   std::string* error);

 private:
  static constexpr uint64_t kNoPage = UINT64_MAX;

  struct Page {
    uint64_t number = kNoPage;
    size_t size = 0;
  };

  bool Load(uint64_t page, size_t slot, std::string* error);

  const RandomAccessFile& file_;
  const std::unique_ptr<char[]> memory_;
  const uint64_t slot_mask_;
  std::vector<Page> pages_;  // The page in each slot of memory_.
  std::string joined_;       // For a result that spans several pages.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_PAGE_CACHE_H_
