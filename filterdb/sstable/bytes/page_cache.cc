// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/page_cache.h"

#include <algorithm>

namespace cassandra_bloom::tools {

PageCache::PageCache(const RandomAccessFile& file, size_t num_pages)
    : file_(file),
      memory_(new char[num_pages * kPageSize]),
      slot_mask_(num_pages - 1),
      pages_(num_pages) {}

bool PageCache::Load(uint64_t page, size_t slot, std::string* error) {
  const uint64_t offset = page * kPageSize;
  const auto size =
      static_cast<size_t>(std::min<uint64_t>(kPageSize, file_.size() - offset));
  pages_[slot].number = kNoPage;
  if (!file_.Read(offset, size, memory_.get() + slot * kPageSize, error)) {
    return false;
  }
  pages_[slot] = {page, size};
  return true;
}

bool PageCache::ReadExactly(uint64_t offset, size_t size,
                            std::string_view* bytes, std::string* error) {
  if (size == 0) {
    *bytes = {};
    return true;
  }
  if (!ReadSome(offset, bytes, error)) {
    return false;
  }
  if (bytes->size() >= size) {
    *bytes = bytes->substr(0, size);
    return true;
  }
  joined_.assign(*bytes);
  while (joined_.size() < size) {
    if (!ReadSome(offset + joined_.size(), bytes, error)) {
      return false;
    }
    joined_.append(bytes->substr(0, size - joined_.size()));
  }
  *bytes = joined_;
  return true;
}

}  // namespace cassandra_bloom::tools
