// SPDX-License-Identifier: Apache-2.0

// The expected rows of a column family, now and at each earlier time.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_MODEL_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

// A key and its value. Every write has a number, which may also be a timestamp.
// "At n" means after write number n.
using Row = std::pair<std::string, std::string>;

enum class Direction { kForward, kBackward };

class Model {
 public:
  explicit Model(bool is_reverse) : rows_(Order{is_reverse}) {}

  void Put(const std::string& key, uint64_t number, const std::string& value) {
    rows_[key].push_back({number, value});
  }
  void Delete(const std::string& key, uint64_t number) {
    rows_[key].push_back({number, std::nullopt});
  }
  // Merges like RocksDB's operator "stringappend".
  void Merge(const std::string& key, uint64_t number,
             const std::string& value) {
    const std::string* const old = Get(key, number);
    Put(key, number, old == nullptr ? value : *old + "," + value);
  }
  void DeleteRange(const std::string& begin, const std::string& end,
                   uint64_t number) {
    for (auto row = rows_.lower_bound(begin);
         row != rows_.end() && IsBefore(row->first, end); ++row) {
      if (ValueAt(row->second, number) != nullptr) {
        row->second.push_back({number, std::nullopt});
      }
    }
  }

  bool IsBefore(const std::string& a, const std::string& b) const {
    return rows_.key_comp()(a, b);
  }

  // Returns null if the key is absent.
  const std::string* Get(const std::string& key, uint64_t at) const {
    const auto row = rows_.find(key);
    return row == rows_.end() ? nullptr : ValueAt(row->second, at);
  }

  // Returns at most `max` rows from `target` on, as long as `wanted` accepts
  // the key.
  std::vector<Row> Run(
      const std::string& target, Direction direction, uint64_t at, size_t max,
      const std::function<bool(const std::string&)>& wanted) const {
    std::vector<Row> run;
    const auto take = [&](auto row, auto end) {
      for (; row != end && run.size() < max; ++row) {
        if (const std::string* const value = ValueAt(row->second, at)) {
          if (!wanted(row->first)) {
            return;
          }
          run.emplace_back(row->first, *value);
        }
      }
    };
    if (direction == Direction::kForward) {
      take(rows_.lower_bound(target), rows_.end());
    } else {
      take(std::make_reverse_iterator(rows_.upper_bound(target)), rows_.rend());
    }
    return run;
  }

  std::vector<Row> All(uint64_t at) const {
    std::vector<Row> all;
    for (const auto& [key, versions] : rows_) {
      if (const std::string* const value = ValueAt(versions, at)) {
        all.emplace_back(key, *value);
      }
    }
    return all;
  }

 private:
  struct Order {
    bool is_reverse;
    bool operator()(const std::string& a, const std::string& b) const {
      return is_reverse ? b < a : a < b;
    }
  };
  struct Version {
    uint64_t number;
    std::optional<std::string> value;
  };
  using Versions = std::vector<Version>;  // In order of their numbers.

  static const std::string* ValueAt(const Versions& versions, uint64_t at) {
    for (auto version = versions.rbegin(); version != versions.rend();
         ++version) {
      if (version->number <= at) {
        return version->value ? &*version->value : nullptr;
      }
    }
    return nullptr;
  }

  std::map<std::string, Versions, Order> rows_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_MODEL_H_
