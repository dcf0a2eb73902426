// SPDX-License-Identifier: Apache-2.0

// Compares the speed of filters in one process: RocksDB's Bloom and Ribbon
// filters, cassandra_bloom, and a plain implementation of Cassandra's filter.
// All get the same keys, through RocksDB's own interface of filters.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/bench_options.h"
#include "db_bench_ext/filter_bench/filters_under_test.h"
#include "db_bench_ext/filter_bench/machine.h"
#include "db_bench_ext/filter_bench/result_output.h"
#include "db_bench_ext/filter_bench/results.h"
#include "db_bench_ext/filter_bench/sanity_check.h"
#include "db_bench_ext/filter_bench/workloads.h"

namespace cassandra_bloom::bench {
namespace {

struct Bench {
  FilterConfig config;
  std::vector<FilterUnderTest> filters;  // The empty filter is first.
  std::vector<std::unique_ptr<const FilterSet>> sets;
  std::vector<Workload> workloads;
};

void ShowProgress(const std::string& what) {
  if (isatty(STDERR_FILENO) != 0) {
    std::fprintf(stderr, "\r\033[K%s", what.c_str());
  }
}

void Prepare(const BenchOptions& options, Bench* bench) {
  bench->filters.push_back(
      NewFilterUnderTest(kEmpty, bench->config.bits_per_key));
  for (const std::string& name : options.filters_to_run) {
    bench->filters.push_back(
        NewFilterUnderTest(name, bench->config.bits_per_key));
  }
  const FilterSet* filter_db = nullptr;
  for (const FilterUnderTest& filter : bench->filters) {
    CheckAgainstNaive(filter, bench->config);
    bench->sets.push_back(
        std::make_unique<const FilterSet>(filter, bench->config));
    if (filter.builds_filter_db) {
      if (filter_db != nullptr) {
        CheckSameBlocks(*filter_db, *bench->sets.back());
      }
      filter_db = bench->sets.back().get();
    }
  }
  for (const std::string& name : options.workloads) {
    for (const Workload& workload : WorkloadsOf(name, options.batches)) {
      bench->workloads.push_back(workload);
    }
  }
}

Results EmptyResults(const Bench& bench) {
  std::vector<FilterFacts> facts;
  for (const auto& set : bench.sets) {
    facts.push_back({set->filter().name,
                     set->BlockBitsPerKey(),
                     set->BuildPeakBytesPerKey(),
                     {}});
  }
  return Results(bench.config, facts, bench.workloads);
}

// Returns `tally`. Throws if the filter has lost a key, because the times of a
// wrong filter have no meaning.
Tally WithoutLosses(const Tally& tally, const FilterSet& set,
                    const Workload& workload) {
  if (tally.false_negatives != 0) {
    throw std::runtime_error(
        set.filter().name +
        ": FALSE NEGATIVES: " + std::to_string(tally.false_negatives) + " of " +
        std::to_string(tally.keys - tally.absent) +
        " keys that it has were lost (" + workload.Title() + "; " +
        set.config().Name() + ")");
  }
  return tally;
}

// Queries each filter without recording the times, even if no chosen workload
// queries filters. Counts false positives. Throws if a filter loses a key.
void AskUntimed(const Bench& bench, uint64_t queries, Results* results) {
  for (size_t filter = 0; filter < bench.sets.size(); ++filter) {
    for (const Workload& workload :
         {Workload{Work::kMixed, 0}, Workload{Work::kMixed, kMaxWorkBatch}}) {
      const FilterSet& set = *bench.sets[filter];
      results->AddUntimed(
          filter, WithoutLosses(Ask(set, workload, queries, /*seed=*/0), set,
                                workload));
    }
  }
}

Tally Measure(const FilterSet& set, const Workload& workload, uint64_t queries,
              uint64_t seed) {
  if (workload.work == Work::kBuild) {
    return BuildAgain(set, queries, seed);
  }
  // First queries the filter without recording the times. This fills the CPU's
  // caches with the data of this filter, because the caches contain another
  // filter's data.
  Ask(set, workload, queries / 4, 2 * seed);
  return WithoutLosses(Ask(set, workload, queries, 2 * seed + 1), set,
                       workload);
}

void RunRound(const BenchOptions& options, const Bench& bench, uint32_t round,
              Results* results) {
  for (size_t work = 0; work < bench.workloads.size(); ++work) {
    const Workload& workload = bench.workloads[work];
    if (workload.work == Work::kBuild && round >= options.build_rounds) {
      continue;
    }
    const uint64_t seed = 1 + round * bench.workloads.size() + work;
    for (size_t i = 0; i < bench.sets.size(); ++i) {
      // Each round begins with another filter.
      const size_t filter = (i + round) % bench.sets.size();
      results->Add(
          work, filter,
          Measure(*bench.sets[filter], workload, options.queries, seed));
    }
  }
}

Results Run(const BenchOptions& options, const FilterConfig& config) {
  ShowProgress(config.Name() + ": building");
  Bench bench;
  bench.config = config;
  Prepare(options, &bench);
  Results results = EmptyResults(bench);
  AskUntimed(bench, options.queries, &results);
  for (uint32_t round = 0; round < options.rounds; ++round) {
    ShowProgress(config.Name() + ": round " + std::to_string(round + 1) +
                 " of " + std::to_string(options.rounds));
    RunRound(options, bench, round, &results);
  }
  ShowProgress("");
  return results;
}

std::vector<Results> RunAll(const BenchOptions& options) {
  std::vector<Results> all_results;
  for (const double bits_per_key : options.bits_per_key) {
    for (const KeyShape& key_shape : options.key_shapes) {
      for (const uint64_t keys : options.keys) {
        all_results.push_back(
            Run(options, {keys, options.filters, key_shape, bits_per_key,
                          options.block_offset}));
      }
    }
  }
  return all_results;
}

void Write(const BenchOptions& options, const std::vector<Results>& results) {
  const Machine machine = ThisMachine();
  if (options.json == "-") {
    std::printf("%s\n", ToJson(machine, options, results).c_str());
    return;
  }
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << ToJson(machine, options, results) << '\n';
    if (!file.flush()) {
      throw std::runtime_error(options.json + " could not be written");
    }
  }
  PrintText(machine, options, results);
}

// Throws UsageError if the file cannot be written. Must be called before the
// measurements, because otherwise their results would be lost.
void CheckWritable(const std::string& path) {
  if (!path.empty() && path != "-" && !std::ofstream(path, std::ios::app)) {
    throw UsageError("--json: '" + path +
                     "' is not a file that can be written");
  }
}

int Main(int argc, char** argv) {
  try {
    const BenchOptions options = ReadOptions(argc, argv);
    CheckWritable(options.json);
    Write(options, RunAll(options));
    return 0;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "filter_bench: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "filter_bench: %s\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace cassandra_bloom::bench

int main(int argc, char** argv) {
  return cassandra_bloom::bench::Main(argc, argv);
}
