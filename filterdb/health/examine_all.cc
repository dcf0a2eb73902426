// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/examine_all.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "filterdb/health/data_is_gone.h"
#include "filterdb/sstable/open_data_db.h"

namespace cassandra_bloom::tools {
namespace {

uint64_t SizeOf(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0
             ? static_cast<uint64_t>(status.st_size)
             : 0;
}

// Lends memory to threads. A thread waits until enough of it is free. One that
// wants more than all of it gets it when nobody else has any.
class Memory {
 public:
  void Take(uint64_t bytes) {
    std::unique_lock<std::mutex> lock(mutex_);
    freed_.wait(lock, [&] {
      return taken_ == 0 || (bytes <= kAll && taken_ <= kAll - bytes);
    });
    taken_ += bytes;
  }

  void Return(uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    taken_ -= bytes;
    freed_.notify_all();
  }

 private:
  static constexpr uint64_t kAll = 256 << 20;

  std::mutex mutex_;
  std::condition_variable freed_;
  uint64_t taken_ = 0;
};

// Gives SSTables to threads.
class Work {
 public:
  Work(const std::vector<Sstable>& sstables, const ExamineOptions& options)
      : sstables_(sstables),
        options_(options),
        examined_(sstables.size()),
        data_is_gone_(sstables.size()) {
    for (size_t i = 0; i < sstables.size(); ++i) {
      items_.push_back({SizeOf(sstables[i].Path("Filter.db")), i});
      total_ += WorkFor(items_.back());
    }
    // Large SSTables, which have large filters, come first. If a large SSTable
    // came last, one thread would read it while the others have nothing to do.
    std::stable_sort(items_.begin(), items_.end(),
                     [](const Item& a, const Item& b) {
                       return a.filter_size > b.filter_size;
                     });
  }

  void RunOneAfterAnother() {
    for (size_t i = next_++; i < items_.size(); i = next_++) {
      const Sstable& sstable = sstables_[items_[i].number];
      // A compressed Data.db takes the memory for two chunks: the stored one,
      // and the uncompressed one.
      const uint64_t bytes =
          items_[i].filter_size +
          2 * LargestChunkOf(sstable.Path(""), sstable.version);
      memory_.Take(bytes);
      ExamineOrRunOutOfMemory(items_[i].number);
      memory_.Return(bytes);
      const std::lock_guard<std::mutex> lock(mutex_);
      ++num_finished_;
      done_ += WorkFor(items_[i]);
      finished_.notify_one();
    }
  }

  void ReportUntilFinished(const OnShareDone& on_share_done) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (num_finished_ < items_.size()) {
      finished_.wait_for(lock, std::chrono::milliseconds(200));
      on_share_done(done_ / total_);
    }
  }

  // Call this after all threads have ended.
  std::vector<Examined> TakeExamined() {
    std::vector<Sstable*> suspects;
    for (size_t i = 0; i < examined_.size(); ++i) {
      if (data_is_gone_[i] != 0) {
        suspects.push_back(&examined_[i].sstable);
      }
    }
    FindOutWhyDataIsGone(suspects);
    return std::move(examined_);
  }

 private:
  struct Item {
    uint64_t filter_size;
    size_t number;
  };

  // The size of the filter stands for the number of keys. A small SSTable takes
  // some work, too.
  static double WorkFor(const Item& item) {
    constexpr double kWorkToOpen = 1000;
    return static_cast<double>(item.filter_size) + kWorkToOpen;
  }

  void ExamineOrRunOutOfMemory(size_t number) {
    bool data_is_gone = false;
    try {
      examined_[number] =
          ExamineSstable(sstables_[number], options_, &data_is_gone);
    } catch (const std::bad_alloc&) {
      examined_[number].sstable = sstables_[number];
      examined_[number].Add(
          Check::kKeysUnreadable,
          sstables_[number].Path("Filter.db") + ": not enough memory");
    }
    data_is_gone_[number] = data_is_gone ? 1 : 0;
  }

  const std::vector<Sstable>& sstables_;
  const ExamineOptions& options_;
  std::vector<Examined> examined_;
  // Not a vector of bool, because several threads write to it.
  std::vector<char> data_is_gone_;
  std::vector<Item> items_;
  std::atomic<size_t> next_{0};
  Memory memory_;
  std::mutex mutex_;
  std::condition_variable finished_;
  size_t num_finished_ = 0;
  double done_ = 0;
  double total_ = 0;
};

}  // namespace

std::vector<Examined> ExamineAll(const std::vector<Sstable>& sstables,
                                 const ExamineOptions& options, unsigned jobs,
                                 const OnShareDone& on_share_done) {
  Work work(sstables, options);
  std::vector<std::thread> threads;
  try {
    for (unsigned i = 0; i < std::min<size_t>(jobs, sstables.size()); ++i) {
      threads.emplace_back([&] { work.RunOneAfterAnother(); });
    }
  } catch (const std::system_error&) {
    // No more threads can be started. The threads that were started do all the
    // work. If there are none, this thread does it.
    if (threads.empty()) {
      work.RunOneAfterAnother();
    }
  }
  work.ReportUntilFinished(on_share_done);
  for (std::thread& thread : threads) {
    thread.join();
  }
  return work.TakeExamined();
}

}  // namespace cassandra_bloom::tools
