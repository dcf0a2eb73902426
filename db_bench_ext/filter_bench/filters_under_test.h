// SPDX-License-Identifier: Apache-2.0

// The filter policies that the benchmark compares, and the filters that they
// build.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_FILTERS_UNDER_TEST_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_FILTERS_UNDER_TEST_H_

#include <rocksdb/filter_policy.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/bench_keys.h"
#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::bench {

struct FilterConfig {
  uint64_t keys = 0;  // In each filter.
  uint64_t filters = 0;
  KeyShape key_shape;
  double bits_per_key = 0;
  // The distance in bytes from the start of a cache line to the start of each
  // filter block.
  size_t block_offset = 0;

  std::string Name() const;
};

struct FilterUnderTest {
  std::string name;
  // The variant of cassandra_bloom's code that is measured, such as "avx2".
  // Empty for other policies.
  std::string kernel;
  bool builds_filter_db = false;
  std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy;

  // Makes the whole process use `kernel` from now on. Must be called before
  // `policy` builds a filter or makes a reader.
  void UseKernel() const;
};

constexpr char kBloom[] = "bloom";
constexpr char kRibbon[] = "ribbon";
constexpr char kNaive[] = "naive";
constexpr char kCassandraBloom[] = "cassandra_bloom";
constexpr char kEmpty[] = "(empty)";

// Returns the names of all filters except kEmpty. If this CPU can run several
// variants of cassandra_bloom's code, returns a name such as
// "cassandra_bloom/avx2" for each of them.
std::vector<std::string> FilterNames();

// `name` must be kEmpty or one of FilterNames().
FilterUnderTest NewFilterUnderTest(const std::string& name,
                                   double bits_per_key);

// A copy of a filter block. The benchmark queries copies because RocksDB does
// the same. RocksDB queries the block that it has read from the SST file, not
// the block that was built.
class Block {
 public:
  Block(const ROCKSDB_NAMESPACE::Slice& content, size_t offset);
  ROCKSDB_NAMESPACE::Slice content() const { return content_; }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };

  std::unique_ptr<char[], Free> memory_;
  ROCKSDB_NAMESPACE::Slice content_;
};

struct Built {
  // CPU time in nanoseconds, from the creation of the builder to its
  // destruction. Does not include making the keys.
  double ns = 0;
  std::unique_ptr<const char[]> owner;
  ROCKSDB_NAMESPACE::Slice content;
};

// Builds a filter of config.keys keys. The first key has the number `index` *
// config.keys. Uses `*keys` as memory for the keys.
Built Build(const FilterUnderTest& filter, const FilterConfig& config,
            uint64_t index, KeyChunk* keys);

class FilterSet {
 public:
  FilterSet(const FilterUnderTest& filter, const FilterConfig& config);

  const FilterUnderTest& filter() const { return filter_; }
  const FilterConfig& config() const { return config_; }

  ROCKSDB_NAMESPACE::FilterBitsReader* reader(uint64_t index) const {
    return readers_[index].get();
  }
  ROCKSDB_NAMESPACE::Slice block(uint64_t index) const {
    return blocks_[index].content();
  }

  double BlockBitsPerKey() const;
  // Returns the peak of memory while one filter was built, in bytes per key.
  // Returns nullopt if the memory could not be measured.
  std::optional<double> BuildPeakBytesPerKey() const;

 private:
  void Add(const Built& built);

  const FilterUnderTest& filter_;
  const FilterConfig config_;
  std::vector<Block> blocks_;
  std::vector<std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader>> readers_;
  std::optional<int64_t> build_peak_bytes_;
};

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_FILTERS_UNDER_TEST_H_
