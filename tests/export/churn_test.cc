// SPDX-License-Identifier: Apache-2.0

// Does at once what can change the files of a database and of its export
// folder. No filter may ever be that of another SST file, and after an export
// the folder has exactly those of the live ones. For so many seconds:
// CASSANDRA_BLOOM_CHURN_SECONDS=1200.

#include <rocksdb/convenience.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/export/export_fixture.h"
#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class ChurnTest : public ExportTest {
 protected:
  // Repeats `act` in a thread of its own, until stop_.
  void Repeat(uint64_t max_pause, const std::function<void()>& act) {
    threads_.emplace_back(
        [this, max_pause, act, random = NextRandom(&random_)]() mutable {
          while (!stop_) {
            std::this_thread::sleep_for(
                milliseconds(NextRandom(&random) % max_pause));
            act();
          }
        });
  }

  void Churn(milliseconds duration) {
    stop_ = false;
    Repeat(20, [this] { AddFiles(1); });
    // What fails may have met another compaction of the same files.
    Repeat(500, [this] { CompactAll(db_.source()).PermitUncheckedError(); });
    Repeat(200,
           [this] { CompactFilesTo(2, db_.get()).PermitUncheckedError(); });
    Repeat(1000, [this] {
      const std::string key = NumberedKey(5000);
      const rocksdb::Slice begin(key);
      rocksdb::DeleteFilesInRange(db_.get(), db_->DefaultColumnFamily(), &begin,
                                  nullptr)
          .PermitUncheckedError();
    });
    Repeat(200, [this] { IngestFile(); });
    Repeat(500, [this] {
      rocksdb::ColumnFamilyHandle* const family =
          AddColumnFamily("other", db_.options(), {{"key", "row"}});
      Require(db_->DropColumnFamily(family));
      Require(db_->DestroyColumnFamilyHandle(family));
    });
    Repeat(100, [this] {
      Sync();  // May fail: the folder may be gone.
      if (const std::string wrong = WrongFilter(db_.path(), out_.path());
          !wrong.empty()) {
        ADD_FAILURE() << wrong << " is not the filter of its SST file";
      }
    });
    // First takes the name away. Otherwise the mark could go before a filter
    // that the listener is just writing, and no export takes such a folder.
    Repeat(800, [this] {
      std::error_code ignored;
      const std::string removed = out_.path() + ".removed";
      fs::rename(out_.path(), removed, ignored);
      fs::remove_all(removed, ignored);
    });
    std::this_thread::sleep_for(duration);
    stop_ = true;
    for (std::thread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

  uint64_t random_ = Seed();
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

TEST_F(ChurnTest, NoFilterIsOfAnotherFile) {
  using Clock = std::chrono::steady_clock;
  SCOPED_TRACE(Seed());
  const char* const given = std::getenv("CASSANDRA_BLOOM_CHURN_SECONDS");
  const std::chrono::seconds wanted(given == nullptr ? 0 : std::stoi(given));
  const auto end = Clock::now() + wanted;
  do {
    for (rocksdb::Options options :
         {DbOptions(OurPolicy()), DbOptions(OurPolicy(), Layout::kPartitioned),
          DbOptions(BuiltinPolicy())}) {
      // Small files, which RocksDB also compacts by itself.
      options.disable_auto_compactions = false;
      options.level0_file_num_compaction_trigger = 3;
      options.target_file_size_base = size_t{64} << 10;
      options.max_bytes_for_level_base = size_t{256} << 10;
      options.max_subcompactions = 2;
      options.listeners = {NewListener(out_.path())};
      db_.Reopen(options);
      Churn(milliseconds(300 + NextRandom(&random_) % 700));
      Require(db_->PauseBackgroundWork());
      ASSERT_TRUE(Sync()) << error_;
      EXPECT_EQ(WrongExports(db_.get(), out_.path()), "");
      Require(db_->ContinueBackgroundWork());
    }
  } while (Clock::now() < end && !HasFailure());
}

}  // namespace
}  // namespace cassandra_bloom::testing
