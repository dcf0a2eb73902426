// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/data_directory/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

constexpr const char* kVersions[] = {"ma", "nb", "oa", "da"};
constexpr size_t kTablesOfKeyspace = 10;
constexpr size_t kCopiesEvery = 10;  // One table in ten has copies.

// An SSTable with fewer keys gets no fault. In such an SSTable, a wrong filter
// size might be due to rounding.
constexpr uint64_t kLeastKeysForFault = 500;
constexpr size_t kLeastOfEachFault = 3;
// Each fault is in 1 of kFaultEvery SSTables, and in at least
// kLeastOfEachFault.
constexpr size_t kFaultEvery = 100;

class Planner {
 public:
  explicit Planner(const DirectoryOptions& options)
      : options_(options), random_(options.seed) {}

  std::vector<PlannedSstable> Plan() {
    CheckOptions();
    MakeTables();
    ChooseSizes();
    ChooseFaults();
    std::vector<PlannedSstable> plan;
    for (size_t i = 0; i < options_.sstables; ++i) {
      plan.push_back(PlanOne(i));
    }
    return plan;
  }

 private:
  struct Table {
    std::string folder;
    double fp_chance;
  };

  void CheckOptions() const {
    const size_t faulty = OfEachFault() * (kAllFilterFaults.size() - 1);
    if (options_.tables == 0 || options_.sstables < 2 * faulty) {
      throw std::invalid_argument(
          "most SSTables are to have no fault, so there must be at least " +
          std::to_string(2 * faulty) + ", and at least one table");
    }
    if (options_.key_bytes < 8) {
      throw std::invalid_argument("keys of less than 8 bytes may be equal");
    }
    if (options_.keys < 2 * kLeastKeysForFault * options_.sstables) {
      throw std::invalid_argument("fewer than " +
                                  std::to_string(2 * kLeastKeysForFault) +
                                  " keys for each SSTable");
    }
  }

  size_t OfEachFault() const {
    return std::max(kLeastOfEachFault, options_.sstables / kFaultEvery);
  }

  void MakeTables() {
    // Cassandra's default is 0.01, or 0.1 with LeveledCompactionStrategy.
    constexpr double kChances[] = {0.01, 0.01, 0.1, 0.001};
    for (size_t i = 0; i < options_.tables; ++i) {
      char id[33];
      std::snprintf(id, sizeof(id), "%016llx%016llx", Random(), Random());
      tables_.push_back({"ks" + std::to_string(i / kTablesOfKeyspace) +
                             "/table" + std::to_string(i) + "-" + id,
                         kChances[i % std::size(kChances)]});
    }
  }

  // An SSTable has smallest * spread ^ exponent keys, with a random exponent.
  // Searches for the spread that gives options_.keys keys in all SSTables.
  void ChooseSizes() {
    std::vector<double> exponents(options_.sstables);
    for (double& exponent : exponents) {
      exponent = static_cast<double>(Random() >> 11) * 0x1p-53;
    }
    const double mean = static_cast<double>(options_.keys) /
                        static_cast<double>(options_.sstables);
    const double smallest = std::min(100.0, mean / 20);
    const auto size = [smallest](double spread, double exponent) {
      return static_cast<uint64_t>(smallest * std::pow(spread, exponent));
    };
    double low = 1;
    double high = 1e12;
    for (int i = 0; i < 200; ++i) {
      const double middle = std::sqrt(low * high);
      uint64_t sum = 0;
      for (const double exponent : exponents) {
        sum += size(middle, exponent);
      }
      (sum < options_.keys ? low : high) = middle;
    }
    for (const double exponent : exponents) {
      sizes_.push_back(size(low, exponent));
    }
    *std::max_element(sizes_.begin(), sizes_.end()) +=
        options_.keys -
        std::accumulate(sizes_.begin(), sizes_.end(), uint64_t{0});
  }

  void ChooseFaults() {
    std::vector<size_t> candidates;
    for (size_t i = 0; i < options_.sstables; ++i) {
      if (sizes_[i] >= kLeastKeysForFault) {
        candidates.push_back(i);
      }
    }
    faults_.assign(options_.sstables, FilterFault::kNone);
    for (const FilterFault fault : kAllFilterFaults) {
      for (size_t n = 0; fault != FilterFault::kNone && n < OfEachFault();
           ++n) {
        if (candidates.empty()) {
          throw std::invalid_argument("too few keys for all faults");
        }
        std::swap(candidates[Random() % candidates.size()], candidates.back());
        faults_[candidates.back()] = fault;
        candidates.pop_back();
      }
    }
  }

  PlannedSstable PlanOne(size_t i) {
    const size_t table = i % options_.tables;
    const size_t in_table = i / options_.tables;
    PlannedSstable planned;
    planned.folder = tables_[table].folder;
    planned.num_keys = sizes_[i];
    planned.key_seed = Random();
    planned.is_copied = in_table == 0 && table % kCopiesEvery == 0;
    SstableSpec& spec = planned.spec;
    spec.version = kVersions[(table + in_table) % std::size(kVersions)];
    spec.generation = Generation(spec.version, in_table);
    spec.fault = faults_[i];
    spec.fp_chance = spec.fault == FilterFault::kNoFilterPlanned
                         ? 1
                         : tables_[table].fp_chance;
    const bool has_trie = spec.version == "da";
    spec.wide_every = has_trie ? 20 : 50;
    spec.lz4 = has_trie && Random() % 2 == 0;
    return planned;
  }

  // Since Cassandra 4.1, the generation in a file name may be an id in base 36
  // (UUIDBasedSSTableId).
  std::string Generation(const std::string& version, size_t in_table) {
    if (version != "oa") {
      return std::to_string(in_table + 1);
    }
    std::string id = "3gaa_0000_";
    for (int i = 0; i < 18; ++i) {
      id.push_back("0123456789abcdefghijklmnopqrstuvwxyz"[Random() % 36]);
    }
    return id;
  }

  unsigned long long Random() { return NextRandom(&random_); }

  const DirectoryOptions options_;
  uint64_t random_;
  std::vector<Table> tables_;
  std::vector<uint64_t> sizes_;
  std::vector<FilterFault> faults_;
};

}  // namespace

std::vector<PlannedSstable> PlanDirectory(const DirectoryOptions& options) {
  return Planner(options).Plan();
}

}  // namespace cassandra_bloom::testing
