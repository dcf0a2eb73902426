// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/page_cache.h"

#include <algorithm>
#include <utility>

namespace cassandra_bloom::tools {

PageCache::PageCache(std::unique_ptr<RandomAccessFile> file, size_t num_pages)
    : ByteSource(file->path(), file->size()),
      file_(std::move(file)),
      memory_(new char[num_pages * kPageSize]),
      slot_mask_(num_pages - 1),
      pages_(num_pages) {}

bool PageCache::Load(uint64_t page, size_t slot, std::string* error) {
  const uint64_t position = page * kPageSize;
  const auto wanted =
      static_cast<size_t>(std::min<uint64_t>(kPageSize, size() - position));
  pages_[slot].number = kNoPage;
  if (!file_->ReadTo(position, wanted, memory_.get() + slot * kPageSize,
                     error)) {
    return false;
  }
  pages_[slot] = {page, wanted};
  return true;
}

}  // namespace cassandra_bloom::tools
