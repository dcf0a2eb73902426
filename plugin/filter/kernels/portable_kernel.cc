// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/kernels/portable_kernel.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "plugin/filter/endian.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/probes.h"

namespace cassandra_bloom {

namespace {

void Hash(const std::string_view* keys, size_t n, Hash128* hashes) {
  for (size_t i = 0; i < n; ++i) {
    hashes[i] = CassandraMurmur3(keys[i].data(), keys[i].size());
  }
}

// With fewer keys than this, the remaining probes are tested key by key. This
// is faster, because the CPU predicts the answer for one key and goes on to the
// next key before the bits have arrived.
constexpr size_t kMinTogether = 8;
constexpr int kNext = 8;

// Tests the next kNext probes of all keys in `passed` together, and then any
// further probes key by key. `first` probes of each key are already tested.
void TestRest(const FilterView filter, const Hash128* hashes, int first,
              const uint8_t* passed, size_t num_passed, bool* may_contain) {
  const int count = std::min(kNext, filter.num_probes() - first);
  uint64_t positions[kMaxBatch][kNext];
  for (size_t i = 0; i < num_passed; ++i) {
    ProbeSequence probes(hashes[passed[i]], filter.capacity_bits());
    probes.Skip(first);
    for (int probe = 0; probe < count; ++probe) {
      positions[i][probe] = probes.Next();
      filter.Prefetch(positions[i][probe]);
    }
  }
  for (size_t i = 0; i < num_passed; ++i) {
    const size_t key = passed[i];
    unsigned set = 1;
    for (int probe = 0; probe < count; ++probe) {
      set &= filter.BitAt(positions[i][probe]);
    }
    may_contain[key] =
        set != 0 && filter.MayContainAfter(first + count, hashes[key]);
  }
}

template <int kFirst>
void TestBatch(const FilterView& view, const Hash128* hashes, size_t n,
               bool* may_contain) {
  assert(n <= kMaxBatch);
  // This copy saves time: with -fno-strict-aliasing, the compiler would read
  // `view` again after each write to `may_contain`.
  const FilterView filter = view;
  uint64_t positions[kMaxBatch][kFirst];
  for (size_t i = 0; i < n; ++i) {
    ProbeSequence probes(hashes[i], filter.capacity_bits());
    for (int probe = 0; probe < kFirst; ++probe) {
      positions[i][probe] = probes.Next();
      filter.Prefetch(positions[i][probe]);
    }
  }
  const auto first_set = [&](size_t i) {
    unsigned set = 1;
    for (int probe = 0; probe < kFirst; ++probe) {
      set &= filter.BitAt(positions[i][probe]);
    }
    return set;
  };
  if (n < kMinTogether) {
    for (size_t i = 0; i < n; ++i) {
      may_contain[i] =
          first_set(i) != 0 && filter.MayContainAfter(kFirst, hashes[i]);
    }
    return;
  }
  uint8_t passed[kMaxBatch];
  size_t num_passed = 0;
  for (size_t i = 0; i < n; ++i) {
    may_contain[i] = false;
    passed[num_passed] = static_cast<uint8_t>(i);
    num_passed += first_set(i);
  }
  TestRest(filter, hashes, kFirst, passed, num_passed, may_contain);
}

void SetBit(uint64_t position, char* bits) {
  char* const word = bits + (position >> 6) * 8;
  StoreLittleEndian64(LoadLittleEndian64(word) | uint64_t{1} << (position & 63),
                      word);
}

// `capacity_bits` is a copy because the compiler would read a reference again
// after each bit that is set: the bits might be in the same memory.
void SetBitsInCache(const Hash128* hashes, size_t n, int num_probes,
                    const InvariantRemainder capacity_bits, char* bits) {
  for (size_t i = 0; i < n; ++i) {
    ProbeSequence probes(hashes[i], capacity_bits);
    for (int probe = 0; probe < num_probes; ++probe) {
      SetBit(probes.Next(), bits);
    }
  }
}

class PositionBlock {
 public:
  static constexpr size_t kMaxKeys = 16;

  void Fetch(const Hash128* hashes, size_t n, int num_probes,
             const InvariantRemainder capacity_bits, const char* bits) {
    size_t size = 0;
    for (size_t i = 0; i < n; ++i) {
      ProbeSequence probes(hashes[i], capacity_bits);
      for (int probe = 0; probe < num_probes; ++probe) {
        const uint64_t position = probes.Next();
        __builtin_prefetch(bits + (position >> 3), /*rw=*/1);
        positions_[size++] = position;
      }
    }
    size_ = size;
  }

  void Set(char* bits) const {
    for (size_t i = 0; i < size_; ++i) {
      SetBit(positions_[i], bits);
    }
  }

 private:
  size_t size_ = 0;
  uint64_t positions_[kMaxKeys * kMaxReadableProbes];
};

void SetBitsBeyondCache(const Hash128* hashes, size_t n, int num_probes,
                        const InvariantRemainder capacity_bits, char* bits) {
  PositionBlock blocks[2];
  size_t fetched = 0;
  for (size_t block = 0; fetched < n; ++block) {
    const size_t count = std::min(n - fetched, PositionBlock::kMaxKeys);
    blocks[block % 2].Fetch(hashes + fetched, count, num_probes, capacity_bits,
                            bits);
    fetched += count;
    blocks[(block + 1) % 2].Set(bits);
    if (fetched == n) {
      blocks[block % 2].Set(bits);
    }
  }
}

// The largest filter, in bits, in which bits are set without prefetching.
constexpr uint64_t kMaxPlainlyWrittenBits = uint64_t{8} * (1 << 20);

void SetBits(const Hash128* hashes, size_t n, int num_probes,
             const InvariantRemainder& capacity_bits, char* bits) {
  if (capacity_bits.divisor() <= kMaxPlainlyWrittenBits) {
    SetBitsInCache(hashes, n, num_probes, capacity_bits, bits);
  } else {
    SetBitsBeyondCache(hashes, n, num_probes, capacity_bits, bits);
  }
}

Lookup ChooseLookup(const FilterView& filter) {
  return {PortableMayContain, filter.num_probes() >= FilterView::kProbesAtOnce
                                  ? PortableMayContainBatch
                                  : TestBatch<1>};
}

}  // namespace

bool PortableMayContain(const FilterView& filter, Hash128 hash) {
  return filter.MayContain(hash);
}

void PortableMayContainBatch(const FilterView& filter, const Hash128* hashes,
                             size_t n, bool* may_contain) {
  TestBatch<FilterView::kProbesAtOnce>(filter, hashes, n, may_contain);
}

const Kernel kPortableKernel = {"portable", ChooseLookup, Hash, SetBits};

}  // namespace cassandra_bloom
