// SPDX-License-Identifier: Apache-2.0

// Runs random databases, and compares each with a map of the expected rows:
//
//   random_db --seconds=600
//   random_db --seconds=3600 --scale=20       large databases
//   random_db --databases=100 --kills=5       processes that are killed
//   random_db --seconds=60 --at_once          for a thread sanitizer
//
// A failed trial is repeated with RocksDB's own filter. If that fails, too, the
// failure is shared, and no failure of cassandra_bloom. With --first_seed, as
// in CTest, only failures of RocksDB that have a ticket may be shared. --seed=N
// repeats one database. The exit status is 0 without a failure of
// cassandra_bloom, 1 with such a failure, and 2 for wrong usage.

#include <rocksdb/utilities/object_registry.h>

#include <CLI/CLI.hpp>
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

namespace cassandra_bloom::testing {
namespace {

using Clock = std::chrono::steady_clock;

struct Flags {
  std::optional<double> seconds;
  uint64_t databases = UINT64_MAX;
  unsigned jobs = 1;
  unsigned time_limit = 120;
  uint64_t first_seed = 0;
  std::string policy;
  TrialSettings trial;
};

void Describe(CLI::App* app, Flags* flags) {
  app->add_option("--seconds", flags->seconds,
                  "How long to run (10, without --databases)");
  app->add_option("--databases", flags->databases,
                  "Stop after this many databases");
  app->add_option("--jobs", flags->jobs, "Databases at a time (1)")
      ->check(CLI::PositiveNumber);
  CLI::Option* const seed = app->add_option("--seed", flags->trial.seed,
                                            "Run only this seed's database")
                                ->check(CLI::PositiveNumber);
  app->add_option("--first_seed", flags->first_seed,
                  "The seed of the first database (drawn at random)")
      ->check(CLI::PositiveNumber)
      ->excludes(seed);
  app->add_option("--scale", flags->trial.scale,
                  "So many times the usual keys and operations (1)")
      ->check(CLI::PositiveNumber);
  CLI::Option* const kills = app->add_option(
      "--kills", flags->trial.kills,
      "Kill processes that use a database, so many times each (0)");
  app->add_flag("--at_once", flags->trial.at_once,
                "Make all operations at once, in several threads")
      ->excludes(kills);
  app->add_option("--time_limit", flags->time_limit,
                  "Seconds for one database (120)");
  CLI::Option* const folder =
      app->add_option("--folder", flags->trial.folder,
                      "An empty folder for the database, which is kept");
  CLI::Option* const policy =
      app->add_option("--policy", flags->policy,
                      "Run only `ours` or `builtin`, in this process, without "
                      "comparing them")
          ->check(CLI::IsMember({"ours", "builtin"}))
          ->needs(seed)
          ->needs(folder);
  app->add_option("--attempt", flags->trial.attempt,
                  "Other keys and operations in the same configuration (0)")
      ->needs(policy);
  folder->needs(policy);
}

// Collects the results of all jobs. Several threads may call Add at once.
class Summary {
 public:
  explicit Summary(bool only_known) : only_known_(only_known) {}

  void Add(const Verdict& verdict) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++databases_;
    counts_.operations += verdict.counts.operations;
    counts_.checks += verdict.counts.checks;
    counts_.filtered += verdict.counts.filtered;
    if (verdict.fault == Fault::kNone) {
      return;
    }
    const bool is_ours =
        verdict.fault == Fault::kOurs || (only_known_ && !verdict.is_known);
    const uint64_t count = ++(is_ours ? ours_ : shared_)[verdict.kind];
    if (is_ours || count == 1) {
      std::printf(
          "%s, --seed=%" PRIu64 ": %s",
          is_ours ? "FAILURE of ours" : "shared with the built-in filter",
          verdict.seed, verdict.text.c_str());
      std::fflush(stdout);
    }
  }

  int Finish() const {
    std::printf("%" PRIu64 " databases, %" PRIu64 " operations, %" PRIu64
                " checks (%" PRIu64 " answered by filters), %" PRIu64
                " failures of ours, %" PRIu64 " shared\n",
                databases_, counts_.operations, counts_.checks,
                counts_.filtered, Sum(ours_), Sum(shared_));
    for (const auto& [kind, count] : shared_) {
      std::printf("  shared %" PRIu64 " times: %s\n", count, kind.c_str());
    }
    for (const auto& [kind, count] : ours_) {
      std::printf("  of ours %" PRIu64 " times: %s\n", count, kind.c_str());
    }
    // In a run with only a few databases, perhaps none of them has a filter.
    const bool is_blind = databases_ >= 20 && counts_.filtered == 0;
    if (is_blind) {
      std::printf("FAILURE: no filter ever denied a key\n");
    }
    return ours_.empty() && !is_blind ? 0 : 1;
  }

 private:
  using Kinds = std::map<std::string, uint64_t>;

  static uint64_t Sum(const Kinds& kinds) {
    uint64_t sum = 0;
    for (const auto& kind : kinds) {
      sum += kind.second;
    }
    return sum;
  }

  const bool only_known_;
  std::mutex mutex_;
  uint64_t databases_ = 0;
  TrialCounts counts_;
  Kinds ours_;
  Kinds shared_;
};

int RunMany(const std::string& program, const Flags& flags) {
  const bool has_seed = flags.trial.seed != 0;
  const uint64_t first = has_seed               ? flags.trial.seed
                         : flags.first_seed > 0 ? flags.first_seed
                                                : std::random_device()();
  const uint64_t count = has_seed ? 1 : flags.databases;
  const double most = count == UINT64_MAX ? 10 : 1e9;
  std::printf("seeds from %" PRIu64 "\n", first);
  std::fflush(stdout);
  const auto end =
      Clock::now() +
      std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(flags.seconds.value_or(most)));
  Summary summary(/*only_known=*/flags.first_seed > 0);
  std::atomic<uint64_t> next{0};
  const auto work = [&] {
    for (uint64_t i = next++; i < count && Clock::now() < end; i = next++) {
      TrialSettings settings = flags.trial;
      settings.seed = first + i;
      summary.Add(RunInProcesses(program, settings, flags.time_limit));
    }
  };
  std::vector<std::thread> jobs;
  for (unsigned i = 0; i < flags.jobs; ++i) {
    jobs.emplace_back(work);
  }
  for (std::thread& job : jobs) {
    job.join();
  }
  return summary.Finish();
}

}  // namespace
}  // namespace cassandra_bloom::testing

int main(int argc, char** argv) {
  using namespace cassandra_bloom::testing;
  CLI::App app(
      "Databases drawn at random, each beside a map that says what must be "
      "there; a failure is tried again with RocksDB's built-in filter");
  Flags flags;
  Describe(&app, &flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  rocksdb::ObjectRegistry::Default()->AddLibrary("cassandra_bloom",
                                                 register_cassandra_bloom, "");
  if (flags.policy.empty()) {
    return RunMany(argv[0], flags);
  }
  flags.trial.stand = flags.policy == "ours" ? Stand::kOurs : Stand::kBuiltin;
  return RunTrialProcess(flags.trial, flags.time_limit);
}
