// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_RESULTS_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_RESULTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/filters_under_test.h"
#include "db_bench_ext/filter_bench/workloads.h"

namespace cassandra_bloom::bench {

struct FalsePositives {
  uint64_t absent = 0;
  uint64_t matches = 0;

  void Add(const Tally& tally) {
    absent += tally.absent;
    matches += tally.false_positives;
  }
  std::optional<double> rate() const;
};

struct FilterFacts {
  std::string name;
  double block_bits_per_key = 0;
  std::optional<double> build_peak_bytes_per_key;
  FalsePositives false_positives;  // The sum of all workloads.
};

// The measurements of one workload with one filter. Each round adds one
// measurement.
struct Series {
  std::vector<double> ns_per_key;  // Includes the time of the loop itself.
  FalsePositives false_positives;

  void Add(const Tally& tally) {
    ns_per_key.push_back(tally.ns_per_key);
    false_positives.Add(tally);
  }
};

// All times are in nanoseconds per key. best_ns and median_ns do not include
// overhead_ns, which is the time of the benchmark's own loop.
struct Figures {
  double best_ns = 0;
  double median_ns = 0;
  double overhead_ns = 0;
  // best_ns divided by the best_ns of RocksDB's Bloom filter, or of the naive
  // filter. nullopt if that filter was not measured, or took no time.
  std::optional<double> ratio_to_bloom;
  std::optional<double> ratio_to_naive;
  // The false positives in this workload or, if it queries no absent keys, in
  // all workloads with this filter.
  FalsePositives false_positives;
};

class Results {
 public:
  // The first filter must be kEmpty.
  Results(FilterConfig config, std::vector<FilterFacts> filters,
          std::vector<Workload> workloads);

  void Add(size_t workload, size_t filter, const Tally& tally);
  void AddUntimed(size_t filter, const Tally& tally) {
    filters_[filter].false_positives.Add(tally);
  }

  const FilterConfig& config() const { return config_; }
  const std::vector<FilterFacts>& filters() const { return filters_; }
  const std::vector<Workload>& workloads() const { return workloads_; }
  const Series& series(size_t workload, size_t filter) const {
    return series_[workload * filters_.size() + filter];
  }
  Figures FiguresOf(size_t workload, size_t filter) const;

 private:
  double BestNs(size_t workload, size_t filter) const;
  std::optional<double> RatioTo(const char* other, size_t workload,
                                double best_ns) const;

  FilterConfig config_;
  std::vector<FilterFacts> filters_;
  std::vector<Workload> workloads_;
  std::vector<Series> series_;
};

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_RESULTS_H_
