// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/page_cache.h"

#include <utility>

namespace cassandra_bloom::tools {

PageCache::PageCache(std::unique_ptr<RandomAccessFile> file, size_t num_pages)
    : ByteSource(file->path(), file->size()),
      file_(std::move(file)),
      memory_(new char[num_pages * kPageSize]),
      slot_mask_(num_pages - 1),
      pages_(num_pages, kNoPage) {}

bool PageCache::Load(uint64_t page, size_t slot, std::string* error) {
  pages_[slot] = kNoPage;
  if (!file_->ReadTo(page * kPageSize, SizeOf(page),
                     memory_.get() + slot * kPageSize, error)) {
    return false;
  }
  pages_[slot] = page;
  return true;
}

}  // namespace cassandra_bloom::tools
