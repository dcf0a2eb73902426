// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/blame.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <vector>

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

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

struct Outcome {
  bool passed = false;
  std::string kind;
  std::string text;
  TrialCounts counts;
  bool has_wrong_denial = false;
  // True if rows are wrong, but no filter denied a key that it was given.
  bool has_right_denials = false;
};

std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

void FindFailure(const ProcessResult& process, Outcome* outcome) {
  for (const std::string& line : Lines(process.err)) {
    if (line.find(kAssertion) != std::string::npos) {
      // Without the "program: " before "file.cc:12: f: Assertion...".
      outcome->kind = outcome->text = line.substr(line.find(": ") + 2);
      return;
    }
  }
  for (const std::string& line : Lines(process.out)) {
    if (line.compare(0, sizeof(kFailure) - 1, kFailure) == 0) {
      outcome->text = line.substr(sizeof(kFailure) - 1);
      outcome->kind = outcome->text.substr(0, outcome->text.find(": "));
      return;
    }
  }
  outcome->kind = "a crash without a word";
  outcome->text = outcome->kind + ": " + process.err;
}

Outcome RunOne(const std::string& program, const TrialSettings& settings,
               Stand stand, uint64_t attempt, unsigned time_limit) {
  const TempDir folder;
  std::vector<std::string> arguments = {
      program,
      "--folder=" + folder.path(),
      "--seed=" + std::to_string(settings.seed),
      std::string("--policy=") + (stand == Stand::kOurs ? "ours" : "builtin"),
      "--attempt=" + std::to_string(attempt),
      "--scale=" + std::to_string(settings.scale),
      "--time_limit=" + std::to_string(time_limit)};
  if (settings.kills > 0) {
    arguments.push_back("--kills=" + std::to_string(settings.kills));
  }
  if (settings.at_once) {
    arguments.emplace_back("--at_once");
  }
  // The process ends itself at its time limit.
  const ProcessResult process =
      RunProcess(arguments, /*preload=*/"", time_limit + 60);
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
                  const Outcome& ours, unsigned time_limit, std::string* text) {
  constexpr uint64_t kRepetitions = 3;
  constexpr uint64_t kOthers = 7;
  for (uint64_t i = 0; i < kRepetitions + kOthers; ++i) {
    const uint64_t attempt = i < kRepetitions ? 0 : i - kRepetitions + 1;
    const Outcome builtin =
        RunOne(program, settings, Stand::kBuiltin, attempt, time_limit);
    if (!builtin.passed && (attempt == 0 || builtin.kind == ours.kind)) {
      *text +=
          "  with the built-in filter, --attempt=" + std::to_string(attempt) +
          ": " + FirstLine(builtin.text) + "\n";
      return true;
    }
  }
  *text += "  the built-in filter passes\n";
  return false;
}

}  // namespace

int RunTrialProcess(const TrialSettings& settings, unsigned time_limit) {
  signal(SIGALRM, TellTimeLimit);
  alarm(time_limit);
  TrialCounts counts;
  const int status = RunTrial(settings, &counts);
  std::printf("%" PRIu64 " operations, %" PRIu64 " checks, %" PRIu64
              " filtered\n",
              counts.operations, counts.checks, counts.filtered);
  std::fflush(stdout);
  return status;
}

Verdict RunInProcesses(const std::string& program,
                       const TrialSettings& settings, unsigned time_limit) {
  const Outcome ours = RunOne(program, settings, Stand::kOurs, 0, time_limit);
  Verdict verdict;
  verdict.seed = settings.seed;
  verdict.counts = ours.counts;
  if (ours.passed) {
    return verdict;
  }
  verdict.kind = ours.kind;
  verdict.text = ours.text;
  verdict.fault = Fault::kOurs;
  if (ours.has_wrong_denial) {
    return verdict;
  }
  const bool is_without_filters = IsWithoutFilters(ours.text);
  verdict.is_known =
      is_without_filters || ours.kind.rfind(kSeekForPrev, 0) == 0;
  if (is_without_filters ||
      BuiltinFails(program, settings, ours, time_limit, &verdict.text)) {
    verdict.fault = Fault::kShared;
  }
  if (ours.has_right_denials) {
    verdict.fault = Fault::kShared;
    verdict.text += std::string("  ") + kNoWrongDenial + "\n";
  }
  return verdict;
}

}  // namespace cassandra_bloom::testing
