// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/results.h"

#include <algorithm>
#include <utility>

namespace cassandra_bloom::bench {
namespace {

double Best(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

double Median(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[middle]
                                : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

std::optional<double> FalsePositives::rate() const {
  if (absent == 0) {
    return std::nullopt;
  }
  return static_cast<double>(matches) / static_cast<double>(absent);
}

Results::Results(FilterConfig config, std::vector<FilterFacts> filters,
                 std::vector<Workload> workloads)
    : config_(std::move(config)),
      filters_(std::move(filters)),
      workloads_(std::move(workloads)),
      series_(filters_.size() * workloads_.size()) {}

void Results::Add(size_t workload, size_t filter, const Tally& tally) {
  series_[workload * filters_.size() + filter].Add(tally);
  filters_[filter].false_positives.Add(tally);
}

double Results::BestNs(size_t workload, size_t filter) const {
  return Best(series(workload, filter).ns_per_key) -
         Best(series(workload, 0).ns_per_key);
}

std::optional<double> Results::RatioTo(const char* other, size_t workload,
                                       double best_ns) const {
  for (size_t filter = 0; filter < filters_.size(); ++filter) {
    const double other_ns = BestNs(workload, filter);
    if (filters_[filter].name == other && other_ns > 0) {
      return best_ns / other_ns;
    }
  }
  return std::nullopt;
}

Figures Results::FiguresOf(size_t workload, size_t filter) const {
  const Series& measured = series(workload, filter);
  Figures figures;
  figures.overhead_ns = Best(series(workload, 0).ns_per_key);
  figures.best_ns = BestNs(workload, filter);
  figures.median_ns = Median(measured.ns_per_key) - figures.overhead_ns;
  figures.ratio_to_bloom = RatioTo(kBloom, workload, figures.best_ns);
  figures.ratio_to_naive = RatioTo(kNaive, workload, figures.best_ns);
  figures.false_positives = measured.false_positives.absent > 0
                                ? measured.false_positives
                                : filters_[filter].false_positives;
  return figures;
}

}  // namespace cassandra_bloom::bench
