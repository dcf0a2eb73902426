// SPDX-License-Identifier: Apache-2.0

// What is measured: filter policies and the filters that they build.

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

// The configuration of filters that are measured side by side.
struct FilterConfig {
  uint64_t keys = 0;  // Per filter.
  uint64_t filters = 0;
  KeyShape key_shape;
  double bits_per_key = 0;
  // A block begins this many bytes after the beginning of a cache line.
  size_t block_offset = 0;

  // For example "50 filters of 1000000 keys of 16 bytes, 10 bits per key".
  std::string Name() const;
};

struct FilterUnderTest {
  std::string name;
  // A kernel of cassandra_bloom; empty for other policies.
  std::string kernel;
  bool builds_filter_db = false;
  std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy;

  // Must be called before the policy builds a filter or makes a reader. A
  // reader keeps the kernel with which it was made.
  void UseKernel() const;
};

constexpr char kBloom[] = "bloom";
constexpr char kRibbon[] = "ribbon";
constexpr char kNaive[] = "naive";
constexpr char kCassandraBloom[] = "cassandra_bloom";
constexpr char kEmpty[] = "(empty)";

// All names of filters, except kEmpty. If there are several kernels,
// "cassandra_bloom/KERNEL" for each of them replaces "cassandra_bloom".
std::vector<std::string> FilterNames();

// `name` is one of FilterNames() or kEmpty.
FilterUnderTest NewFilterUnderTest(const std::string& name,
                                   double bits_per_key);

// A copy of a filter block. RocksDB, too, does not query a block where it was
// built: it reads the block from a file into memory of its block cache.
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

// A filter as its builder returned it.
struct Built {
  // CPU time from the builder's creation to its destruction, without making
  // keys.
  double ns = 0;
  std::unique_ptr<const char[]> owner;
  ROCKSDB_NAMESPACE::Slice content;
};

// Builds the filter of config.keys keys, which begin with number `index` *
// config.keys. Makes the keys in `*keys`.
Built Build(const FilterUnderTest& filter, const FilterConfig& config,
            uint64_t index, KeyChunk* keys);

// All filters of one configuration, built with one policy.
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
  // The peak memory while one of the filters was built, its block included.
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
