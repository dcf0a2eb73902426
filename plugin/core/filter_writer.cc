#include "plugin/core/filter_writer.h"

#include <algorithm>

#include "plugin/core/filter_db.h"
#include "plugin/core/probes.h"

namespace cassandra_bloom {

namespace {

void SetBit(uint64_t position, char* bits) {
  bits[position >> 3] =
      static_cast<char>(bits[position >> 3] | (1 << (position & 7)));
}

// The remainder is a copy: a reference might alias the bits, and be read anew
// for every one of them.
void SetBitsInCache(const Hash128* hashes, size_t count, int num_probes,
                    const InvariantRemainder capacity_bits, char* bits) {
  for (size_t i = 0; i < count; ++i) {
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

  void Fetch(const Hash128* hashes, size_t count, int num_probes,
             const InvariantRemainder capacity_bits, const char* bits) {
    size_ = 0;
    for (size_t i = 0; i < count; ++i) {
      ProbeSequence probes(hashes[i], capacity_bits);
      for (int probe = 0; probe < num_probes; ++probe) {
        const uint64_t position = probes.Next();
        __builtin_prefetch(bits + (position >> 3), /*rw=*/1);
        positions_[size_++] = position;
      }
    }
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
void SetBitsBeyondCache(const Hash128* hashes, size_t count, int num_probes,
                        const InvariantRemainder capacity_bits, char* bits) {
  PositionBlock blocks[2];
  size_t fetched = 0;
  for (size_t block = 0; fetched < count; ++block) {
    const size_t n = std::min(count - fetched, PositionBlock::kMaxKeys);
    blocks[block % 2].Fetch(hashes + fetched, n, num_probes, capacity_bits,
                            bits);
    fetched += n;
    blocks[(block + 1) % 2].Set(bits);
    if (fetched == count) {
      blocks[block % 2].Set(bits);
    }
  }
}

// Below it, waiting for the cache costs less than keeping positions.
constexpr uint64_t kCachedBits = uint64_t{8} * (4 << 20);

}  // namespace

void SetBits(const Hash128* hashes, size_t count, int num_probes,
             InvariantRemainder capacity_bits, char* bits) {
  if (capacity_bits.divisor() <= kCachedBits) {
    SetBitsInCache(hashes, count, num_probes, capacity_bits, bits);
  } else {
    SetBitsBeyondCache(hashes, count, num_probes, capacity_bits, bits);
  }
}

void WriteFilterDb(const HashList& hashes, int num_probes, uint32_t num_words,
                   char* out) {
  WriteFilterDbHeader(num_probes, num_words, out);
  const InvariantRemainder capacity_bits(uint64_t{64} * num_words);
  hashes.ForEachRun([&](const Hash128* run, size_t count) {
    SetBits(run, count, num_probes, capacity_bits, out + kFilterDbHeaderSize);
  });
}

}  // namespace cassandra_bloom
