// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/examine_all.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "filterdb/health/examine_sstable.h"
#include "filterdb/sstable/open_data_db.h"
#include "filterdb/sstable/sstable_keys.h"

namespace cassandra_bloom::tools {
namespace {

// Gives SSTables to threads, and counts the bytes that the threads have read.
class Work {
 public:
  explicit Work(const std::vector<Sstable>& sstables)
      : sstables_(sstables), findings_(sstables.size()) {
    for (size_t i = 0; i < sstables.size(); ++i) {
      const uint64_t size = SizeOfWork(sstables[i]);
      total_ += size;
      by_size_.push_back({size, i});
    }
    // Large SSTables come first. If a large SSTable came last, one thread would
    // read it while the other threads have nothing to do.
    std::stable_sort(
        by_size_.begin(), by_size_.end(),
        [](const Item& a, const Item& b) { return a.size > b.size; });
  }

  void RunOneAfterAnother(std::optional<double> fp_chance) {
    for (size_t i = next_++; i < by_size_.size(); i = next_++) {
      const size_t number = by_size_[i].number;
      const auto turn = TurnOf(sstables_[number]);
      findings_[number] = ExamineOrRunOutOfMemory(by_size_[i], fp_chance);
      const std::lock_guard<std::mutex> lock(mutex_);
      ++num_finished_;
      finished_.notify_one();
    }
  }

  void ReportUntilFinished(const OnBytesRead& on_bytes_read) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (num_finished_ < by_size_.size()) {
      finished_.wait_for(lock, std::chrono::milliseconds(200));
      on_bytes_read(std::min<uint64_t>(done_, total_), total_);
    }
  }

  std::vector<FilterFinding> TakeFindings() { return std::move(findings_); }

 private:
  struct Item {
    uint64_t size;  // The number of bytes to read.
    size_t number;
  };

  // For an SSTable with a Partitions.db, the size of Data.db counts, because
  // the keys are read from Data.db.
  static uint64_t SizeOfWork(const Sstable& sstable) {
    const std::string index = sstable.IndexPath();
    struct stat status;
    return stat((IsPartitionsDb(index) ? sstable.Path("Data.db") : index)
                    .c_str(),
                &status) == 0
               ? static_cast<uint64_t>(status.st_size)
               : 0;
  }

  // If the SSTable has a large filter or large chunks, waits for a lock and
  // returns it. Only one thread can have this lock. So at most one such SSTable
  // is in memory. For any other SSTable, returns an empty lock.
  std::unique_lock<std::mutex> TurnOf(const Sstable& sstable) {
    constexpr off_t kLargeFilter = 8 << 20;
    constexpr uint64_t kLargeChunk = 256 << 10;
    struct stat status;
    const bool is_large =
        (stat(sstable.Path("Filter.db").c_str(), &status) == 0 &&
         status.st_size > kLargeFilter) ||
        LargestChunkOf(sstable.Path(""), sstable.version) > kLargeChunk;
    return is_large ? std::unique_lock<std::mutex>(large_)
                    : std::unique_lock<std::mutex>();
  }

  FilterFinding ExamineOrRunOutOfMemory(const Item& item,
                                        std::optional<double> fp_chance) {
    const Sstable& sstable = sstables_[item.number];
    const auto size = static_cast<double>(item.size);
    try {
      return ExamineSstable(sstable, fp_chance, [&](double share) {
        done_ += static_cast<uint64_t>(share * size);
      });
    } catch (const std::bad_alloc&) {
      FilterFinding finding;
      finding.sstable = sstable;
      finding.verdicts = {FilterVerdict::kUnreadable};
      finding.errors = {sstable.Path("Filter.db") + ": not enough memory"};
      return finding;
    }
  }

  const std::vector<Sstable>& sstables_;
  std::vector<FilterFinding> findings_;
  std::vector<Item> by_size_;
  uint64_t total_ = 0;
  std::atomic<size_t> next_{0};
  std::atomic<uint64_t> done_{0};
  std::mutex large_;
  std::mutex mutex_;
  std::condition_variable finished_;
  size_t num_finished_ = 0;
};

}  // namespace

std::vector<FilterFinding> ExamineAll(const std::vector<Sstable>& sstables,
                                      std::optional<double> fp_chance,
                                      unsigned jobs,
                                      const OnBytesRead& on_bytes_read) {
  Work work(sstables);
  std::vector<std::thread> threads;
  try {
    for (unsigned i = 0; i < std::min<size_t>(jobs, sstables.size()); ++i) {
      threads.emplace_back([&] { work.RunOneAfterAnother(fp_chance); });
    }
  } catch (const std::system_error&) {
    // No more threads can be started. The threads that were started do all the
    // work. If there are none, this thread does it.
    if (threads.empty()) {
      work.RunOneAfterAnother(fp_chance);
    }
  }
  work.ReportUntilFinished(on_bytes_read);
  for (std::thread& thread : threads) {
    thread.join();
  }
  return work.TakeFindings();
}

}  // namespace cassandra_bloom::tools
