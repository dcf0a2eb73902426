// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/soak/crash_rounds.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_db_export.h"
#include "tests/stress/soak/export_comparison.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

constexpr size_t kFileSize = size_t{64} << 10;

// The number of acknowledged batches, in a memory-mapped file outside the
// database. The kernel keeps such a file when the process is killed.
class Journal {
 public:
  explicit Journal(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof(Count)) != 0) {
      throw std::runtime_error("cannot create " + path);
    }
    void* const memory = mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE,
                              MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) {
      throw std::runtime_error("cannot map " + path);
    }
    count_ = static_cast<Count*>(memory);
  }
  ~Journal() { munmap(count_, sizeof(Count)); }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void Reset() { *count_ = 0; }
  void Acknowledge() { ++*count_; }
  uint64_t acknowledged() const { return *count_; }

 private:
  using Count = std::atomic<uint64_t>;
  static_assert(Count::is_always_lock_free);
  Count* count_;
};

std::string JournalPath(const CrashSettings& settings) {
  return settings.folder + "/journal";
}

std::string ExportsPath(const CrashSettings& settings) {
  return settings.folder + "/exports";
}

std::unique_ptr<SoakDb> OpenDb(const CrashSettings& settings,
                               SoakCounts* counts) {
  std::string error;
  const auto listener =
      NewFilterDbExportListener(ExportsPath(settings), "nb", &error);
  if (listener == nullptr) {
    throw std::runtime_error(error);
  }
  auto db = std::make_unique<SoakDb>(
      SoakDb::Settings{settings.folder + "/db", kFileSize, listener},
      KeySpace(settings.num_keys), counts);
  uint64_t random = settings.seed;
  db->Open(&random);
  return db;
}

// Reads all rows, because RandomWrites::Next needs the current rows.
Shadow ReadAll(const SoakDb& db) {
  Shadow shadow(db.handles().size());
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  for (size_t family = 0; family < shadow.size(); ++family) {
    const std::unique_ptr<rocksdb::Iterator> iterator(
        db.db()->NewIterator(options, db.handles()[family]));
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      shadow[family][iterator->key().ToString()] = iterator->value().ToString();
    }
    Require(iterator->status());
  }
  return shadow;
}

uint64_t LastBatch(const SoakDb& db) {
  std::string value;
  const rocksdb::Status status =
      db.db()->Get(rocksdb::ReadOptions(), kBatchKey, &value);
  if (!status.ok()) {
    throw std::runtime_error("the last batch has no number: " +
                             status.ToString());
  }
  return std::stoull(value);
}

class Writer {
 public:
  explicit Writer(const CrashSettings& settings) {
    std::vector<std::string> texts = {
        settings.program, "--crash_writer", "--folder=" + settings.folder,
        "--keys=" + std::to_string(settings.num_keys),
        "--seed=" + std::to_string(settings.seed)};
    std::vector<char*> arguments;
    for (std::string& text : texts) {
      arguments.push_back(text.data());
    }
    arguments.push_back(nullptr);
    if (posix_spawn(&pid_, arguments[0], nullptr, nullptr, arguments.data(),
                    environ) != 0) {
      throw std::runtime_error("cannot start " + settings.program);
    }
  }

  ~Writer() {
    if (pid_ != 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Kills the process. Throws an exception if the process had already ended.
  void Kill() {
    kill(pid_, SIGKILL);
    int status = 0;
    const pid_t ended = waitpid(std::exchange(pid_, 0), &status, 0);
    if (ended <= 0 || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
      throw std::runtime_error("the writer ended before it was killed");
    }
  }

 private:
  pid_t pid_ = 0;
};

void WaitAWhile(const Journal& journal, uint64_t* random) {
  // If the disk is very busy, opening a database can take a minute.
  for (int i = 0; journal.acknowledged() == 0; ++i) {
    if (i == 240000) {
      throw std::runtime_error("the writer has written nothing in 4 minutes");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(
      std::chrono::microseconds(NextRandom(random) % 500000));
}

// Applies the batches of the writer to `shadow`. The database must have all
// acknowledged batches. The database may have one more batch, because the
// writer may have been killed before the acknowledgement.
void CatchUp(const CrashSettings& settings, uint64_t acknowledged,
             uint64_t last, Shadow* shadow) {
  if (last != acknowledged && last != acknowledged + 1) {
    throw std::runtime_error(
        std::to_string(acknowledged) +
        " batches were acknowledged, and the last one that is there is " +
        std::to_string(last));
  }
  RandomWrites writes(KeySpace(settings.num_keys), settings.seed);
  for (uint64_t i = 0; i < last; ++i) {
    writes.Next(shadow);
  }
}

}  // namespace

void RunCrashRounds(const CrashSettings& settings, int rounds,
                    SoakCounts* counts) {
  uint64_t random = settings.seed;
  Journal journal(JournalPath(settings));
  Shadow shadow(Families().size());
  uint64_t batches = 0;
  uint64_t unacknowledged = 0;
  for (int round = 1; round <= rounds; ++round) {
    CrashSettings of_round = settings;
    of_round.seed = NextRandom(&random);
    journal.Reset();
    Writer writer(of_round);
    WaitAWhile(journal, &random);
    writer.Kill();

    const uint64_t acknowledged = journal.acknowledged();
    const auto db = OpenDb(of_round, counts);
    const uint64_t last = LastBatch(*db);
    CatchUp(of_round, acknowledged, last, &shadow);
    batches += acknowledged;
    unacknowledged += last - acknowledged;
    db->CheckAll(shadow);
    db->Report(ExportsMatch(db->db(), ExportsPath(settings),
                            &counts->exports_compared),
               "exports");
    if (round % 10 == 0 || round == rounds) {
      std::printf("%d kills, %" PRIu64 " acknowledged batches, and %" PRIu64
                  " that were written but not acknowledged:",
                  round, batches, unacknowledged);
      Print(*counts);
    }
  }
}

int RunCrashWriter(const CrashSettings& settings) {
  SoakCounts counts;
  Journal journal(JournalPath(settings));
  const auto db = OpenDb(settings, &counts);
  Shadow shadow = ReadAll(*db);
  RandomWrites writes(KeySpace(settings.num_keys), settings.seed);
  uint64_t random = settings.seed;
  for (;;) {
    db->Write(writes.Next(&shadow), /*sync=*/NextRandom(&random) % 256 == 0);
    journal.Acknowledge();
    if (const uint64_t choice = NextRandom(&random) % 5000; choice == 0) {
      db->Compact(NextRandom(&random) % shadow.size(), &random);
    } else if (choice < 5) {
      db->Flush(NextRandom(&random) % shadow.size());
    }
  }
}

}  // namespace cassandra_bloom::testing
