// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: examines the filter blocks of an SST file.
//
// Tested in tests/sst_filters/rocksdbs_filters_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_FILTER_BLOCKS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_FILTER_BLOCKS_H_

#include <rocksdb/slice.h>

#include <cstdint>
#include <vector>

#include "plugin/export/sst_file.h"

namespace cassandra_bloom::tools {

// The share of absent keys that pass a filter. For a cassandra_bloom filter, it
// is computed from the set bits. For RocksDB's filters, it is measured with
// random keys.
struct PassRate {
  double rate = 1;
  bool is_measured = false;
  // True if no random key passed. `rate` is then an upper limit, because at a
  // higher rate, a key would pass in 19 of 20 measurements.
  bool is_at_most = false;
  // An upper limit of the rate, which includes the error of a measurement.
  double bound = 1;
};

// Sums over the filter blocks of one SST file.
class FilterBlocks {
 public:
  // The arguments are those of SstFile::VisitBlock.
  void Add(const ROCKSDB_NAMESPACE::Slice& block, FilterKind kind);

  // Measures RocksDB's filters. The memory of the blocks must still be valid.
  void Measure();

  uint64_t count() const { return count_; }
  // Without headers, trailers and the index of the partitions.
  uint64_t bits() const { return bits_; }
  // Returns how many blocks let every key pass.
  uint64_t damaged() const { return damaged_; }
  uint64_t saturated() const { return saturated_; }

  // Returns the average rate of the blocks. A larger block has more weight,
  // because it has more keys, so that more look-ups ask it. RocksDB 9.10 makes
  // large and small partitions in turns. A block that lets every key pass may
  // be small and have many keys, so it has the weight of an average block.
  PassRate Rate() const;

 private:
  void AddOurs(const ROCKSDB_NAMESPACE::Slice& block);
  void AddRate(const ROCKSDB_NAMESPACE::Slice& block, double rate);

  uint64_t count_ = 0;
  uint64_t bits_ = 0;
  uint64_t damaged_ = 0;
  uint64_t saturated_ = 0;
  uint64_t num_open_ = 0;  // Blocks that let every key pass.
  // Of the other blocks. Each rate is multiplied by its weight.
  double sum_of_rates_ = 0;
  double sum_of_weights_ = 0;
  std::vector<ROCKSDB_NAMESPACE::Slice> rocksdbs_;
  uint64_t asked_ = 0;
  uint64_t passed_ = 0;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTERS_FILTER_BLOCKS_H_
