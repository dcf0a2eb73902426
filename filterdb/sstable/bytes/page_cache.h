// SPDX-License-Identifier: Apache-2.0

// Caches recently read pages of a file in a fixed amount of memory.
// Tested in filterdb/tests/sstable/partitions_db_reader_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_PAGE_CACHE_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_PAGE_CACHE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/bytes/random_access_file.h"

namespace cassandra_bloom::tools {

// The bytes of a file whose readers go back and forth, as in a trie.
class PageCache final : public ByteSource {
 public:
  // In bytes. Cassandra (io.util.PageAware) and ScyllaDB (BTI_PAGE_SIZE) write
  // each node of a trie within one page of this size.
  static constexpr size_t kPageSize = 4096;

  // `num_pages` must be a power of two.
  PageCache(std::unique_ptr<RandomAccessFile> file, size_t num_pages)
      : ByteSource(file->path(), file->size()),
        file_(std::move(file)),
        memory_(new char[num_pages * kPageSize]),
        slot_mask_(num_pages - 1),
        pages_(num_pages, kNoPage) {}

  bool ReadSome(uint64_t position, std::string_view* bytes,
                std::string* error) override {
    const uint64_t page = position / kPageSize;
    const auto slot = static_cast<size_t>(page & slot_mask_);
    if (pages_[slot] != page && !Load(page, slot, error)) {
      return false;
    }
    const auto from = static_cast<size_t>(position % kPageSize);
    *bytes = std::string_view(memory_.get() + slot * kPageSize + from,
                              SizeOf(page) - from);
    return true;
  }

 private:
  static constexpr uint64_t kNoPage = UINT64_MAX;

  // Returns the size in bytes. The last page of a file may be shorter.
  size_t SizeOf(uint64_t page) const {
    return static_cast<size_t>(
        std::min<uint64_t>(kPageSize, size() - page * kPageSize));
  }

  bool Load(uint64_t page, size_t slot, std::string* error) {
    pages_[slot] = kNoPage;
    if (!file_->ReadTo(page * kPageSize, SizeOf(page),
                       memory_.get() + slot * kPageSize, error)) {
      return false;
    }
    pages_[slot] = page;
    return true;
  }

  const std::unique_ptr<RandomAccessFile> file_;
  const std::unique_ptr<char[]> memory_;
  const uint64_t slot_mask_;
  std::vector<uint64_t> pages_;  // The page in each slot of memory_.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_PAGE_CACHE_H_
