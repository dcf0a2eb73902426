// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/examine_all.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "filterdb/sstable/sstable_finder.h"
#include "filterdb/sstable/transaction_logs.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

// Returns whether Filter.db is, as far as was read, the beginning of one that a
// node is writing: Cassandra 5.0 writes a missing filter in place when it
// starts.
bool MayGrow(const Examined& examined) {
  constexpr int64_t kRecent = 2;  // In seconds.
  struct stat status;
  return (examined.has(Check::kEmpty) || examined.has(Check::kHeaderCut) ||
          examined.has(Check::kTruncated)) &&
         (stat(examined.sstable.Path("Filter.db").c_str(), &status) != 0 ||
          std::time(nullptr) - status.st_mtim.tv_sec <= kRecent);
}

// Returns whether a node may be writing or removing the SSTable, or a file of
// it that was read. A broken link in the place of Data.db is a fault.
bool IsSuspect(const Examined& examined) {
  return !examined.findings.empty() &&
         (examined.stamps != StampsOf(examined.sstable) ||
          examined.stamps.front() == FileStamp() || MayGrow(examined));
}

// Gives SSTables to threads, and brings the results into order.
class Work {
 public:
  explicit Work(const ExamineJob& job) : job_(job) {}

  // Keeps the first exception, with which all threads end.
  void Run() {
    try {
      while (Result* const result = Take()) {
        const Sstable sstable = std::move(result->examined.sstable);
        result->examined = Examine(sstable);
        result->is_suspect = IsSuspect(result->examined);
        if (result->is_suspect) {
          result->examined.stamps = StampsOf(sstable);
        } else if (job_.work) {
          job_.work(result->examined);
        }
        GiveBack(result);
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      failure_ = failure_ ? failure_ : std::current_exception();
      changed_.notify_all();
    }
  }

  void RethrowFailure() const {
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

  // Examines those again that a node may be writing or removing, when it had
  // time to end. Waits once for all of them. What changes even then is being
  // written.
  //
  // Cassandra removes Data.db first (SSTable.delete). From 3.0 on, a
  // transaction log lists the SSTable until all files are removed. Cassandra
  // 2.x has no such logs. So this function waits for the other files to be
  // removed, too, and then reads the logs again, before it looks for the files,
  // because the log goes last.
  //
  // If ScyllaDB is removing one, TOC.txt.tmp is there until all files are
  // removed (Sstable::HasTemporaryToc).
  //
  // If Cassandra 2.x is writing one, Data.db gets its name last
  // (SSTableWriter.rename). So Data.db may appear meanwhile.
  void ExamineSuspects() {
    constexpr auto kWait = std::chrono::milliseconds(200);
    if (suspects_.empty()) {
      return;
    }
    std::this_thread::sleep_for(kWait);
    std::map<std::string, TransactionLogs> logs;  // By the folder.
    for (Examined& suspect : std::exchange(suspects_, {})) {
      const auto before = std::move(suspect.stamps);
      Sstable sstable = std::move(suspect.sstable);
      const auto [of_folder, is_new] = logs.try_emplace(sstable.folder);
      if (is_new) {
        of_folder->second = ReadTransactionLogs(sstable.folder);
      }
      SetState(of_folder->second, &sstable);
      if (std::none_of(std::begin(kMainComponents), std::end(kMainComponents),
                       [&](const char* name) {
                         return NameExists(sstable.Path(name));
                       })) {
        sstable.state = SstableState::kVanished;
      }
      Examined examined = Examine(sstable);
      if (!examined.findings.empty() &&
          (examined.stamps != before || before != StampsOf(sstable))) {
        examined.LeaveOut(SstableState::kBeingWritten);
      }
      if (job_.work) {
        job_.work(examined);
      }
      job_.done(examined);
    }
  }

 private:
  struct Result {
    Examined examined;
    bool is_suspect = false;
    bool is_ready = false;
  };

  // Returns the next SSTable. The results that wait for an earlier one are few.
  Result* Take() {
    constexpr size_t kMostAhead = 100;
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock,
                  [&] { return failure_ || results_.size() < kMostAhead; });
    auto sstable = failure_ ? std::nullopt : job_.next();
    if (!sstable) {
      return nullptr;
    }
    Result& result = results_.emplace_back();
    result.examined.sstable = *std::move(sstable);
    return &result;
  }

  void GiveBack(Result* result) {
    constexpr size_t kMostSuspects = 1000;
    const std::lock_guard<std::mutex> lock(mutex_);
    result->is_ready = true;
    for (; !results_.empty() && results_.front().is_ready;
         results_.pop_front()) {
      Result& next = results_.front();
      if (next.is_suspect) {
        suspects_.push_back(std::move(next.examined));
      } else {
        job_.done(next.examined);
      }
    }
    if (suspects_.size() >= kMostSuspects) {
      ExamineSuspects();
    }
    changed_.notify_all();
  }

  Examined Examine(const Sstable& sstable) const {
    std::string error;
    try {
      return ExamineSstable(sstable, job_.options);
    } catch (const std::bad_alloc&) {
      error = sstable.Path("Filter.db") + ": not enough memory";
    } catch (const std::system_error& failure) {
      error = failure.what();
    }
    Examined examined;
    examined.sstable = sstable;
    examined.stamps = StampsOf(sstable);
    examined.Add(Check::kNotRead, error);
    return examined;
  }

  const ExamineJob& job_;
  std::mutex mutex_;  // For all that follows, and for next and done.
  std::condition_variable changed_;
  // In the order of `next`: what is being examined, and what waits for it.
  std::deque<Result> results_;
  std::vector<Examined> suspects_;
  std::exception_ptr failure_;
};

}  // namespace

void InThreads(size_t num_threads, const std::function<void()>& work) {
  std::vector<std::thread> threads;
  try {
    for (size_t i = 1; i < num_threads; ++i) {
      threads.emplace_back(work);
    }
  } catch (const std::exception&) {
    // Those that were started, and this one, do all the work.
  }
  work();
  for (std::thread& thread : threads) {
    thread.join();
  }
}

void ExamineAll(const ExamineJob& job) {
  Work work(job);
  InThreads(job.num_threads, [&] { work.Run(); });
  work.RethrowFailure();
  work.ExamineSuspects();
}

}  // namespace cassandra_bloom::tools
