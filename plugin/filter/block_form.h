// SPDX-License-Identifier: Apache-2.0

// The two forms of this library's filter blocks in SST files.
//
// `kFilterDb` is a Filter.db and nothing else (block_layout.h). A policy with
// this form has a filter name of its own.
//
// `kBesideRocksdb` is a Filter.db and a trailer of five bytes. A policy with
// this form shares the filter name of RocksDB's own policies, so either policy
// may be given the blocks of the other. RocksDB tells its kinds of filters
// apart by the byte five before the end (GetBuiltinFilterBitsReader in
// table/block_based/filter_policy.cc, the same in 7.1 to 11.9):
//
//   1 to 127   legacy Bloom filter; the four bytes after it are the number of
//              its cache lines
//   0          "zero probes, always a false positive": every key matches
//   -1         Bloom filter; the byte after it must be 0
//   -2         Ribbon filter
//   others     reserved; every key matches
//
// The trailer is 0 and a mark of four bytes. RocksDB itself writes 0 there only
// in its block that matches everything, which is six zero bytes. The mark is
// chosen so that a damaged 0 still lets every key match, unless it becomes -2:
// - its first byte is not 0, so -1 is no Bloom filter that RocksDB knows;
// - as a little-endian number it is larger than any length of a filter, and its
//   product with the size of a cache line (64, 128 or 256 bytes, as RocksDB is
//   compiled for a CPU), modulo 2^32, is the length of none, so 1 to 127 is no
//   legacy Bloom filter.
//
// Tested in tests/filter/block_form_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_FORM_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_FORM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "plugin/filter/block_layout.h"

namespace cassandra_bloom {

enum class BlockForm { kFilterDb, kBesideRocksdb };

// Frozen, because blocks on disk end in it: docs/stability.md.
constexpr char kTrailer[5] = {0, 'c', 'b', '\xff', '\xff'};

// RocksDB's reader cuts the length of a block to 32 bits, and would then take a
// byte of ours for the kind of filter. 16 MiB less than 2^32 keeps lengths
// below the mark, and below its products with the sizes of cache lines.
constexpr uint64_t kMaxSizeBesideRocksdb = (uint64_t{1} << 32) - (1 << 24);

constexpr size_t TrailerSize(BlockForm form) {
  return form == BlockForm::kBesideRocksdb ? sizeof(kTrailer) : 0;
}

// The most 64-bit words that a filter of this form may have.
constexpr uint32_t MaxWords(BlockForm form) {
  return form == BlockForm::kBesideRocksdb
             ? FilterWordsWithin(kMaxSizeBesideRocksdb - sizeof(kTrailer))
             : kMaxFilterWords;
}

// Returns the block without its trailer; nullopt if it does not end in one, as
// RocksDB's blocks do not. What is returned need not be a well-formed filter.
inline std::optional<std::string_view> WithoutTrailer(std::string_view block) {
  constexpr std::string_view kEnd(kTrailer, sizeof(kTrailer));
  if (block.size() < kEnd.size() ||
      block.substr(block.size() - kEnd.size()) != kEnd) {
    return std::nullopt;
  }
  return block.substr(0, block.size() - kEnd.size());
}

// Whether the block is RocksDB's legacy Bloom filter of no keys: a number of
// probes and no cache lines. RocksDB's builder writes it for a partition in
// which no key has a prefix.
constexpr bool IsRocksdbsWithoutKeys(std::string_view block) {
  constexpr std::string_view kNoLines("\0\0\0\0", 4);
  return block.size() == sizeof(kTrailer) && block[0] >= 1 &&
         static_cast<unsigned char>(block[0]) <= 127 &&
         block.substr(1) == kNoLines;
}

enum class RocksdbsKind { kBloom, kRibbon, kOther };

// Which of RocksDB's own filters a block without our trailer is; see above.
// Tested in tests/export/filter_kind_test.cc.
constexpr RocksdbsKind RocksdbsKindOf(std::string_view block) {
  if (block.size() <= sizeof(kTrailer)) {
    return RocksdbsKind::kOther;
  }
  const std::string_view end = block.substr(block.size() - sizeof(kTrailer));
  return end[0] == '\xff' && end[1] == 0 ? RocksdbsKind::kBloom
         : end[0] == '\xfe'              ? RocksdbsKind::kRibbon
                                         : RocksdbsKind::kOther;
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_FORM_H_
