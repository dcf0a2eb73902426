// SPDX-License-Identifier: Apache-2.0

// The work that filters are made to do, and the measurement of its time.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_WORKLOADS_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_WORKLOADS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/filters_under_test.h"

namespace cassandra_bloom::bench {

constexpr uint32_t kMaxWorkBatch = 128;

// RocksDB passes at most this many keys to a filter in one call
// (MultiGetContext::MAX_BATCH_SIZE), and its own filters have no room for more.
// So a larger batch takes several calls, as in MultiGet.
constexpr uint32_t kMaxCall = 32;

enum class Work { kBuild, kAbsent, kPresent, kMixed };

struct Workload {
  Work work = Work::kBuild;
  // The number of keys queried together. 0 means one by one, with the call for
  // one key.
  uint32_t batch = 0;

  // The name in flags: "absent", "batch_absent", ...
  std::string Name() const;
  // A title with the size of batches: "absent, batches of 32".
  std::string Title() const;
};

// The names of all workloads.
std::vector<std::string> WorkloadNames();

// Returns the workloads of this name: one for each size of batches, or a single
// one without batches. `name` is one of WorkloadNames().
std::vector<Workload> WorkloadsOf(const std::string& name,
                                  const std::vector<uint32_t>& batches);

struct Tally {
  uint64_t keys = 0;
  uint64_t absent = 0;  // The absent ones of `keys`.
  uint64_t false_positives = 0;
  uint64_t false_negatives = 0;

  double ns_per_key = 0;
};

// Queries `queries` keys, or a few more to fill whole batches. Each key, or
// each batch, goes to one of the filters, chosen at random. Present keys come
// in random order. Every filter under test gets the same absent keys and the
// same order of present keys. With another `seed` they are different, so that a
// branch predictor never sees them again.
//
// Only MayMatch is timed, in many short spans. Spans in which another process
// seems to have had the CPU are left out. The keys are independent of each
// other, so the CPU works on several of them at once, as far as the filter lets
// it.
Tally Ask(const FilterSet& filters, const Workload& workload, uint64_t queries,
          uint64_t seed);

// Builds filters until they have at least `keys` keys in all. Measures CPU
// time, because a build takes so long that other processes get the CPU
// meanwhile.
Tally BuildAgain(const FilterSet& filters, uint64_t keys, uint64_t seed);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_WORKLOADS_H_
