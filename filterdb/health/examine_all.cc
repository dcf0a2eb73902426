// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/examine_all.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "filterdb/sstable/file_stamp.h"
#include "filterdb/sstable/sstable_finder.h"
#include "filterdb/sstable/transaction_logs.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

uint64_t SizeOf(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0
             ? static_cast<uint64_t>(status.st_size)
             : 0;
}

// Gives SSTables to threads, and lends them memory.
class Work {
 public:
  Work(const std::vector<Sstable>& sstables, const ExamineOptions& options,
       const OnShareDone& on_share_done, std::vector<Examined>* examined)
      : sstables_(sstables),
        options_(options),
        on_share_done_(on_share_done),
        examined_(*examined) {
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
      Borrow(items_[i].filter_size);
      ExamineOrRunOutOfMemory(items_[i].number);
      Finish(items_[i]);
    }
  }

 private:
  struct Item {
    uint64_t filter_size;
    size_t number;
  };

  // Waits until enough memory is free. An SSTable that wants more than all of
  // it gets it when no other has any.
  void Borrow(uint64_t bytes) {
    constexpr uint64_t kAll = 256 << 20;
    std::unique_lock<std::mutex> lock(mutex_);
    freed_.wait(lock, [&] {
      return borrowed_ == 0 || (bytes <= kAll && borrowed_ <= kAll - bytes);
    });
    borrowed_ += bytes;
  }

  void Finish(const Item& item) {
    const std::lock_guard<std::mutex> lock(mutex_);
    borrowed_ -= item.filter_size;
    freed_.notify_all();
    done_ += WorkFor(item);
    on_share_done_(done_ / total_);
  }

  // The size of the filter stands for the number of keys. A small SSTable takes
  // some work, too.
  static double WorkFor(const Item& item) {
    constexpr double kWorkToOpen = 1000;
    return static_cast<double>(item.filter_size) + kWorkToOpen;
  }

  void ExamineOrRunOutOfMemory(size_t number) {
    try {
      examined_[number] = ExamineSstable(sstables_[number], options_);
    } catch (const std::bad_alloc&) {
      AddNotRead(number,
                 sstables_[number].Path("Filter.db") + ": not enough memory");
    } catch (const std::system_error& error) {
      AddNotRead(number, error.what());
    }
  }

  void AddNotRead(size_t number, const std::string& why) {
    examined_[number].sstable = sstables_[number];
    examined_[number].Add(Check::kNotRead, why);
  }

  const std::vector<Sstable>& sstables_;
  const ExamineOptions& options_;
  const OnShareDone& on_share_done_;
  std::vector<Examined>& examined_;
  std::vector<Item> items_;
  std::atomic<size_t> next_{0};
  double total_ = 0;
  std::mutex mutex_;  // For what follows, and for on_share_done_.
  std::condition_variable freed_;
  uint64_t borrowed_ = 0;
  double done_ = 0;
};

// Returns whether the SSTable has no Data.db, or had none when it was examined.
// A broken link in the place of Data.db is a fault, and not gone.
bool IsDataGone(const Examined& examined) {
  const bool had_data =
      examined.stamps.empty() || examined.stamps.front() != FileStamp();
  return examined.sstable.state == SstableState::kLive &&
         (!NameExists(examined.sstable.Path("Data.db")) ||
          (examined.has_fault() && !had_data));
}

// Finds out which SSTables without a Data.db a node is removing or writing. The
// others are damaged.
//
// Cassandra removes Data.db first (SSTable.delete). From 3.0 on, a transaction
// log lists the SSTable until all files are removed. Cassandra 2.x has no such
// logs. So this function waits, once for all SSTables, for the other files to
// be removed, too, and then reads the logs again, before it looks for the
// files, because the log goes last.
//
// If ScyllaDB is removing one, TOC.txt.tmp is there until all files are removed
// (Sstable::HasTemporaryToc).
//
// If Cassandra 2.x is writing one, Data.db gets its name last
// (SSTableWriter.rename). So Data.db may appear meanwhile.
void FindOutWhyDataIsGone(std::vector<Examined>* sstables) {
  constexpr auto kWait = std::chrono::milliseconds(200);
  std::vector<Examined*> suspects;
  for (Examined& examined : *sstables) {
    if (IsDataGone(examined)) {
      suspects.push_back(&examined);
    }
  }
  if (suspects.empty()) {
    return;
  }
  std::this_thread::sleep_for(kWait);
  std::map<std::string, TransactionLogs> logs;  // By the folder.
  for (Examined* const suspect : suspects) {
    Sstable now = suspect->sstable;
    const auto [of_folder, is_new] = logs.try_emplace(now.folder);
    if (is_new) {
      of_folder->second = ReadTransactionLogs(now.folder);
    }
    SetState(of_folder->second, &now);
    if (std::none_of(
            std::begin(kMainComponents), std::end(kMainComponents),
            [&](const char* name) { return NameExists(now.Path(name)); })) {
      suspect->LeaveOut(SstableState::kVanished);
    } else if (now.state != SstableState::kLive) {
      suspect->LeaveOut(now.state);
    } else if (NameExists(now.Path("Data.db"))) {
      suspect->LeaveOut(SstableState::kBeingWritten);
    }
  }
}

}  // namespace

std::vector<Examined> ExamineAll(const std::vector<Sstable>& sstables,
                                 const ExamineOptions& options, unsigned jobs,
                                 const OnShareDone& on_share_done) {
  std::vector<Examined> examined(sstables.size());
  Work work(sstables, options, on_share_done, &examined);
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
  for (std::thread& thread : threads) {
    thread.join();
  }
  FindOutWhyDataIsGone(&examined);
  return examined;
}

}  // namespace cassandra_bloom::tools
