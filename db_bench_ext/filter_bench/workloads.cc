// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/workloads.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "db_bench_ext/filter_bench/bench_keys.h"
#include "db_bench_ext/filter_bench/stopwatch.h"

namespace cassandra_bloom::bench {

using ROCKSDB_NAMESPACE::FilterBitsReader;

namespace {

constexpr char kBatchPrefix[] = "batch_";

const char* NameOf(Work work) {
  switch (work) {
    case Work::kBuild:
      return "build";
    case Work::kAbsent:
      return "absent";
    case Work::kPresent:
      return "present";
    default:
      return "mixed";
  }
}

// The number of the first absent key for seed 0. Each seed has 2^36 numbers of
// its own for absent keys.
constexpr uint64_t kFirstAbsent = uint64_t{1} << 62;
constexpr int kAbsentOfSeedBits = 36;

// Returns the mean of `spans`. Leaves out spans in which another process seems
// to have used the CPU.
double UndisturbedMean(std::vector<double> spans) {
  // A span is left out if it takes more than this many times the median.
  constexpr double kTooLong = 5;
  std::sort(spans.begin(), spans.end());
  const auto end = std::upper_bound(spans.begin(), spans.end(),
                                    kTooLong * spans[spans.size() / 2]);
  return std::accumulate(spans.begin(), end, 0.0) /
         static_cast<double>(end - spans.begin());
}

class Queries {
 public:
  Queries(const FilterSet& filters, const Workload& workload, uint64_t seed)
      : filters_(filters),
        workload_(workload),
        group_(workload.batch == 0 ? 1 : workload.batch),
        count_(KeyChunk::kCapacity / group_ * group_),
        keys_(filters.config().key_shape),
        random_(seed),
        next_absent_(kFirstAbsent + (seed << kAbsentOfSeedBits)) {}

  void Ask(uint64_t queries) {
    do {
      Choose();
      spans_.push_back(TimeNs(CLOCK_MONOTONIC, [this] {
        if (workload_.batch == 0) {
          AskOneByOne();
        } else {
          AskInBatches();
        }
      }));
      Count();
    } while (tally_.keys < queries);
  }

  Tally tally() const {
    Tally tally = tally_;
    tally.ns_per_key = UndisturbedMean(spans_) / static_cast<double>(count_);
    return tally;
  }

 private:
  void Choose() {
    const FilterConfig& config = filters_.config();
    for (size_t i = 0; i < count_; ++i) {
      if (i % group_ == 0) {
        filter_ = Below(config.filters, random_.Next());
      }
      readers_[i] = filters_.reader(filter_);
      present_[i] = workload_.work == Work::kPresent ||
                    (workload_.work == Work::kMixed && random_.Next() % 2 == 0);
      const uint64_t present =
          filter_ * config.keys + Below(config.keys, random_.Next());
      keys_.Set(i, present_[i] ? present : next_absent_++);
      // First sets the wrong answer, so that a filter that writes no answer is
      // detected.
      answers_[i] = !present_[i];
    }
  }

  void AskOneByOne() {
    for (size_t i = 0; i < count_; ++i) {
      answers_[i] = readers_[i]->MayMatch(keys_[i]);
    }
  }

  void AskInBatches() {
    for (size_t first = 0; first < count_; first += group_) {
      const size_t end = first + group_;
      for (size_t i = first; i < end; i += kMaxCall) {
        readers_[i]->MayMatch(
            static_cast<int>(std::min<size_t>(end - i, kMaxCall)),
            keys_.pointers() + i, &answers_[i]);
      }
    }
  }

  void Count() {
    tally_.keys += count_;
    for (size_t i = 0; i < count_; ++i) {
      tally_.absent += !present_[i];
      tally_.false_positives += !present_[i] && answers_[i];
      tally_.false_negatives += present_[i] && !answers_[i];
    }
  }

  const FilterSet& filters_;
  const Workload workload_;
  const size_t group_;
  // The number of keys in as many whole batches as fit into a KeyChunk.
  const size_t count_;
  KeyChunk keys_;
  std::array<FilterBitsReader*, KeyChunk::kCapacity> readers_;
  std::array<bool, KeyChunk::kCapacity> present_;
  std::array<bool, KeyChunk::kCapacity> answers_;
  Random random_;
  uint64_t next_absent_;
  uint64_t filter_ = 0;
  std::vector<double> spans_;  // In nanoseconds, for count_ keys each.
  Tally tally_;
};

}  // namespace

std::string Workload::Name() const {
  return (batch == 0 ? "" : kBatchPrefix) + std::string(NameOf(work));
}

std::string Workload::Title() const {
  return NameOf(work) +
         (batch == 0 ? "" : ", batches of " + std::to_string(batch));
}

std::vector<std::string> WorkloadNames() {
  return {"build", "absent",       "present",
          "mixed", "batch_absent", "batch_present"};
}

std::vector<Workload> WorkloadsOf(const std::string& name,
                                  const std::vector<uint32_t>& batches) {
  std::vector<Workload> workloads;
  for (const Work work :
       {Work::kBuild, Work::kAbsent, Work::kPresent, Work::kMixed}) {
    if (name == NameOf(work)) {
      workloads.push_back({work, 0});
    } else if (name == std::string(kBatchPrefix) + NameOf(work)) {
      for (const uint32_t batch : batches) {
        workloads.push_back({work, batch});
      }
    }
  }
  return workloads;
}

Tally Ask(const FilterSet& filters, const Workload& workload, uint64_t queries,
          uint64_t seed) {
  Queries asked(filters, workload, seed);
  asked.Ask(queries);
  return asked.tally();
}

Tally BuildAgain(const FilterSet& filters, uint64_t keys, uint64_t seed) {
  const FilterConfig& config = filters.config();
  KeyChunk chunk(config.key_shape);
  Tally tally;
  double ns = 0;
  for (uint64_t index = seed; tally.keys < keys; ++index) {
    ns += Build(filters.filter(), config, index % config.filters, &chunk).ns;
    tally.keys += config.keys;
  }
  tally.ns_per_key = ns / static_cast<double>(tally.keys);
  return tally;
}

}  // namespace cassandra_bloom::bench
