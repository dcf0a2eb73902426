// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/block_form.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "plugin/filter/filter_db_layout.h"

namespace cassandra_bloom::testing {
namespace {

using std::string_literals::operator""s;

const std::string kTrailerOnDisk = "\x00\x63\x62\xff\xff"s;

// The last four bytes of kTrailerOnDisk as a little-endian number.
constexpr uint32_t kMark = 0xffff6263;

// The sizes of a cache line in bytes: on x86, on arm64 and POWER, and on s390.
// Source: CACHE_LINE_SIZE in port/port_posix.h of RocksDB.
constexpr uint32_t kCacheLineSizes[] = {64, 128, 256};

TEST(BlockFormTest, TrailerIsFrozen) {
  EXPECT_EQ(std::string(kTrailer, sizeof(kTrailer)), kTrailerOnDisk);
  EXPECT_EQ(TrailerSize(BlockForm::kFilterDb), 0u);
  EXPECT_EQ(TrailerSize(BlockForm::kBesideRocksdb), 5u);
}

TEST(BlockFormTest, TheMarkIsNoNumberOfCacheLines) {
  uint32_t mark = 0;
  for (size_t i = 4; i >= 1; --i) {
    mark = mark << 8 | static_cast<uint8_t>(kTrailer[i]);
  }
  EXPECT_EQ(mark, kMark);
  EXPECT_NE(kTrailer[1], 0) << "-1 and 0 are RocksDB's Bloom filter";
  // If the trailer is damaged, RocksDB may read the mark as a number of cache
  // lines. Every key then matches, unless the length of the block is divisible
  // by this number or is this number times the size of a cache line. Both cases
  // are impossible, because these numbers are larger than any block.
  EXPECT_GT(mark, kMaxSizeBesideRocksdb);
  for (const uint32_t size : kCacheLineSizes) {
    SCOPED_TRACE(size);
    EXPECT_GT(mark * size, kMaxSizeBesideRocksdb);  // Wraps at 2^32.
  }
}

TEST(BlockFormTest, TheLargestFilterFits) {
  EXPECT_EQ(MaxWords(BlockForm::kFilterDb), kMaxFilterWords);
  constexpr uint32_t kMost = MaxWords(BlockForm::kBesideRocksdb);
  const uint64_t size = 8 + uint64_t{8} * kMost + 5;
  EXPECT_LE(size, kMaxSizeBesideRocksdb);
  EXPECT_GT(size + 8, kMaxSizeBesideRocksdb);
  EXPECT_LT(kMaxSizeBesideRocksdb, uint64_t{1} << 32);
  EXPECT_EQ(kMost, 534773758u) << "docs/format.md says this number";
}

TEST(BlockFormTest, WithoutTrailer) {
  EXPECT_EQ(WithoutTrailer(kTrailerOnDisk), "");
  EXPECT_EQ(WithoutTrailer("filter" + kTrailerOnDisk), "filter");
  EXPECT_EQ(WithoutTrailer(kTrailerOnDisk + kTrailerOnDisk), kTrailerOnDisk);
  const std::string block = "filter" + kTrailerOnDisk;
  EXPECT_EQ(WithoutTrailer(block)->data(), block.data()) << "a copy";

  EXPECT_EQ(WithoutTrailer(""), std::nullopt);
  EXPECT_EQ(WithoutTrailer(kTrailerOnDisk + "x"), std::nullopt);
  for (size_t size = 0; size < kTrailerOnDisk.size(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_EQ(WithoutTrailer(kTrailerOnDisk.substr(0, size)), std::nullopt);
    EXPECT_EQ(WithoutTrailer(kTrailerOnDisk.substr(5 - size)), std::nullopt);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
