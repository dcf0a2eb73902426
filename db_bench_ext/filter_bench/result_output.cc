// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/result_output.h"

#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace cassandra_bloom::bench {
namespace {

// ---- Text ----

void PrintMachine(const Machine& machine) {
  std::printf("%u * %s;", machine.cpus, machine.cpu.c_str());
  for (const std::string& flag : machine.simd) {
    std::printf(" %s", flag.c_str());
  }
  std::printf(
      "\ncaches: %" PRId64 " KiB L1d, %" PRId64 " KiB L2, %" PRId64
      " KiB L3; transparent hugepages: %s\nRocksDB %s: %s\ncompiled by %s\n\n",
      machine.l1d_cache / 1024, machine.l2_cache / 1024,
      machine.l3_cache / 1024, machine.transparent_hugepages.c_str(),
      machine.rocksdb_version.c_str(), machine.rocksdb_file.c_str(),
      machine.compiler.c_str());
}

std::string Number(std::optional<double> value, int digits) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f", digits, value.value_or(0));
  return value ? text : "-";
}

std::string Percent(std::optional<double> rate) {
  return rate ? Number(100 * *rate, 4) + " %" : "-";
}

void PrintTimes(const Results& results) {
  std::printf("%-26s %-28s %8s %8s %8s %8s %10s\n", "work", "filter", "best ns",
              "median", "/ bloom", "/ naive", "false pos.");
  for (size_t work = 0; work < results.workloads().size(); ++work) {
    std::printf("\n");
    for (size_t filter = 1; filter < results.filters().size(); ++filter) {
      const Figures figures = results.FiguresOf(work, filter);
      std::printf("%-26s %-28s %8.2f %8.2f %8s %8s %10s\n",
                  results.workloads()[work].Title().c_str(),
                  results.filters()[filter].name.c_str(), figures.best_ns,
                  figures.median_ns, Number(figures.ratio_to_bloom, 2).c_str(),
                  Number(figures.ratio_to_naive, 2).c_str(),
                  Percent(figures.false_positives.rate()).c_str());
    }
  }
}

void PrintSizes(const Results& results) {
  std::printf("\n%-28s %20s %28s\n", "filter", "block, bits per key",
              "peak of build, bytes per key");
  for (size_t filter = 1; filter < results.filters().size(); ++filter) {
    const FilterFacts& facts = results.filters()[filter];
    std::printf("%-28s %20.3f %28s\n", facts.name.c_str(),
                facts.block_bits_per_key,
                Number(facts.build_peak_bytes_per_key, 2).c_str());
  }
  std::printf("\n");
}

// ---- JSON ----

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

void PrintText(const Machine& machine, const BenchOptions& options,
               const std::vector<Results>& all_results) {
  PrintMachine(machine);
  std::printf(
      "ns per key, without the loop's own time: the best and the median of %u\n"
      "interleaved rounds of %" PRIu64
      " keys. build: CPU time, in %u of the rounds. / bloom,\n/ naive: the "
      "best relative to theirs at the same work; below 1 is faster.\n\n",
      options.rounds, options.queries, options.build_rounds);
  for (const Results& results : all_results) {
    std::printf("%s\n\n", results.config().Name().c_str());
    PrintTimes(results);
    PrintSizes(results);
  }
}

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
