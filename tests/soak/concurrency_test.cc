// All that can run beside something else in a database that uses the policy, at
// once: what a thread sanitizer is for. Under one it wants a RocksDB that was
// built with it, too (tests/matrix/thread_sanitizer.sh).

#include <gtest/gtest.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/object_registry.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
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

#include "cassandra_bloom/filter_db_export_listener.h"
#include "cassandra_bloom/filter_policy.h"
#include "cassandra_bloom/filter_statistics.h"
#include "tests/soak/families.h"
#include "tests/soak/key_space.h"
#include "tests/soak/soak_db.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using Key = std::pair<std::string, bool>;  // Whether it must be there.

std::shared_ptr<rocksdb::EventListener> NewListener(const std::string& folder) {
  std::string error;
  auto listener = NewFilterDbExportListener(folder, "nb", &error);
  if (listener == nullptr) {
    throw std::runtime_error(error);
  }
  return listener;
}

// Threads that each do something with one column family after the other. One
// that throws ends all.
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
        failure_ = error.what();
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

// The keys of each column family are written in one order, again and again.
class ConcurrencyTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    rocksdb::ObjectRegistry::Default()->AddLibrary(
        "cassandra_bloom", register_cassandra_bloom, "");
  }

  ConcurrencyTest() { db_.Open(&random_); }

  std::string KeyInOrder(uint64_t index) const {
    constexpr uint64_t kStride = 7919;  // Prime.
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

  // One that is there and one that never is.
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
    ASSERT_TRUE(rocksdb::GetCassandraBloomStatistics(
        *table_options->filter_policy, &statistics));
    rocksdb::GetCassandraBloomStatisticsTotal();
    FilterDbExportCounts exports;
    ASSERT_TRUE(GetFilterDbExportCounts(*listener_, &exports));
    EXPECT_GE(exports.exported, num_exported_);
    num_exported_ = exports.exported;
  }

  void Reconcile() {
    FilterDbExportReport report;
    std::string error;
    if (!ReconcileFilterDbExports(db_.db(), exports_.path(), "nb", &report,
                                  &error)) {
      throw std::runtime_error(error);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
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
  uint64_t num_exported_ = 0;  // Of AskForStatistics, one thread.
};

TEST_F(ConcurrencyTest, EverythingAtOnce) {
  SCOPED_TRACE(Seed());
  constexpr auto kDuration = std::chrono::seconds(3);

  Threads threads;
  const auto start = [&](const Threads::Work& work, size_t first = 0,
                         size_t step = 1) {
    threads.Start(NextRandom(&random_), work, first, step);
  };
  for (const size_t first : {0, 1}) {  // One writer for each column family.
    start([this](size_t family, uint64_t*) { Write(family); }, first, 2);
  }
  for (int i = 0; i < 2; ++i) {
    start([this](size_t family, uint64_t* random) { Get(family, random); });
    start(
        [this](size_t family, uint64_t* random) { MultiGet(family, random); });
    start([this](size_t family, uint64_t* random) { Seek(family, random); });
  }
  start([this](size_t family, uint64_t*) { db_.Flush(family); });
  start(
      [this](size_t family, uint64_t* random) { db_.Compact(family, random); });
  start([this](size_t family, uint64_t* random) {
    db_.SetPolicy(family, random);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
  start([this](size_t family, uint64_t*) { AskForStatistics(family); });
  start([this](size_t, uint64_t*) { Reconcile(); });

  const auto end = std::chrono::steady_clock::now() + kDuration;
  while (std::chrono::steady_clock::now() < end && !threads.stopped()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  threads.Stop();
  EXPECT_EQ(threads.failure(), "");
  Reconcile();
  db_.Close();

  EXPECT_GT(num_reads_, 1000u);
  EXPECT_GT(counts_.flushes, 2u);
  EXPECT_GT(counts_.compactions, 2u);
  EXPECT_GT(counts_.policies_set + counts_.policies_not_changeable, 2u);
  EXPECT_GT(counts_.filtered, 100u);
  EXPECT_GT(num_exported_, 2u);
  std::printf(
      "%llu reads, %llu answered by filters, %llu flushes, %llu "
      "compactions, %llu policies set, %llu files exported\n",
      static_cast<unsigned long long>(num_reads_),
      static_cast<unsigned long long>(counts_.filtered),
      static_cast<unsigned long long>(counts_.flushes),
      static_cast<unsigned long long>(counts_.compactions),
      static_cast<unsigned long long>(counts_.policies_set),
      static_cast<unsigned long long>(num_exported_));
}

}  // namespace
}  // namespace cassandra_bloom::testing
