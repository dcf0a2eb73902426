// SPDX-License-Identifier: Apache-2.0

#include <nlohmann/json.hpp>

#include "db_bench_ext/filter_bench/result_output.h"

namespace cassandra_bloom::bench {
namespace {

using Json = nlohmann::ordered_json;

Json OrNull(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

Json MachineJson(const Machine& machine) {
  return {{"cpu", machine.cpu},
          {"cpus", machine.cpus},
          {"simd", machine.simd},
          {"l1d_cache_bytes", machine.l1d_cache},
          {"l2_cache_bytes", machine.l2_cache},
          {"l3_cache_bytes", machine.l3_cache},
          {"transparent_hugepages", machine.transparent_hugepages}};
}

Json ParametersJson(const BenchOptions& options) {
  Json key_lengths = Json::array();
  for (const KeyShape& shape : options.key_shapes) {
    key_lengths.push_back(shape.Name());
  }
  return {{"keys", options.keys},
          {"filters", options.filters},
          {"key_length", key_lengths},
          {"bits_per_key", options.bits_per_key},
          {"batch", options.batches},
          {"workloads", options.workloads},
          {"filters_to_run", options.filters_to_run},
          {"queries", options.queries},
          {"rounds", options.rounds},
          {"build_rounds", options.build_rounds},
          {"block_offset", options.block_offset}};
}

Json ResultJson(const Results& results, size_t work, size_t filter) {
  const FilterConfig& config = results.config();
  const Workload& workload = results.workloads()[work];
  const FilterFacts& facts = results.filters()[filter];
  const Figures figures = results.FiguresOf(work, filter);
  return {{"keys", config.keys},
          {"filters", config.filters},
          {"key_length", config.key_shape.Name()},
          {"bits_per_key", config.bits_per_key},
          {"workload", workload.Name()},
          {"batch", workload.batch == 0 ? Json(nullptr) : Json(workload.batch)},
          {"filter", facts.name},
          {"best_ns", figures.best_ns},
          {"median_ns", figures.median_ns},
          {"overhead_ns", figures.overhead_ns},
          {"ratio_to_bloom", OrNull(figures.ratio_to_bloom)},
          {"ratio_to_naive", OrNull(figures.ratio_to_naive)},
          {"false_positive_rate", OrNull(figures.false_positives.rate())},
          {"absent_queries", figures.false_positives.absent},
          {"false_positives", figures.false_positives.matches},
          {"block_bits_per_key", facts.block_bits_per_key},
          {"build_peak_bytes_per_key", OrNull(facts.build_peak_bytes_per_key)},
          {"rounds_ns_with_overhead", results.series(work, filter).ns_per_key}};
}

}  // namespace

std::string ToJson(const Machine& machine, const BenchOptions& options,
                   const std::vector<Results>& all_results) {
  Json figures = Json::array();
  for (const Results& results : all_results) {
    for (size_t work = 0; work < results.workloads().size(); ++work) {
      for (size_t filter = 1; filter < results.filters().size(); ++filter) {
        figures.push_back(ResultJson(results, work, filter));
      }
    }
  }
  const Json json = {
      {"machine", MachineJson(machine)},
      {"rocksdb",
       {{"version", machine.rocksdb_version}, {"file", machine.rocksdb_file}}},
      {"compiler", machine.compiler},
      {"parameters", ParametersJson(options)},
      {"results", figures}};
  return json.dump(/*indent=*/1, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}

}  // namespace cassandra_bloom::bench
