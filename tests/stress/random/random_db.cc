// SPDX-License-Identifier: Apache-2.0

// Databases drawn at random, each for less than a second, beside a map that
// says what must be there:
//
//   random_db --seconds=600
//
// A failure is tried again with RocksDB's built-in filter, which tells whose it
// is. Exit status 0: none is ours; 1: one is; 2: wrong usage. --seed=N repeats
// one.

#include <gflags/gflags.h>
#include <rocksdb/utilities/object_registry.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/stress/random/blame.h"
#include "tests/support/temp_dir.h"

DEFINE_double(seconds, 10, "how long to go on");
DEFINE_uint64(databases, UINT64_MAX, "end after that many databases");
DEFINE_uint32(jobs, 1, "how many at once");
DEFINE_uint64(seed, 0, "run the database of this seed alone; 0: new ones");
DEFINE_uint32(time_limit, 120, "seconds for one database");
DEFINE_string(policy, "",
              "with --seed: `ours` or `builtin`, in this very process, not "
              "compared with the other");
DEFINE_uint64(attempt, 0,
              "with --seed and --policy: other keys and operations in the same "
              "configuration");
DEFINE_string(folder, "",
              "with --seed and --policy: an empty folder for the database, "
              "which is kept; none: a temporary one");

namespace cassandra_bloom::testing {
namespace {

using Clock = std::chrono::steady_clock;

// What all jobs have seen.
class Summary {
 public:
  void Add(const Verdict& verdict) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++databases_;
    counts_.operations += verdict.counts.operations;
    counts_.checks += verdict.counts.checks;
    counts_.filtered += verdict.counts.filtered;
    if (verdict.fault != Fault::kNone) {
      const bool is_ours = verdict.fault == Fault::kOurs;
      ++(is_ours ? ours_ : shared_)[verdict.kind];
      if (is_ours) {
        ++num_ours_;
        std::printf("%sFAILURE of ours, --seed=%" PRIu64 ": %s", kEraseLine,
                    verdict.seed, verdict.text.c_str());
      } else if (++num_shared_; shared_[verdict.kind] == 1) {
        std::printf("%sshared with the built-in filter, --seed=%" PRIu64 ": %s",
                    kEraseLine, verdict.seed, verdict.text.c_str());
      }
    }
    if (isatty(STDOUT_FILENO) != 0) {
      std::printf("%s%s", kEraseLine, Line().c_str());
    }
    std::fflush(stdout);
  }

  // The exit status.
  int Print() const {
    std::printf("%s%s\n", isatty(STDOUT_FILENO) != 0 ? kEraseLine : "",
                Line().c_str());
    for (const auto& [kind, count] : shared_) {
      std::printf("  shared %" PRIu64 " times: %s\n", count, kind.c_str());
    }
    for (const auto& [kind, count] : ours_) {
      std::printf("  of ours %" PRIu64 " times: %s\n", count, kind.c_str());
    }
    if (counts_.filtered == 0) {
      std::printf("FAILURE: no key was ever answered by a filter\n");
    }
    return num_ours_ == 0 && counts_.filtered > 0 ? 0 : 1;
  }

 private:
  static constexpr char kEraseLine[] = "\r\x1b[K";

  std::string Line() const {
    char text[200];
    std::snprintf(text, sizeof(text),
                  "%" PRIu64 " databases, %" PRIu64 " operations, %" PRIu64
                  " checks (%" PRIu64 " answered by filters), %" PRIu64
                  " failures of ours, %" PRIu64 " shared",
                  databases_, counts_.operations, counts_.checks,
                  counts_.filtered, num_ours_, num_shared_);
    return text;
  }

  std::mutex mutex_;
  uint64_t databases_ = 0;
  TrialCounts counts_;
  uint64_t num_ours_ = 0;
  uint64_t num_shared_ = 0;
  std::map<std::string, uint64_t> ours_;
  std::map<std::string, uint64_t> shared_;
};

int RunTrial() {
  std::optional<TempDir> temporary;
  if (FLAGS_folder.empty()) {
    temporary.emplace();
  }
  return RunTrialProcess(
      {FLAGS_seed, FLAGS_policy == "ours" ? Stand::kOurs : Stand::kBuiltin,
       FLAGS_attempt, temporary ? temporary->path() : FLAGS_folder},
      FLAGS_time_limit);
}

// Seeds in a row, from `first`.
int RunMany(const std::string& program, uint64_t first, uint64_t count) {
  std::printf("seeds from %" PRIu64 "\n", first);
  std::fflush(stdout);
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(FLAGS_seconds));
  Summary summary;
  std::atomic<uint64_t> next{0};
  const auto work = [&] {
    for (uint64_t i = next++; i < count && Clock::now() < end; i = next++) {
      summary.Add(RunInProcesses(program, first + i, FLAGS_time_limit));
    }
  };
  std::vector<std::thread> jobs;
  for (uint32_t i = 0; i < FLAGS_jobs; ++i) {
    jobs.emplace_back(work);
  }
  for (std::thread& job : jobs) {
    job.join();
  }
  return summary.Print();
}

int Main(const char* program) {
  rocksdb::ObjectRegistry::Default()->AddLibrary("cassandra_bloom",
                                                 register_cassandra_bloom, "");
  if (!FLAGS_policy.empty()) {
    return RunTrial();
  }
  return FLAGS_seed != 0
             ? RunMany(program, FLAGS_seed, 1)
             : RunMany(program, std::random_device()(), FLAGS_databases);
}

// What is wrong with the flags, or nothing.
std::string WrongFlags(int argc, char** argv) {
  if (argc != 1) {
    return argv[1];
  }
  if (FLAGS_jobs == 0) {
    return "--jobs is 0";
  }
  if (!FLAGS_policy.empty() && FLAGS_policy != "ours" &&
      FLAGS_policy != "builtin") {
    return "--policy=" + FLAGS_policy + " is neither ours nor builtin";
  }
  if (FLAGS_seed == 0 && !FLAGS_policy.empty()) {
    return "--policy is for a --seed";
  }
  if (FLAGS_policy.empty() && (FLAGS_attempt != 0 || !FLAGS_folder.empty())) {
    return "--attempt and --folder are for a --policy";
  }
  return "";
}

}  // namespace
}  // namespace cassandra_bloom::testing

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "random_db --seconds=N | --seed=N: databases drawn at random, each "
      "beside "
      "a map that says what must be there; a failure is tried again with "
      "RocksDB's built-in filter");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  const std::string wrong = cassandra_bloom::testing::WrongFlags(argc, argv);
  if (!wrong.empty()) {
    std::fprintf(stderr, "random_db: %s; see random_db --help\n",
                 wrong.c_str());
    return 2;
  }
  return cassandra_bloom::testing::Main(argv[0]);
}
