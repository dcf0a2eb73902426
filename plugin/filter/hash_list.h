// SPDX-License-Identifier: Apache-2.0

// Tested in tests/filter/filter_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_HASH_LIST_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_HASH_LIST_H_

#include <cstddef>
#include <cstdint>

#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

// A list of hashes of 16 bytes, one for each key of a filter. The builder keeps
// the list until it knows the number of keys, because the size of the filter
// depends on that number. The list is stored in chunks, so it copies nothing
// when it grows, and less than one chunk is unused. Throws nothing.
class HashList {
 public:
  HashList() = default;
  ~HashList() { Clear(); }
  HashList(HashList&& other) noexcept { Swap(other); }
  HashList& operator=(HashList&& other) noexcept {
    Swap(other);
    return *this;
  }

  // Returns false, and does not keep the hash, if memory cannot be allocated.
  bool Add(Hash128 hash) {
    if (used_in_last_ == kChunkCapacity && !AddChunk()) {
      return false;
    }
    last_->hashes[used_in_last_++] = hash;
    ++size_;
    return true;
  }

  uint64_t size() const { return size_; }

  void Clear();

  // Calls visit(const Hash128* hashes, size_t count) for each chunk of hashes,
  // in the order in which the hashes were added.
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
  size_t used_in_last_ = kChunkCapacity;  // Makes Add create a chunk.
  uint64_t size_ = 0;
};

// Writes a Filter.db with exactly these hashes to `out`. `out` must have
// FilterDbSize(num_words) bytes, which must all be zero.
void BuildFilterDb(const HashList& hashes, int num_probes, uint32_t num_words,
                   char* out);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_HASH_LIST_H_
