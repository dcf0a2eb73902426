// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/hash_list.h"

#include <new>
#include <utility>

namespace cassandra_bloom {

bool HashList::AddChunk() {
  auto* const chunk = new (std::nothrow) Chunk;
  if (chunk == nullptr) {
    return false;
  }
  (last_ == nullptr ? first_ : last_->next) = chunk;
  last_ = chunk;
  used_in_last_ = 0;
  return true;
}

void HashList::Clear() {
  while (first_ != nullptr) {
    delete std::exchange(first_, first_->next);
  }
  last_ = nullptr;
  used_in_last_ = kChunkCapacity;
  size_ = 0;
}

void HashList::Swap(HashList& other) noexcept {
  std::swap(first_, other.first_);
  std::swap(last_, other.last_);
  std::swap(used_in_last_, other.used_in_last_);
  std::swap(size_, other.size_);
}

}  // namespace cassandra_bloom
