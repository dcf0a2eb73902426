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
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/stress/random/trial.h"
#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using Clock = std::chrono::steady_clock;

// ---- One trial ----

constexpr char kCounts[] =
    "%" SCNu64 " operations, %" SCNu64 " checks, %" SCNu64 " filtered";
constexpr char kAssertion[] = "Assertion `";
// In these no filter has a part, and they depend on threads, so RocksDB's own
// filter need not show them, too.
constexpr const char* kWithoutFilters[] = {
    // RocksDB 7.8 can find level 0 out of order where nothing is wrong
    // (facebook/rocksdb pull request 10922).
    "VersionBuilder: L0 file",
    // The same file was picked for two compactions (for one such case in FIFO
    // compaction see facebook/rocksdb pull request 13946).
    "Compaction::MarkFilesBeingCompacted(bool): Assertion `",
};
// In prefix-only partitioned filters (facebook/rocksdb#12872).
constexpr char kSeekForPrev[] = "SeekForPrev is wrong with ";

void TellTimeLimit(int) {
  static const char kText[] = "FAILURE: time limit: it takes too long\n";
  if (write(STDOUT_FILENO, kText, sizeof(kText) - 1) > 0) {
    _exit(1);
  }
  _exit(2);
}

bool IsWithoutFilters(const std::string& text) {
  return std::any_of(std::begin(kWithoutFilters), std::end(kWithoutFilters),
                     [&text](const char* known) {
                       return text.find(known) != std::string::npos;
                     });
}

// What a process of a trial has printed.
struct Outcome {
  bool passed = false;
  std::string kind;  // Equal for all failures of one kind.
  std::string text;  // The full description.
  TrialCounts counts;
  bool has_wrong_denial = false;
  // True if rows are wrong, but no filter denied a key that it was given.
  bool has_right_denials = false;
  // True if RocksDB causes the failure, and not cassandra_bloom.
  bool is_shared = false;
  // True for the failures of RocksDB that have a ticket, which are named above.
  bool is_known = false;
};

std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

void FindFailure(const ProcessResult& process, Outcome* outcome) {
  for (const std::string& line : Lines(process.out)) {
    if (line.compare(0, sizeof(kFailure) - 1, kFailure) == 0) {
      outcome->text = line.substr(sizeof(kFailure) - 1);
      outcome->kind = outcome->text.substr(0, outcome->text.find(": "));
      return;
    }
  }
  for (const std::string& line : Lines(process.err)) {
    if (line.find(kAssertion) != std::string::npos) {
      // Without the "program: " before "file.cc:12: f: Assertion...".
      outcome->kind = outcome->text = line.substr(line.find(": ") + 2);
      return;
    }
  }
  outcome->kind = "a crash without a word";
  outcome->text = outcome->kind + ": " + process.err;
}

Outcome RunOne(const std::string& program, const TrialSettings& settings,
               Stand stand, uint64_t attempt) {
  const TempDir folder;
  std::vector<std::string> arguments = {
      program,
      "--folder=" + folder.path(),
      "--seed=" + std::to_string(settings.seed),
      std::string("--policy=") + (stand == Stand::kOurs ? "ours" : "builtin"),
      "--attempt=" + std::to_string(attempt),
      "--scale=" + std::to_string(settings.scale),
      "--time_limit=" + std::to_string(settings.time_limit)};
  if (settings.kills > 0) {
    arguments.push_back("--kills=" + std::to_string(settings.kills));
  }
  if (settings.at_once) {
    arguments.emplace_back("--at_once");
  }
  // The process ends itself at its time limit.
  const ProcessResult process =
      RunProcess(arguments, /*preload=*/"", settings.time_limit + 60);
  Outcome outcome;
  outcome.passed = process.exit_code == 0;
  for (const std::string& line : Lines(process.out)) {
    std::sscanf(line.c_str(), kCounts, &outcome.counts.operations,
                &outcome.counts.checks, &outcome.counts.filtered);
  }
  if (!outcome.passed) {
    FindFailure(process, &outcome);
    outcome.has_wrong_denial =
        process.out.find(kWrongDenial) != std::string::npos;
    outcome.has_right_denials =
        process.out.find(kNoWrongDenial) != std::string::npos;
    const size_t last = process.out.rfind("opens ");
    outcome.text +=
        "\n  " +
        FirstLine(process.out.substr(std::min(last, process.out.size()))) +
        "\n";
  }
  return outcome;
}

// Returns whether RocksDB's own filter also fails. First repeats the same trial
// several times, because failures may depend on threads. Then runs other
// trials, in which only a failure of the same kind counts.
bool BuiltinFails(const std::string& program, const TrialSettings& settings,
                  const std::string& kind, std::string* text) {
  constexpr uint64_t kRepetitions = 3;
  constexpr uint64_t kOthers = 7;
  for (uint64_t i = 0; i < kRepetitions + kOthers; ++i) {
    const uint64_t attempt = i < kRepetitions ? 0 : i - kRepetitions + 1;
    const Outcome builtin = RunOne(program, settings, Stand::kBuiltin, attempt);
    if (!builtin.passed && (attempt == 0 || builtin.kind == kind)) {
      *text +=
          "  with the built-in filter, --attempt=" + std::to_string(attempt) +
          ": " + FirstLine(builtin.text) + "\n";
      return true;
    }
  }
  *text += "  the built-in filter passes\n";
  return false;
}

// Runs a trial in its own process of `program`, and decides whether
// cassandra_bloom or RocksDB causes its failure.
Outcome RunAndBlame(const std::string& program, const TrialSettings& settings) {
  Outcome ours = RunOne(program, settings, Stand::kOurs, 0);
  if (ours.passed || ours.has_wrong_denial) {
    return ours;
  }
  const bool is_without_filters = IsWithoutFilters(ours.text);
  ours.is_known = is_without_filters || ours.kind.rfind(kSeekForPrev, 0) == 0;
  ours.is_shared = is_without_filters ||
                   BuiltinFails(program, settings, ours.kind, &ours.text);
  if (ours.has_right_denials) {
    ours.is_shared = true;
    ours.text += std::string("  ") + kNoWrongDenial + "\n";
  }
  return ours;
}

// Runs one trial in this process, and prints the output that RunOne reads.
// Returns the exit status.
int RunTrialProcess(const TrialSettings& settings) {
  signal(SIGALRM, TellTimeLimit);
  alarm(settings.time_limit);
  TrialCounts counts;
  const int status = RunTrial(settings, &counts);
  std::printf("%" PRIu64 " operations, %" PRIu64 " checks, %" PRIu64
              " filtered\n",
              counts.operations, counts.checks, counts.filtered);
  std::fflush(stdout);
  return status;
}

// ---- Many trials ----

struct Flags {
  std::optional<double> seconds;
  uint64_t databases = UINT64_MAX;
  unsigned jobs = 1;
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
  app->add_option("--time_limit", flags->trial.time_limit,
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

  void Add(uint64_t seed, const Outcome& outcome) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++databases_;
    counts_.operations += outcome.counts.operations;
    counts_.checks += outcome.counts.checks;
    counts_.filtered += outcome.counts.filtered;
    if (outcome.passed) {
      return;
    }
    const bool is_ours =
        !outcome.is_shared || (only_known_ && !outcome.is_known);
    const uint64_t count = ++(is_ours ? ours_ : shared_)[outcome.kind];
    if (is_ours || count == 1) {
      std::printf(
          "%s, --seed=%" PRIu64 ": %s",
          is_ours ? "FAILURE of ours" : "shared with the built-in filter", seed,
          outcome.text.c_str());
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
      summary.Add(settings.seed, RunAndBlame(program, settings));
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
  return RunTrialProcess(flags.trial);
}
