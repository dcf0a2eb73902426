// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: what the filter blocks of an SST file say.
//
// Tested in tests/filterdb/doctor/rocksdbs_filters_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_FILTER_BLOCKS_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_FILTER_BLOCKS_H_

#include <rocksdb/slice.h>

#include <cstdint>
#include <vector>

#include "plugin/export/sst_file.h"

namespace cassandra_bloom::tools {

// The share of absent keys that pass. For filters of ours it is computed from
// the set bits. RocksDB's filters are asked for random keys, because their bits
// do not tell it.
struct PassRate {
  double rate = 1;
  bool is_measured = false;
  // None of the random keys passed. `rate` is then the largest rate with which
  // as few passed by chance in one of 20 cases.
  bool is_at_most = false;
  // The rate is hardly larger than this: a measured one has an error.
  double bound = 1;
};

// Sums over the blocks of one filter: a full filter, or all partitions.
class FilterBlocks {
 public:
  // A block and its kind as SstFile::VisitBlock passes them.
  void Add(const ROCKSDB_NAMESPACE::Slice& block, FilterKind kind);

  // Asks RocksDB's filters among the blocks, which must still be valid.
  void Measure();

  uint64_t count() const { return count_; }
  // Without headers, trailers and the index of the partitions.
  uint64_t bits() const { return bits_; }
  // Blocks that let every key pass.
  uint64_t damaged() const { return damaged_; }
  uint64_t saturated() const { return saturated_; }

  // The average rate of the blocks. RocksDB cuts partitions of the same size,
  // so reads are equally likely to ask each of them.
  PassRate Rate() const;

 private:
  void AddOurs(const ROCKSDB_NAMESPACE::Slice& block);

  uint64_t count_ = 0;
  uint64_t bits_ = 0;
  uint64_t damaged_ = 0;
  uint64_t saturated_ = 0;
  double sum_of_rates_ = 0;
  std::vector<ROCKSDB_NAMESPACE::Slice> rocksdbs_;
  uint64_t asked_ = 0;
  uint64_t passed_ = 0;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILTERS_FILTER_BLOCKS_H_
