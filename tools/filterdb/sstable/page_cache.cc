// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/sstable/page_cache.h"

#include <algorithm>

namespace cassandra_bloom::tools {

PageCache::PageCache(const RandomAccessFile& file, size_t num_pages)
    : file_(file),
      memory_(new char[num_pages * kPageSize]),
      pages_(num_pages, kNoPage) {}

bool PageCache::Rest(uint64_t offset, std::string_view* bytes,
                     std::string* error) {
  const uint64_t page = offset / kPageSize;
  const auto slot = static_cast<size_t>(page % pages_.size());
  if (pages_[slot] != page && !Load(page, slot, error)) {
    return false;
  }
  const auto size = static_cast<size_t>(
      std::min<uint64_t>(kPageSize, file_.size() - page * kPageSize));
  const auto from = static_cast<size_t>(offset % kPageSize);
  *bytes = std::string_view(memory_.get() + slot * kPageSize, size);
  bytes->remove_prefix(from);
  return true;
}

bool PageCache::Load(uint64_t page, size_t slot, std::string* error) {
  const uint64_t offset = page * kPageSize;
  const auto size =
      static_cast<size_t>(std::min<uint64_t>(kPageSize, file_.size() - offset));
  pages_[slot] = kNoPage;
  if (!file_.Read(offset, size, memory_.get() + slot * kPageSize, error)) {
    return false;
  }
  pages_[slot] = page;
  return true;
}

bool PageCache::Exactly(uint64_t offset, size_t size, std::string_view* bytes,
                        std::string* error) {
  if (size == 0) {
    *bytes = {};
    return true;
  }
  if (!Rest(offset, bytes, error)) {
    return false;
  }
  if (bytes->size() >= size) {
    *bytes = bytes->substr(0, size);
    return true;
  }
  joined_.assign(*bytes);
  while (joined_.size() < size) {
    if (!Rest(offset + joined_.size(), bytes, error)) {
      return false;
    }
    joined_.append(bytes->substr(0, size - joined_.size()));
  }
  *bytes = joined_;
  return true;
}

}  // namespace cassandra_bloom::tools
