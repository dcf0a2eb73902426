// SPDX-License-Identifier: Apache-2.0

#include <cinttypes>
#include <cstdio>

#include "db_bench_ext/filter_bench/result_output.h"

namespace cassandra_bloom::bench {
namespace {

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

// "1.02", or "-" if there is none.
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

}  // namespace cassandra_bloom::bench
