// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_STOPWATCH_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_STOPWATCH_H_

#include <time.h>

namespace cassandra_bloom::bench {

// Returns the time of `clock` in nanoseconds. CLOCK_MONOTONIC is cheap and
// precise, but also counts time in which Linux runs another process.
// CLOCK_THREAD_CPUTIME_ID does not count that time, but needs a system call.
inline double NowNs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 +
         static_cast<double>(now.tv_nsec);
}

template <typename Work>
double TimeNs(clockid_t clock, Work work) {
  const double start = NowNs(clock);
  work();
  return NowNs(clock) - start;
}

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_STOPWATCH_H_
