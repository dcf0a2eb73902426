// SPDX-License-Identifier: Apache-2.0

// Writes, reads, flushes, compacts, changes policies and exports filters at the
// same time. The database has our policy.
// tests/install/matrix/thread_sanitizer.sh runs this test under a thread
// sanitizer.

#include <gtest/gtest.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_db_export.h"
#include "cassandra_bloom/filter_policy.h"
#include "tests/stress/soak/export_comparison.h"
#include "tests/stress/soak/families.h"
#include "tests/stress/soak/key_space.h"
#include "tests/stress/soak/soak_db.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/export_checks.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using Key = std::pair<std::string, bool>;  // True if the key must be present.

// Each thread works with one column family after another. If one thread throws
// an exception, all threads stop.
class Threads {
 public:
  using Work = std::function<void(size_t family, uint64_t* random)>;

  ~Threads() { Stop(); }

  void Start(uint64_t seed, const Work& work, size_t first = 0,
             size_t step = 1) {
    threads_.emplace_back([this, work, first, step, random = seed]() mutable {
      try {
        for (size_t family = first; !stop_; family += step) {
          work(family % Families().size(), &random);
        }
      } catch (const std::exception& error) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (failure_.empty()) {
          failure_ = error.what();
        }
        stop_ = true;
      }
    });
  }

  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

  bool stopped() const { return stop_; }
  std::string failure() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
  }

 private:
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;
  std::string failure_;
  std::vector<std::thread> threads_;
};

// Writes the keys of each column family in a fixed order, again and again.
class ConcurrencyTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    rocksdb::ObjectRegistry::Default()->AddLibrary(
        "cassandra_bloom", register_cassandra_bloom, "");
  }

  ConcurrencyTest() { db_.Open(&random_); }

  std::string KeyInOrder(uint64_t index) const {
    constexpr uint64_t kStride = 7919;  // A prime, which reaches all keys.
    return keys_.Key(keys_.Written(index * kStride));
  }

  void Write(size_t family) {
    constexpr uint64_t kBatch = 20;
    const uint64_t begin = num_written_[family];
    for (uint64_t index = begin; index < begin + kBatch; ++index) {
      const std::string key = KeyInOrder(index);
      Require(db_.db()->Put(rocksdb::WriteOptions(), db_.handles()[family], key,
                            ValueOf(key)));
    }
    num_written_[family] = begin + kBatch;
  }

  // Returns a written key, if there is one yet, and a key that is never
  // written.
  std::array<Key, 2> SomeKeys(size_t family, uint64_t* random) const {
    uint64_t absent = NextRandom(random) % keys_.num_keys();
    while (keys_.Written(absent) == absent) {
      absent = NextRandom(random) % keys_.num_keys();
    }
    const uint64_t num_written = num_written_[family];
    return {Key(num_written == 0
                    ? Key(keys_.Key(absent), false)
                    : Key(KeyInOrder(NextRandom(random) % num_written), true)),
            Key(keys_.Key(absent), false)};
  }

  void CheckAnswer(const Key& key, const rocksdb::Status& status,
                   const std::string& value) {
    ++num_reads_;
    if (key.second ? !status.ok() || value != ValueOf(key.first)
                   : !status.IsNotFound()) {
      throw std::runtime_error((key.second ? "lost " : "there is ") +
                               key.first + ": " + status.ToString());
    }
  }

  void Get(size_t family, uint64_t* random) {
    for (const Key& key : SomeKeys(family, random)) {
      std::string value;
      const rocksdb::Status status = db_.db()->Get(
          rocksdb::ReadOptions(), db_.handles()[family], key.first, &value);
      CheckAnswer(key, status, value);
    }
  }

  void MultiGet(size_t family, uint64_t* random) {
    constexpr size_t kKeys = 40;
    std::vector<Key> keys;
    while (keys.size() < kKeys) {
      for (const Key& key : SomeKeys(family, random)) {
        keys.push_back(key);
      }
    }
    std::vector<rocksdb::Slice> slices;
    for (const Key& key : keys) {
      slices.emplace_back(key.first);
    }
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    db_.db()->MultiGet(rocksdb::ReadOptions(), db_.handles()[family],
                       keys.size(), slices.data(), values.data(),
                       statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      CheckAnswer(keys[i], statuses[i], values[i].ToString());
    }
  }

  void Seek(size_t family, uint64_t* random) {
    const std::array<Key, 2> keys = SomeKeys(family, random);
    const std::unique_ptr<rocksdb::Iterator> iterator(
        db_.db()->NewIterator(rocksdb::ReadOptions(), db_.handles()[family]));
    for (const Key& key : keys) {
      iterator->Seek(key.first);
      Require(iterator->status());
      const bool found =
          iterator->Valid() && iterator->key().compare(key.first) == 0;
      CheckAnswer(key,
                  found ? rocksdb::Status::OK() : rocksdb::Status::NotFound(),
                  found ? iterator->value().ToString() : std::string());
    }
  }

  void AskForStatistics(size_t family) {
    const rocksdb::Options options =
        db_.db()->GetOptions(db_.handles()[family]);
    const auto* const table_options =
        options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    rocksdb::CassandraBloomStatistics statistics;
    FilterDbExportCounts exports;
    if (!rocksdb::GetCassandraBloomStatistics(*table_options->filter_policy,
                                              &statistics) ||
        !GetFilterDbExportCounts(*listener_, &exports) ||
        exports.exported < num_exported_) {
      throw std::runtime_error("no statistics, or fewer exports than before");
    }
    num_exported_ = exports.exported;
    const rocksdb::CassandraBloomStatistics total =
        rocksdb::GetCassandraBloomStatisticsTotal();
    if (total.damaged_blocks != 0 || total.match_all_filters != 0) {
      throw std::runtime_error(total.ToString());
    }
  }

  void Reconcile() {
    FilterDbExportReport report;
    std::string error;
    if (!ReconcileFilterDbExports(db_.db(), exports_.path(), "nb", &report,
                                  &error) &&
        error.find("disappear faster than they are exported") ==
            std::string::npos) {
      throw std::runtime_error(error);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }

  bool IsEnough() const {
    return num_reads_ > 1000 && num_flushes_ > 2 && num_compactions_ > 2 &&
           num_policies_set_ > 2 && num_exported_ > 2;
  }

  const KeySpace keys_ = KeySpace(20000);
  const TempDir folder_;
  const TempDir exports_;
  const std::shared_ptr<rocksdb::EventListener> listener_ =
      NewListener(exports_.path());
  SoakCounts counts_;
  uint64_t random_ = Seed();
  SoakDb db_ =
      SoakDb({folder_.path(), size_t{32} << 10, listener_}, keys_, &counts_);
  std::vector<std::atomic<uint64_t>> num_written_ =
      std::vector<std::atomic<uint64_t>>(Families().size());
  std::atomic<uint64_t> num_reads_{0};
  std::atomic<uint64_t> num_flushes_{0};
  std::atomic<uint64_t> num_compactions_{0};
  std::atomic<uint64_t> num_policies_set_{0};
  std::atomic<uint64_t> num_exported_{0};
};

TEST_F(ConcurrencyTest, EverythingAtOnce) {
  SCOPED_TRACE(Seed());
  constexpr auto kDuration = std::chrono::seconds(3);
  constexpr auto kLongest = std::chrono::seconds(90);

  Threads threads;
  const auto start = [&](const Threads::Work& work, size_t first = 0,
                         size_t step = 1) {
    threads.Start(NextRandom(&random_), work, first, step);
  };
  for (const size_t first :
       {size_t{0}, size_t{1}}) {  // Each family has one writer.
    start([this](size_t family, uint64_t*) { Write(family); }, first, 2);
  }
  for (int i = 0; i < 2; ++i) {
    start([this](size_t family, uint64_t* random) { Get(family, random); });
    start(
        [this](size_t family, uint64_t* random) { MultiGet(family, random); });
    start([this](size_t family, uint64_t* random) { Seek(family, random); });
  }
  start([this](size_t family, uint64_t*) {
    db_.Flush(family);
    ++num_flushes_;
  });
  start([this](size_t family, uint64_t* random) {
    db_.Compact(family, random);
    ++num_compactions_;
  });
  start([this](size_t family, uint64_t* random) {
    db_.SetPolicy(family, random);
    ++num_policies_set_;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
  start([this](size_t family, uint64_t*) { AskForStatistics(family); });
  start([this](size_t, uint64_t*) { Reconcile(); });

  const auto begin = std::chrono::steady_clock::now();
  const auto time = [&] { return std::chrono::steady_clock::now() - begin; };
  while (!threads.stopped() && time() < kLongest &&
         (time() < kDuration || !IsEnough())) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  threads.Stop();
  EXPECT_EQ(threads.failure(), "");
  EXPECT_TRUE(IsEnough());
  uint64_t num_compared = 0;
  EXPECT_TRUE(ExportsMatch(db_.db(), exports_.path(), &num_compared));
  EXPECT_GT(num_compared, 0u);
  db_.Close();
  EXPECT_GT(counts_.filtered, 100u);
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 908
  EXPECT_EQ(counts_.policies_not_changeable, 0u);
#endif
  std::printf(
      "%" PRIu64 " reads, %" PRIu64 " answered by filters, %" PRIu64
      " flushes, %" PRIu64 " compactions, %" PRIu64 " policies set, %" PRIu64
      " files exported, %" PRIu64 " compared\n",
      num_reads_.load(), counts_.filtered, counts_.flushes, counts_.compactions,
      counts_.policies_set, num_exported_.load(), num_compared);
}

}  // namespace
}  // namespace cassandra_bloom::testing
