// SPDX-License-Identifier: Apache-2.0

// The filter policies that the benchmark compares, and the filters that they
// build.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_FILTER_SET_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_FILTER_SET_H_

#include <rocksdb/filter_policy.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/bench_keys.h"
#include "plugin/filter/kernels/kernel.h"
#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::bench {

// A filter policy and, for this project's policies, one of the kernels.
struct Contender {
  std::string name;                // Such as "cassandra_bloom:10@avx2".
  const Kernel* kernel = nullptr;  // nullptr for other policies.
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy;
};

// Returns a policy that implements Cassandra's filter plainly, as Cassandra's
// Java code does. cassandra_bloom's speed is compared with it. The blocks of
// naive:BITS equal those of cassandra_bloom:BITS, byte for byte. Returns
// nullptr if `policy` is not naive:BITS, with BITS from 1 to 100.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewNaiveFilterPolicy(
    const std::string& policy);

// Returns the policy that RocksDB makes of this string, such as
// "bloomfilter:10", or the naive filter for "naive:10". Returns a policy of
// this project once for each kernel that this CPU can run. Throws
// std::invalid_argument if the string names no policy.
std::vector<Contender> ContendersOf(const std::string& policy);

struct FilterSize {
  uint64_t keys = 0;     // In each filter.
  uint64_t filters = 1;  // Each has keys of its own.
  KeyShape key_shape;
};

struct Built {
  // CPU time, from the creation of the builder to its destruction. Does not
  // include making the keys.
  double seconds = 0;
  std::unique_ptr<const char[]> owner;
  ROCKSDB_NAMESPACE::Slice content;
};

// Builds a filter of size.keys keys. The first key has the number `index` *
// size.keys. Uses `*keys` as memory for the keys. The whole process uses the
// contender's kernel from then on, and readers keep the kernel with which they
// were made.
Built Build(const Contender& contender, const FilterSize& size, uint64_t index,
            KeyChunk* keys);

class FilterSet {
 public:
  FilterSet(Contender contender, FilterSize size);

  // Builds the filters. Returns false if that was done before.
  bool BuildOnce();

  const Contender& contender() const { return contender_; }
  const FilterSize& size() const { return size_; }
  ROCKSDB_NAMESPACE::FilterBitsReader* reader(uint64_t index) const {
    return readers_[index].get();
  }
  size_t bytes() const { return bytes_; }  // Of all filters.
  double BitsPerKey() const;
  // As counted by Check (lookups.h).
  double false_positive_rate() const { return false_positive_rate_; }
  void set_false_positive_rate(double rate) { false_positive_rate_ = rate; }

 private:
  void Add(const ROCKSDB_NAMESPACE::Slice& block);

  const Contender contender_;
  const FilterSize size_;
  // Copies of the blocks. RocksDB does the same: it asks the block that it has
  // read from the SST file, not the block that was built.
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader>> readers_;
  size_t bytes_ = 0;
  double false_positive_rate_ = 0;
};

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_FILTER_SET_H_
