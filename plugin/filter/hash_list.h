// SPDX-License-Identifier: Apache-2.0

// The hashes of the keys of a filter, until their number is known.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_HASH_LIST_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_HASH_LIST_H_

#include <cstddef>
#include <cstdint>

#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

// 16 bytes a key, in chunks: nothing is copied when it grows and no more than
// one chunk is unused. Throws nothing.
class HashList {
 public:
  HashList() = default;
  ~HashList() { Clear(); }
  HashList(HashList&& other) noexcept { Swap(other); }
  HashList& operator=(HashList&& other) noexcept {
    Swap(other);
    return *this;
  }

  // False, and the hash is not kept, when there is no memory.
  bool Add(Hash128 hash) {
    if (used_in_last_ == kChunkCapacity && !AddChunk()) {
      return false;
    }
    last_->hashes[used_in_last_++] = hash;
    ++size_;
    return true;
  }

  uint64_t size() const { return size_; }

  // Frees everything.
  void Clear();

  // Calls visit(const Hash128* hashes, size_t count) for run after run, in the
  // order in which they were added.
  template <typename Visit>
  void ForEachRun(Visit visit) const {
    for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
      visit(chunk->hashes, chunk == last_ ? used_in_last_ : kChunkCapacity);
    }
  }

 private:
  static constexpr size_t kChunkCapacity = 4095;

  struct Chunk {
    Chunk* next = nullptr;
    Hash128 hashes[kChunkCapacity];
  };

  bool AddChunk();
  void Swap(HashList& other) noexcept;

  Chunk* first_ = nullptr;
  Chunk* last_ = nullptr;
  size_t used_in_last_ = kChunkCapacity;  // No chunk, no room.
  uint64_t size_ = 0;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_HASH_LIST_H_
