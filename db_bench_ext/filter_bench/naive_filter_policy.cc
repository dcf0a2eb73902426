// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/naive_filter_policy.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "db_bench_ext/filter_bench/plain_bits_builder.h"
#include "plugin/filter/block_layout.h"
#include "plugin/filter/sizing.h"

namespace cassandra_bloom::bench {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

namespace {

constexpr uint64_t kC1 = 0x87c37b91114253d5;
constexpr uint64_t kC2 = 0x4cf5ad432745937f;

struct Hash {
  uint64_t h1;
  uint64_t h2;
};

uint64_t RotateLeft(uint64_t x, int r) { return (x << r) | (x >> (64 - r)); }

uint64_t Finalize(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccd;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53;
  return x ^ (x >> 33);
}

uint64_t Load(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

// A byte of the tail as Java widens it to long: with its sign.
uint64_t SignedByte(char byte) {
  return static_cast<uint64_t>(
      static_cast<int64_t>(static_cast<signed char>(byte)));
}

// MurmurHash.hash3_x64_128, for machines that are little-endian, as Java's
// getBlock is.
Hash HashOf(const Slice& key) {
  const char* const data = key.data();
  const size_t tail = key.size() / 16 * 16;
  uint64_t h1 = 0;
  uint64_t h2 = 0;
  for (size_t at = 0; at < tail; at += 16) {
    h1 ^= RotateLeft(Load(data + at) * kC1, 31) * kC2;
    h1 = (RotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
    h2 ^= RotateLeft(Load(data + at + 8) * kC2, 33) * kC1;
    h2 = (RotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  uint64_t k1 = 0;
  uint64_t k2 = 0;
  for (size_t i = key.size(); i > tail + 8; --i) {
    k2 ^= SignedByte(data[i - 1]) << (8 * (i - 1 - tail - 8));
  }
  for (size_t i = key.size() < tail + 8 ? key.size() : tail + 8; i > tail;
       --i) {
    k1 ^= SignedByte(data[i - 1]) << (8 * (i - 1 - tail));
  }
  h2 ^= RotateLeft(k2 * kC2, 33) * kC1;
  h1 ^= RotateLeft(k1 * kC1, 31) * kC2;
  h1 ^= key.size();
  h2 ^= key.size();
  h1 += h2;
  h2 += h1;
  h1 = Finalize(h1);
  h2 = Finalize(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

// Calls visit(position) for probe after probe, until one returns false.
template <typename Visit>
bool ForEachPosition(Hash hash, int num_probes, int64_t capacity, Visit visit) {
  uint64_t base = hash.h2;
  for (int i = 0; i < num_probes; ++i) {
    const int64_t remainder = static_cast<int64_t>(base) % capacity;
    if (!visit(static_cast<uint64_t>(remainder < 0 ? -remainder : remainder))) {
      return false;
    }
    base += hash.h1;
  }
  return true;
}

class NaiveBitsBuilder final : public PlainBitsBuilder {
 public:
  using PlainBitsBuilder::Finish;

  explicit NaiveBitsBuilder(Sizing sizing) : sizing_(sizing) {}

  void AddKey(const Slice& key) override { hashes_.push_back(HashOf(key)); }

  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    const uint32_t num_words = sizing_.NumWords(hashes_.size());
    const size_t size = FilterDbSize(num_words);
    std::unique_ptr<char[]> block(new char[size]());
    WriteFilterDbHeader(sizing_.num_probes, num_words, block.get());
    char* const bits = block.get() + kFilterDbHeaderSize;
    for (const Hash& hash : hashes_) {
      ForEachPosition(hash, sizing_.num_probes, int64_t{64} * num_words,
                      [bits](uint64_t position) {
                        char& byte = bits[position / 8];
                        byte = static_cast<char>(byte | 1 << position % 8);
                        return true;
                      });
    }
    hashes_ = {};
    *buf = std::move(block);
    return Slice(buf->get(), size);
  }

 private:
  const Sizing sizing_;
  std::vector<Hash> hashes_;
};

class NaiveBitsReader final : public FilterBitsReader {
 public:
  using FilterBitsReader::MayMatch;

  explicit NaiveBitsReader(const FilterDb& filter) : filter_(filter) {}

  bool MayMatch(const Slice& entry) override {
    const char* const bits = filter_.bits;
    return ForEachPosition(HashOf(entry), filter_.num_probes,
                           static_cast<int64_t>(filter_.capacity_bits()),
                           [bits](uint64_t position) {
                             return (bits[position / 8] >> position % 8 & 1) !=
                                    0;
                           });
  }

 private:
  const FilterDb filter_;
};

class NaiveFilterPolicy final : public FilterPolicy {
 public:
  explicit NaiveFilterPolicy(Sizing sizing) : sizing_(sizing) {}

  const char* Name() const override { return "naive"; }
  const char* CompatibilityName() const override { return Name(); }

  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& /*context*/) const override {
    return new NaiveBitsBuilder(sizing_);
  }

  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    FilterDb filter;
    return ParseFilterDb(contents.data(), contents.size(), &filter)
               ? new NaiveBitsReader(filter)
               : nullptr;
  }

 private:
  const Sizing sizing_;
};

}  // namespace

const FilterPolicy* NewNaiveFilterPolicy(double bits_per_key) {
  return new NaiveFilterPolicy(SizingForBitsPerKey(bits_per_key).value());
}

}  // namespace cassandra_bloom::bench
