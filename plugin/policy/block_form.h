// SPDX-License-Identifier: Apache-2.0

// The two forms of this library's filter blocks in SST files.
//
// `kFilterDb` is a Filter.db and nothing else (filter_db_layout.h).
//
// `kBesideRocksdb` is a Filter.db and a trailer of five bytes. Such blocks have
// the filter name of RocksDB's own policies, so RocksDB's reader may get them.
// That reader finds the kind of a filter in the fifth byte from the end
// (GetBuiltinFilterBitsReader in table/block_based/filter_policy.cc). Our
// trailer has 0 there, so for RocksDB's reader every key matches our blocks.
// docs/format.md has more about the trailer.
//
// Tested in tests/policy/block_form_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_BLOCK_FORM_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_BLOCK_FORM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "plugin/filter/filter_db_layout.h"

namespace cassandra_bloom {

enum class BlockForm { kFilterDb, kBesideRocksdb };

// Must never change, because blocks on disk end in these bytes
// (docs/stability.md).
constexpr char kTrailer[5] = {0, 'c', 'b', '\xff', '\xff'};

// The largest block with a trailer, in bytes. RocksDB's reader uses only the
// low 32 bits of a block's length, so a block must be smaller than 4 GiB.
// docs/format.md says why the limit is 16 MiB lower.
constexpr uint64_t kMaxSizeBesideRocksdb = (uint64_t{1} << 32) - (1 << 24);

constexpr size_t TrailerSize(BlockForm form) {
  return form == BlockForm::kBesideRocksdb ? sizeof(kTrailer) : 0;
}

constexpr uint32_t MaxWords(BlockForm form) {
  return form == BlockForm::kBesideRocksdb
             ? FilterWordsWithin(kMaxSizeBesideRocksdb - sizeof(kTrailer))
             : kMaxFilterWords;
}

// Returns the block without its trailer. Returns nullopt if the block does not
// end in kTrailer. RocksDB's own blocks do not end in kTrailer.
inline std::optional<std::string_view> WithoutTrailer(std::string_view block) {
  constexpr std::string_view kEnd(kTrailer, sizeof(kTrailer));
  if (block.size() < kEnd.size() ||
      block.substr(block.size() - kEnd.size()) != kEnd) {
    return std::nullopt;
  }
  return block.substr(0, block.size() - kEnd.size());
}

// Returns true if the block is RocksDB's legacy Bloom filter of no keys: a
// number of probes and four zero bytes. RocksDB writes this block for a
// partition in which no key has a prefix.
constexpr bool IsRocksdbsWithoutKeys(std::string_view block) {
  constexpr std::string_view kNoLines("\0\0\0\0", 4);
  return block.size() == sizeof(kTrailer) && block[0] >= 1 &&
         static_cast<unsigned char>(block[0]) <= 127 &&
         block.substr(1) == kNoLines;
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_BLOCK_FORM_H_
