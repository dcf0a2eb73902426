// SPDX-License-Identifier: Apache-2.0

// Writes, flushes, compacts and reads for a long time. Compares the database
// with a map of the expected rows. With --rounds, repeatedly kills a process
// that writes, and checks its database. With --lookups, reads a database that
// no longer changes.
//
//   soak --minutes=60
//   soak --rounds=100
//   soak --lookups=100000000
//
// The exit status is 0 if nothing was wrong. --seed repeats a run.

#include <gflags/gflags.h>
#include <rocksdb/utilities/object_registry.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <random>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "tests/stress/soak/crash_rounds.h"
#include "tests/stress/soak/soak_db.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

DEFINE_double(minutes, 1, "how long to run");
DEFINE_double(reopen_seconds, 60, "time between openings of the database");
DEFINE_int32(rounds, 0, "kill a writing process this many times instead");
DEFINE_uint64(lookups, 0, "look up this many present keys instead");
DEFINE_uint64(keys, 40000, "keys in each column family, at least 1000");
DEFINE_uint64(seed, 0, "seed of all random choices; 0: a new one");
DEFINE_string(folder, "",
              "an empty folder for the database, which is kept; default: a "
              "temporary folder");
DEFINE_bool(crash_writer, false, "internal: run as the process that is killed");

namespace cassandra_bloom::testing {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(seconds));
}

class Soak {
 public:
  Soak(const std::string& folder, uint64_t seed, SoakCounts* counts)
      : counts_(counts),
        random_(seed),
        writes_(keys_, NextRandom(&random_)),
        db_({folder + "/db", size_t{256} << 10, nullptr}, keys_, counts) {}

  void Run(Clock::duration duration) {
    const Clock::time_point begin = Clock::now();
    Clock::time_point next_open = begin + Seconds(FLAGS_reopen_seconds);
    Clock::time_point next_minute = begin + std::chrono::minutes(1);
    db_.Open(&random_);
    // Runs at least once, even if opening the database takes longer than
    // `duration`.
    do {
      DoSome();
      if (Clock::now() >= next_open) {
        Reopen();
        next_open = Clock::now() + Seconds(FLAGS_reopen_seconds);
      }
      if (Clock::now() >= next_minute) {
        std::printf("minute %lld:",
                    static_cast<long long>(
                        std::chrono::duration_cast<std::chrono::minutes>(
                            Clock::now() - begin)
                            .count()));
        Print(*counts_);
        next_minute += std::chrono::minutes(1);
      }
    } while (Clock::now() < begin + duration);
    Reopen();
    db_.Close();
  }

  // Makes equally many look-ups in each column family.
  void LookUp(uint64_t lookups) {
    db_.Open(&random_);
    for (uint64_t i = 0; i < FLAGS_keys * shadow_.size() / 4; ++i) {
      db_.Write(writes_.Next(&shadow_), /*sync=*/false);
    }
    Reopen();
    for (size_t family = 0; family < shadow_.size(); ++family) {
      const uint64_t before = counts_->present_points;
      const uint64_t end = before + lookups / shadow_.size();
      while (counts_->present_points < end && counts_->failures == 0) {
        db_.CheckRows(family, shadow_[family]);
      }
      std::printf(
          "%s: %llu lookups of %zu rows\n", Families()[family].name.c_str(),
          static_cast<unsigned long long>(counts_->present_points - before),
          shadow_[family].size());
      std::fflush(stdout);
    }
    db_.Close();
  }

 private:
  void Reopen() {
    db_.CheckAll(shadow_);
    db_.Open(&random_);
    db_.CheckAll(shadow_);
  }

  void DoSome() {
    for (int i = 0; i < 100; ++i) {
      db_.Write(writes_.Next(&shadow_), /*sync=*/false);
    }
    const size_t family = NextRandom(&random_) % shadow_.size();
    db_.CheckSome(family, shadow_[family], &random_);
    const uint64_t choice = NextRandom(&random_) % 200;
    if (choice == 0) {
      db_.Compact(family, &random_);
    } else if (choice < 6) {
      db_.Flush(family);
    } else if (choice < 8) {
      db_.SetPolicy(family, &random_);
    }
  }

  const KeySpace keys_ = KeySpace(FLAGS_keys);
  SoakCounts* const counts_;
  uint64_t random_;
  RandomWrites writes_;
  Shadow shadow_ = Shadow(Families().size());
  SoakDb db_;
};

int Main(const char* program) {
  rocksdb::ObjectRegistry::Default()->AddLibrary("cassandra_bloom",
                                                 register_cassandra_bloom, "");
  const uint64_t seed = FLAGS_seed != 0 ? FLAGS_seed : std::random_device()();
  if (FLAGS_crash_writer) {
    return RunCrashWriter({program, FLAGS_folder, FLAGS_keys, seed});
  }
  std::printf("--seed=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  std::optional<TempDir> temporary;
  if (FLAGS_folder.empty()) {
    temporary.emplace();
  }
  const std::string& folder = temporary ? temporary->path() : FLAGS_folder;
  SoakCounts counts;
  try {
    if (FLAGS_rounds > 0) {
      RunCrashRounds({program, folder, FLAGS_keys, seed}, FLAGS_rounds,
                     &counts);
    } else if (FLAGS_lookups > 0) {
      Soak(folder, seed, &counts).LookUp(FLAGS_lookups);
    } else {
      Soak(folder, seed, &counts).Run(Seconds(60 * FLAGS_minutes));
    }
  } catch (const std::exception& error) {
    ++counts.failures;
    std::printf("FAILURE: %s\n", error.what());
  }
  if (counts.filtered == 0) {
    ++counts.failures;
    std::printf("FAILURE: no key was ever answered by a filter\n");
  }
  std::printf("in all:");
  Print(counts);
  return counts.failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cassandra_bloom::testing

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "soak --minutes=N | --rounds=N | --lookups=N: reads and writes of every "
      "kind, beside a "
      "map that says what must be there");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  if (argc != 1 || FLAGS_keys < 1000) {
    std::fprintf(stderr, "soak: %s; see soak --help\n",
                 argc != 1 ? argv[1] : "--keys is below 1000");
    return 2;
  }
  return cassandra_bloom::testing::Main(argv[0]);
}
