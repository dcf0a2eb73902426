// SPDX-License-Identifier: Apache-2.0

#include <rocksdb/snapshot.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>

#include "tests/stress/random/trial.h"

namespace cassandra_bloom::testing {
namespace {

// Threads that repeat their work until they are stopped, or until one of them
// fails.
class Threads {
 public:
  ~Threads() { Join(); }

  void Repeat(Draws draws, const std::function<void(Draws*)>& work) {
    threads_.emplace_back([this, work, draws]() mutable {
      try {
        while (!stop_) {
          work(&draws);
        }
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex_);
        failure_ = std::current_exception();
        stop_ = true;
      }
    });
  }

  bool stopped() const { return stop_; }

  // Stops all threads, and throws what a thread has thrown.
  void Stop() {
    Join();
    if (failure_ != nullptr) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  void Join() {
    stop_ = true;
    for (std::thread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

// Lets the other threads work.
void Rest(Draws* draws) {
  std::this_thread::sleep_for(std::chrono::microseconds(draws->Below(5000)));
}

}  // namespace

// Reads at a snapshot, whose rows a copy of the models says. Returns the number
// of checks.
uint64_t Trial::ReadAtASnapshot(std::mutex* changing, Draws* draws) const {
  constexpr int kReads = 20;
  std::unique_lock<std::mutex> lock(*changing);
  const Written written = written_;
  rocksdb::ManagedSnapshot snapshot(db_.db());
  lock.unlock();
  uint64_t count = 0;
  Checks checks(draws, &count);
  for (int i = 0; i < kReads; ++i) {
    checks.Some(
        {&configuration_, &db_, &written, snapshot.snapshot(), written.number});
  }
  return count;
}

void Trial::OperateAtOnce(uint64_t operations) {
  std::mutex changing;  // Held while the rows and their models differ.
  std::atomic<uint64_t> num_checks{0};
  Threads threads;
  const auto repeat = [&](const std::function<void(Draws*)>& work) {
    threads.Repeat(Draws(draws_.Below(UINT64_MAX)), work);
  };
  const auto any_family = [this](Draws* draws) {
    return draws->Below(configuration_.families.size());
  };
  for (int readers = 0; readers < 3; ++readers) {
    repeat(
        [&](Draws* draws) { num_checks += ReadAtASnapshot(&changing, draws); });
  }
  repeat([&](Draws* draws) {
    Flush(any_family(draws));
    Rest(draws);
  });
  repeat([&](Draws* draws) {
    Compact(any_family(draws), draws);
    Rest(draws);
  });
  repeat([&](Draws* draws) {
    SetPolicy(any_family(draws), draws);
    Rest(draws);
  });
  for (uint64_t i = 0; i < operations && !threads.stopped(); ++i) {
    const std::lock_guard<std::mutex> lock(changing);
    ChangeRows();
    ++counts_.operations;
  }
  threads.Stop();
  counts_.checks += num_checks;
}

}  // namespace cassandra_bloom::testing
