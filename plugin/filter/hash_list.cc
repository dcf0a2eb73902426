// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/hash_list.h"

#include <new>
#include <utility>

#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/invariant_remainder.h"
#include "plugin/filter/kernels/dispatch.h"

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

void BuildFilterDb(const HashList& hashes, int num_probes, uint32_t num_words,
                   char* out) {
  WriteFilterDbHeader(num_probes, num_words, out);
  const InvariantRemainder capacity_bits(uint64_t{64} * num_words);
  hashes.ForEachRun([&](const Hash128* run, size_t count) {
    ActiveKernel().set_bits(run, count, num_probes, capacity_bits,
                            out + kFilterDbHeaderSize);
  });
}

}  // namespace cassandra_bloom
