// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/lookups.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>

namespace cassandra_bloom::bench {
namespace {

// The largest number of keys in one call of MayMatch. RocksDB never passes more
// keys (MultiGetContext::MAX_BATCH_SIZE), and its own filters have no room for
// more. A larger batch takes several calls, as in MultiGet.
constexpr size_t kMaxCall = 32;

// The numbers of absent keys have this bit, those of present keys do not.
constexpr uint64_t kAbsentBit = uint64_t{1} << 63;

uint64_t NextSeed() {
  static uint64_t last_seed = 0;
  return ++last_seed;
}

[[noreturn]] void RefuseLostKey(const FilterSet& filters) {
  throw std::runtime_error(filters.contender().name +
                           ": FALSE NEGATIVE: a key that it has was lost");
}

}  // namespace

Lookups::Lookups(const FilterSet& filters, Asked asked, uint32_t batch)
    : filters_(filters),
      asked_(asked),
      batch_(batch),
      group_(std::max<size_t>(batch, 1)),
      count_(KeyChunk::kCapacity / group_ * group_),
      keys_(filters.size().key_shape),
      random_(NextSeed()) {}

double Lookups::Ask() {
  Choose();
  const auto start = std::chrono::steady_clock::now();
  AskAll();
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  Count();
  return seconds.count();
}

void Lookups::Choose() {
  const FilterSize& size = filters_.size();
  uint64_t filter = 0;
  for (size_t i = 0; i < count_; ++i) {
    if (i % group_ == 0) {
      filter = random_() % size.filters;
    }
    readers_[i] = filters_.reader(filter);
    present_[i] = asked_ == Asked::kPresent ||
                  (asked_ == Asked::kMixed && random_() % 2 == 0);
    const uint64_t present = filter * size.keys + random_() % size.keys;
    keys_.Set(i, present_[i] ? present : kAbsentBit | random_());
    // First sets the wrong answer, so that a filter that writes no answer is
    // detected.
    answers_[i] = !present_[i];
  }
}

void Lookups::AskAll() {
  if (batch_ == 0) {
    for (size_t i = 0; i < count_; ++i) {
      answers_[i] = readers_[i]->MayMatch(keys_[i]);
    }
    return;
  }
  for (size_t first = 0; first < count_; first += group_) {
    const size_t end = first + group_;
    for (size_t i = first; i < end; i += kMaxCall) {
      readers_[i]->MayMatch(static_cast<int>(std::min(end - i, kMaxCall)),
                            keys_.pointers() + i, &answers_[i]);
    }
  }
}

void Lookups::Count() {
  for (size_t i = 0; i < count_; ++i) {
    if (present_[i] && !answers_[i]) {
      RefuseLostKey(filters_);
    }
    false_positives_ += !present_[i] && answers_[i];
  }
}

void Check(FilterSet* filters) {
  const FilterSize& size = filters->size();
  KeyChunk key(size.key_shape);
  for (uint64_t number = 0; number < size.keys * size.filters; ++number) {
    key.Set(0, number);
    if (!filters->reader(number / size.keys)->MayMatch(key[0])) {
      RefuseLostKey(*filters);
    }
  }
  // Alone and in batches, which take other ways through a filter.
  uint64_t keys = 0;
  uint64_t false_positives = 0;
  for (const uint32_t batch : {0U, 32U}) {
    Lookups present(*filters, Asked::kPresent, batch);
    Lookups absent(*filters, Asked::kAbsent, batch);
    for (uint64_t asked = 0; asked < 1'000'000; asked += absent.keys()) {
      present.Ask();
      absent.Ask();
      keys += absent.keys();
    }
    false_positives += absent.false_positives();
  }
  const double rate =
      static_cast<double>(false_positives) / static_cast<double>(keys);
  // A classic Bloom filter with the best number of probes has the rate
  // 2^(-ln 2 * bits). RocksDB's has more, because all probes of a key are in
  // one cache line: 0.96 % instead of 0.82 % with 10 bits.
  const double classic = std::exp2(-std::log(2.0) * filters->BitsPerKey());
  if (rate > 1.25 * classic + 0.001) {
    throw std::runtime_error(filters->contender().name +
                             ": false positive rate " + std::to_string(rate) +
                             ", expected about " + std::to_string(classic));
  }
  filters->set_false_positive_rate(rate);
}

}  // namespace cassandra_bloom::bench
