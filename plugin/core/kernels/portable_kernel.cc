#include "plugin/core/kernels/portable_kernel.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "plugin/core/endian.h"
#include "plugin/core/filter_db.h"
#include "plugin/core/probes.h"

namespace cassandra_bloom {

namespace {

void Hash(const std::string_view* keys, size_t n, Hash128* hashes) {
  for (size_t i = 0; i < n; ++i) {
    hashes[i] = CassandraMurmur3(keys[i].data(), keys[i].size());
  }
}

// The first kFirst probes of all keys together, the rest key by key.
template <int kFirst>
void TestBatch(const FilterView filter, const Hash128* hashes, size_t n,
               bool* may_contain) {
  uint64_t positions[kMaxBatch][kFirst];
  for (size_t i = 0; i < n; ++i) {
    ProbeSequence probes(hashes[i], filter.capacity_bits());
    for (int probe = 0; probe < kFirst; ++probe) {
      positions[i][probe] = probes.Next();
      filter.Prefetch(positions[i][probe]);
    }
  }
  for (size_t i = 0; i < n; ++i) {
    unsigned set = 1;
    for (int probe = 0; probe < kFirst; ++probe) {
      set &= filter.BitAt(positions[i][probe]);
    }
    may_contain[i] = set != 0 && filter.MayContainAfter(kFirst, hashes[i]);
  }
}

void MayContain(const FilterView& filter, const Hash128* hashes, size_t n,
                bool* may_contain) {
  assert(n <= kMaxBatch);
  if (filter.num_probes() >= FilterView::kProbesAtOnce) {
    TestBatch<FilterView::kProbesAtOnce>(filter, hashes, n, may_contain);
  } else {
    TestBatch<1>(filter, hashes, n, may_contain);
  }
}

void SetBit(uint64_t position, char* bits) {
  char* const word = bits + (position >> 6) * 8;
  StoreLittleEndian64(LoadLittleEndian64(word) | uint64_t{1} << (position & 63),
                      word);
}

// The remainder is a copy: a reference might alias the bits, and be read anew
// for every one of them.
void SetBitsInCache(const Hash128* hashes, size_t n, int num_probes,
                    const InvariantRemainder capacity_bits, char* bits) {
  for (size_t i = 0; i < n; ++i) {
    ProbeSequence probes(hashes[i], capacity_bits);
    for (int probe = 0; probe < num_probes; ++probe) {
      SetBit(probes.Next(), bits);
    }
  }
}

// The positions of a few keys, whose cache lines are on their way.
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

// Sets the bits of one block while those of the next are fetched.
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

// Up to here, waiting for the cache costs less than keeping positions.
constexpr uint64_t kCachedBits = uint64_t{8} * (1 << 20);

void SetBits(const Hash128* hashes, size_t n, int num_probes,
             const InvariantRemainder& capacity_bits, char* bits) {
  if (capacity_bits.divisor() <= kCachedBits) {
    SetBitsInCache(hashes, n, num_probes, capacity_bits, bits);
  } else {
    SetBitsBeyondCache(hashes, n, num_probes, capacity_bits, bits);
  }
}

}  // namespace

bool MayContainKeyPortably(const FilterView& filter, std::string_view key) {
  return filter.MayContain(CassandraMurmur3(key.data(), key.size()));
}

const Kernel kPortableKernel = {"portable", MayContainKeyPortably, Hash,
                                MayContain, SetBits};

}  // namespace cassandra_bloom
