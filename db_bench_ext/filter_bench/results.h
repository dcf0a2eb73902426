// SPDX-License-Identifier: Apache-2.0

// The measurements, and the figures that are computed from them.

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

// How many absent keys were queried, and how many of them matched.
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
  FalsePositives false_positives;  // In all workloads.
};

// The measurements of one workload with one filter, one for each round.
struct Series {
  std::vector<double> ns_per_key;  // With the loop's own time.
  FalsePositives false_positives;

  void Add(const Tally& tally) {
    ns_per_key.push_back(tally.ns_per_key);
    false_positives.Add(tally);
  }
};

// best_ns and median_ns do not include the loop's own time. That is
// overhead_ns, the best time of the empty filter.
struct Figures {
  double best_ns = 0;
  double median_ns = 0;
  double overhead_ns = 0;
  // best_ns divided by that of the Bloom or naive filter in the same workload,
  // if they were measured.
  std::optional<double> ratio_to_bloom;
  std::optional<double> ratio_to_naive;
  // Those of this workload. If it queries no absent keys, those of all
  // workloads with this filter.
  FalsePositives false_positives;
};

// The results of one configuration.
class Results {
 public:
  // The first filter must be the empty one.
  Results(FilterConfig config, std::vector<FilterFacts> filters,
          std::vector<Workload> workloads);

  void Add(size_t workload, size_t filter, const Tally& tally);
  // Adds answers that were not timed.
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
