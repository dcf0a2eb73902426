// SPDX-License-Identifier: Apache-2.0

// Compares the speed of filters in one process: RocksDB's Bloom and Ribbon
// filters, cassandra_bloom, and a plain implementation of Cassandra's filter.
// All get the same keys, through RocksDB's own interface of filters. Google
// Benchmark repeats, interleaves and reports the measurements.

#include <benchmark/benchmark.h>
#include <gflags/gflags.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/filter_set.h"
#include "db_bench_ext/filter_bench/lookups.h"

DEFINE_string(policies,
              "bloomfilter:10,ribbonfilter:10,cassandra_bloom:10,naive:10",
              "A list of filter policies, as in RocksDB's options. naive:BITS "
              "is the filter of cassandra_bloom:BITS, written as plainly as it "
              "can be. cassandra_bloom is measured with each kernel that the "
              "CPU can run");
DEFINE_string(keys, "10K,1M",
              "Keys of a filter: a list; K and M are 1000 and 1000000");
DEFINE_uint32(filters, 1,
              "Filters of so many keys, 1 to 10000; every key, or every batch, "
              "goes to one of them at random");
DEFINE_uint32(key_length, 16,
              "Bytes of a key, 8 to 4096; 0: 8 to 64, another for each key");
DEFINE_uint32(
    batch, 32,
    "Keys of a batch, 1 to 128. 1 is a call for batches with one key; "
    "more than 32 are several calls, as in RocksDB");

namespace cassandra_bloom::bench {
namespace {

// Many short repetitions: on a shared machine, some of them are undisturbed.
constexpr char kRepetitions[] = "50";
constexpr char kMinTime[] = "0.004" FILTER_BENCH_SECONDS;

// ---- Flags ----

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream stream(text + ",");
  for (std::string item; std::getline(stream, item, ',');) {
    items.push_back(item);
  }
  return items;
}

void CheckRange(const std::string& flag, uint64_t value, uint64_t min,
                uint64_t max) {
  if (value < min || value > max) {
    throw std::invalid_argument("--" + flag + ": " + std::to_string(value) +
                                " is not from " + std::to_string(min) + " to " +
                                std::to_string(max));
  }
}

// Reads a list of numbers such as 10000 or 10K.
std::vector<uint64_t> ReadKeys() {
  std::vector<uint64_t> numbers;
  for (const std::string& item : SplitAtCommas(FLAGS_keys)) {
    const char* const end = item.data() + item.size();
    uint32_t value = 0;
    const auto read = std::from_chars(item.data(), end, value);
    const std::string suffix(read.ptr, end);
    const uint64_t unit = suffix == "K" ? 1000 : suffix == "M" ? 1000000 : 1;
    if (read.ec != std::errc() || (unit == 1 && !suffix.empty())) {
      throw std::invalid_argument("--keys: '" + item + "' is not a number");
    }
    numbers.push_back(value * unit);
    CheckRange("keys", numbers.back(), 1, 1'000'000'000);
  }
  return numbers;
}

std::vector<FilterSize> SizesFromFlags() {
  CheckRange("filters", FLAGS_filters, 1, 10'000);
  KeyShape shape = {KeyShape::kMinLength, KeyShape::kMaxRandomLength};
  if (FLAGS_key_length != 0) {
    CheckRange("key_length", FLAGS_key_length, KeyShape::kMinLength,
               KeyShape::kMaxLength);
    shape = {FLAGS_key_length, FLAGS_key_length};
  }
  std::vector<FilterSize> sizes;
  for (const uint64_t keys : ReadKeys()) {
    sizes.push_back({keys, FLAGS_filters, shape});
  }
  return sizes;
}

// ---- What is measured ----

// An iteration is a key, so the time of an iteration is that of a key.
void TimeBuild(const FilterSet& filters, benchmark::State* state) {
  const FilterSize& size = filters.size();
  KeyChunk keys(size.key_shape);
  uint64_t index = 0;
  while (state->KeepRunningBatch(static_cast<int64_t>(size.keys))) {
    const Built built =
        Build(filters.contender(), size, index++ % size.filters, &keys);
    state->SetIterationTime(built.seconds);
  }
}

void TimeLookups(Lookups* lookups, benchmark::State* state) {
  // First asks without recording the times. This fills the CPU's caches with
  // the data of this filter, because they contain another filter's data.
  constexpr int kUntimed = 100;
  for (int i = 0; i < kUntimed; ++i) {
    lookups->Ask();
  }
  while (state->KeepRunningBatch(static_cast<int64_t>(lookups->keys()))) {
    state->SetIterationTime(lookups->Ask());
  }
}

// ---- Names ----

struct Work {
  std::string name;
  bool build = false;
  Asked asked = Asked::kAbsent;
  uint32_t batch = 0;  // As in Lookups.
};

std::vector<Work> Works() {
  CheckRange("batch", FLAGS_batch, 1, KeyChunk::kCapacity / 2);
  return {{"build", /*build=*/true},
          {"lookup_absent", false, Asked::kAbsent},
          {"lookup_present", false, Asked::kPresent},
          {"lookup_mixed", false, Asked::kMixed},
          {"lookup_absent", false, Asked::kAbsent, FLAGS_batch},
          {"lookup_present", false, Asked::kPresent, FLAGS_batch}};
}

// Returns the part of the name behind the policy.
std::string NameOf(const FilterSize& size, uint32_t batch) {
  std::string name = "/keys:" + std::to_string(size.keys);
  if (FLAGS_filters != 1) {
    name += "/filters:" + std::to_string(FLAGS_filters);
  }
  if (FLAGS_key_length != 16) {
    name += "/key_length:" + std::to_string(FLAGS_key_length);
  }
  return batch == 0 ? name : name + "/batch:" + std::to_string(batch);
}

// ---- The report ----

constexpr char kBest[] = "best";  // The statistic that is shown.

double Least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

// Shows one line for each benchmark: its best repetition. Randomly interleaved
// benchmarks end in any order, so all are shown at the end, in the order of
// their registration. Google Benchmark's own reporter prints, in the format
// that its flags ask for.
class BestReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override {
    return printer_->ReportContext(context);
  }

  void ReportRuns(const std::vector<Run>& report) override {
    for (const Run& run : report) {
      // With --benchmark_repetitions=1 there are no statistics.
      if (run.repetitions == 1 || run.aggregate_name == kBest) {
        runs_.push_back(run);
      }
    }
  }

  void Finalize() override {
    std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) {
      return a.family_index < b.family_index;
    });
    std::map<std::string, double> first_times;
    for (Run& run : runs_) {
      // Names of the same work differ in the policy alone.
      std::string work = run.run_name.function_name;
      const size_t policy = work.find('/');
      work.erase(policy, work.find('/', policy + 1) - policy);
      const double time = run.GetAdjustedRealTime();
      run.counters["x_first"] =
          time / first_times.emplace(work, time).first->second;
    }
    printer_->ReportRuns(runs_);
    printer_->Finalize();
  }

 private:
  BenchmarkReporter* const printer_ = benchmark::CreateDefaultDisplayReporter();
  std::vector<Run> runs_;
};

// ---- The program ----

void Register(const std::string& name, const Work& work,
              const std::shared_ptr<FilterSet>& filters) {
  const auto run = [work, filters](benchmark::State& state) {
    if (filters->BuildOnce()) {
      Check(filters.get());
    }
    if (work.build) {
      TimeBuild(*filters, &state);
    } else {
      Lookups lookups(*filters, work.asked, work.batch);
      TimeLookups(&lookups, &state);
    }
    state.counters["bits/key"] = filters->BitsPerKey();
    state.counters["bytes"] = static_cast<double>(filters->bytes());
    state.counters["false_%"] = 100 * filters->false_positive_rate();
  };
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->UseManualTime()
      ->ComputeStatistics(kBest, Least);
}

void RegisterAll() {
  std::vector<Contender> contenders;
  for (const std::string& policy : SplitAtCommas(FLAGS_policies)) {
    for (const Contender& contender : ContendersOf(policy)) {
      contenders.push_back(contender);
    }
  }
  for (const FilterSize& size : SizesFromFlags()) {
    std::vector<std::shared_ptr<FilterSet>> filters;
    for (const Contender& contender : contenders) {
      filters.push_back(std::make_shared<FilterSet>(contender, size));
    }
    for (const Work& work : Works()) {
      for (size_t i = 0; i < contenders.size(); ++i) {
        Register(
            work.name + "/" + contenders[i].name + NameOf(size, work.batch),
            work, filters[i]);
      }
    }
  }
}

void PrintHelp() {
  gflags::SetUsageMessage(
      "times filters side by side, in this process and through RocksDB's own "
      "interface of filters.\n\n"
      "A line is named WORK/POLICY/keys:N, and /batch:N where batches are "
      "asked. WORK is build, lookup_absent, lookup_present or lookup_mixed "
      "(half of the keys are absent). --benchmark_filter=REGEX chooses lines. "
      "Time: nanoseconds for a key, in the best of all repetitions, which "
      "other programs disturbed least; for build, CPU time. Making the keys is "
      "not in it, but is in the column CPU. x_first: the time relative to that "
      "of the first policy at the same work; below 1 is faster. false_%: false "
      "positives of two million absent keys.\n\n"
      "Before a filter is timed, all of its keys are looked up, and its false "
      "positives are counted. Exit status: 0 measured, 1 a filter or a flag "
      "was wrong.");
  gflags::ShowUsageWithFlagsRestrict("filter_bench", "filter_bench.cc");
  std::printf(
      "\nFlags of Google Benchmark. Unless given: %s repetitions of %s, "
      "randomly interleaved.\n",
      kRepetitions, kMinTime);
  benchmark::PrintDefaultHelp();
}

int Main(int argc, char** argv) {
  // The arguments of the command line come last, so they count.
  std::string defaults[] = {
      argv[0], "--benchmark_enable_random_interleaving=true",
      "--benchmark_counters_tabular=true",
      std::string("--benchmark_repetitions=") + kRepetitions,
      std::string("--benchmark_min_time=") + kMinTime};
  std::vector<char*> arguments;
  for (std::string& argument : defaults) {
    arguments.push_back(argument.data());
  }
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  char** values = arguments.data();
  benchmark::Initialize(&count, values, PrintHelp);
  gflags::ParseCommandLineFlags(&count, &values, /*remove_flags=*/true);
  if (benchmark::ReportUnrecognizedArguments(count, values)) {
    return 1;
  }
  benchmark::AddCustomContext("RocksDB",
                              ROCKSDB_NAMESPACE::GetRocksVersionAsString());
  try {
    RegisterAll();
    BestReporter reporter;
    return benchmark::RunSpecifiedBenchmarks(&reporter) == 0 ? 1 : 0;
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
