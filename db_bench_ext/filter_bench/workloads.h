// SPDX-License-Identifier: Apache-2.0

// What filters are made to do, and how long it takes them.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_WORKLOADS_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_WORKLOADS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/filters_under_test.h"

namespace cassandra_bloom::bench {

constexpr uint32_t kMaxWorkBatch = 128;

// RocksDB asks a filter about at most so many keys with one call
// (MultiGetContext::MAX_BATCH_SIZE), and its own filters have no room for more:
// larger batches are several calls, as MultiGet's are.
constexpr uint32_t kMaxCall = 32;

enum class Work { kBuild, kAbsent, kPresent, kMixed };

struct Workload {
  Work work = Work::kBuild;
  // Keys asked together; 0: one by one, with the call for one key.
  uint32_t batch = 0;

  // As it is called in flags: "absent", "batch_absent", ...
  std::string Name() const;
  // With the size of batches: "absent, batches of 32".
  std::string Title() const;
};

// All names that there are.
std::vector<std::string> WorkloadNames();

// Those of this name, one for each size of batches. `name` is one of
// WorkloadNames().
std::vector<Workload> WorkloadsOf(const std::string& name,
                                  const std::vector<uint32_t>& batches);

struct Tally {
  uint64_t keys = 0;
  uint64_t absent = 0;  // Of the keys.
  uint64_t false_positives = 0;
  uint64_t false_negatives = 0;

  double ns_per_key = 0;
};

// Asks the filters `queries` keys, or a few more: as many as fill batches. Each
// key, or each batch, goes to one of the filters at random. Present keys come
// in random order. Absent keys, and the order of present ones, are the same for
// every filter under test, but others for another `seed`: a branch predictor
// never sees them again.
//
// Only MayMatch is in the clock, in many short spans; those in which something
// else seems to have had the CPU are left out. The keys are independent of each
// other, so the CPU works on several of them at once, as far as the filter lets
// it.
Tally Ask(const FilterSet& filters, const Workload& workload, uint64_t queries,
          uint64_t seed);

// Builds filters of at least `keys` keys in all; at least one. The time is the
// CPU's: a span as long as this is seldom had alone.
Tally BuildAgain(const FilterSet& filters, uint64_t keys, uint64_t seed);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_WORKLOADS_H_
