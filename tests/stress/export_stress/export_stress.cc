// SPDX-License-Identifier: Apache-2.0

// Checks that a folder of exported filters never has a wrong one, whatever
// happens. Each round ends with an export, after which the folder is exact.
//
// --kills=N: N times, kills a process that writes to a database with a
// listener, at any time, and opens the database again.
// --seconds=N: for so long, changes the database in every way at once, closes
// it and opens it again.

#include <gflags/gflags.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/stress/export_stress/stressed_db.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

DEFINE_int32(kills, 0, "rounds that kill a writing process");
DEFINE_int32(seconds, 0, "how long to change a database in every way");
DEFINE_uint64(seed, 0, "seed of the random numbers; 0: another one each time");
DEFINE_string(writer, "", "used by the program itself: the folder to write to");

namespace cassandra_bloom::testing {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

[[noreturn]] void WriteUntilKilled(const std::string& folder, uint64_t seed) {
  StressedDb db(folder + "/db", folder + "/out", &seed);
  for (;;) {
    db.WriteAndSometimesFlush(&seed);
  }
}

void KillAWriter(const std::string& program, const std::string& folder,
                 uint64_t* random) {
  std::string texts[] = {program, "--writer=" + folder,
                         "--seed=" + std::to_string(NextRandom(random) | 1)};
  char* const arguments[] = {texts[0].data(), texts[1].data(), texts[2].data(),
                             nullptr};
  pid_t pid = 0;
  if (posix_spawn(&pid, arguments[0], nullptr, nullptr, arguments, environ) !=
      0) {
    throw std::runtime_error("cannot start " + program);
  }
  std::this_thread::sleep_for(milliseconds(NextRandom(random) % 1500));
  kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  if (!WIFSIGNALED(status)) {
    throw std::runtime_error("the writer ended before it was killed");
  }
}

void RunKills(const std::string& program, uint64_t* random) {
  const TempDir dir;
  for (int round = 1; round <= FLAGS_kills; ++round) {
    KillAWriter(program, dir.path(), random);
    StressedDb db(dir / "db", dir / "out", random);
    db.CheckExports();
    if (round % 10 == 0 || round == FLAGS_kills) {
      std::printf("%d kills\n", round);
    }
  }
}

// A small file system of its own for the exported filters, which can be filled.
// Only root can make one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    std::filesystem::create_directory(folder);
    is_mounted_ =
        mount("none", folder.c_str(), "tmpfs", /*flags=*/0, "size=4m") == 0;
  }
  ~SmallDisk() {
    if (is_mounted_) {
      umount2(folder_.c_str(), MNT_DETACH);
    }
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_mounted() const { return is_mounted_; }

 private:
  const std::string folder_;
  bool is_mounted_ = false;
};

void RunChurn(uint64_t* random) {
  const TempDir dir;
  const SmallDisk disk(dir / "disk");
  const std::string out_dir = dir / "disk/out";
  const auto end = Clock::now() + std::chrono::seconds(FLAGS_seconds);
  int rounds = 0;
  while (Clock::now() < end) {
    StressedDb db(dir / "db", out_dir, random);
    db.Churn(disk.is_mounted(), milliseconds(500 + NextRandom(random) % 3000),
             random);
    db.CheckExports();
    ++rounds;
  }
  std::printf("%d rounds of changes%s\n", rounds,
              disk.is_mounted() ? ", with a full disk" : "");
}

}  // namespace
}  // namespace cassandra_bloom::testing

int main(int argc, char** argv) {
  using namespace cassandra_bloom::testing;  // NOLINT
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  uint64_t random = FLAGS_seed != 0 ? FLAGS_seed : Seed();
  try {
    if (!FLAGS_writer.empty()) {
      WriteUntilKilled(FLAGS_writer, random);
    }
    std::printf("--seed=%" PRIu64 "\n", random);
    RunKills(argv[0], &random);
    RunChurn(&random);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
