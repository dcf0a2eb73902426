// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_WORKLOADS_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_WORKLOADS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/filter_bench/filters_under_test.h"

namespace cassandra_bloom::bench {

constexpr uint32_t kMaxWorkBatch = 128;

// The largest number of keys in one call of MayMatch. RocksDB never passes more
// keys (MultiGetContext::MAX_BATCH_SIZE), and its own filters have no room for
// more. A larger batch takes several calls, as in MultiGet.
constexpr uint32_t kMaxCall = 32;

enum class Work { kBuild, kAbsent, kPresent, kMixed };

struct Workload {
  Work work = Work::kBuild;
  // The number of keys in a batch. 0 means that each key is queried alone, by
  // the MayMatch for one key.
  uint32_t batch = 0;

  // Returns the name in the flag --workloads, such as "batch_absent".
  std::string Name() const;
  std::string Title() const;
};

std::vector<std::string> WorkloadNames();

// Returns the workloads of this name. A name that begins with "batch_" gives
// one workload for each of `batches`. `name` must be one of WorkloadNames().
std::vector<Workload> WorkloadsOf(const std::string& name,
                                  const std::vector<uint32_t>& batches);

struct Tally {
  uint64_t keys = 0;
  uint64_t absent = 0;  // How many of `keys` are absent.
  uint64_t false_positives = 0;
  uint64_t false_negatives = 0;

  double ns_per_key = 0;
};

// Queries at least `queries` keys, in whole batches. Each key, or each batch,
// goes to one of the filters, chosen at random. With equal seeds, every filter
// policy gets the same keys. Another seed gives other absent keys and another
// order of present keys, so the CPU's branch predictor cannot learn them.
//
// Times only MayMatch, in many short spans. Leaves out spans in which another
// process seems to have used the CPU.
Tally Ask(const FilterSet& filters, const Workload& workload, uint64_t queries,
          uint64_t seed);

// Builds filters until they have at least `keys` keys in all. Measures CPU
// time, because other processes may run during a long build.
Tally BuildAgain(const FilterSet& filters, uint64_t keys, uint64_t seed);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_WORKLOADS_H_
