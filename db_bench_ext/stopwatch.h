#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_STOPWATCH_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_STOPWATCH_H_

#include <chrono>

namespace cassandra_bloom::bench {

// Adds up the time of what it is given to run, and of nothing between.
class Stopwatch {
 public:
  template <typename Work>
  void Time(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    total_ += std::chrono::steady_clock::now() - start;
  }

  double ns() const {
    return std::chrono::duration<double, std::nano>(total_).count();
  }

 private:
  std::chrono::steady_clock::duration total_{};
};

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_STOPWATCH_H_
