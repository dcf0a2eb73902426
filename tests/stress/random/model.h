// SPDX-License-Identifier: Apache-2.0

// The expected rows of a column family, now and at each earlier time.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_MODEL_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
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
  void Merge(const std::string& key, uint64_t number, const std::string& value);
  void DeleteRange(const std::string& begin, const std::string& end,
                   uint64_t number);

  bool IsBefore(const std::string& a, const std::string& b) const {
    return rows_.key_comp()(a, b);
  }

  // Returns null if the key is absent.
  const std::string* Get(const std::string& key, uint64_t at) const;

  // Returns at most `max` rows from `target` on, as long as `wanted` accepts
  // the key.
  std::vector<Row> Run(
      const std::string& target, Direction direction, uint64_t at, size_t max,
      const std::function<bool(const std::string&)>& wanted) const;
  std::vector<Row> All(uint64_t at) const;

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

  static const std::string* ValueAt(const Versions& versions, uint64_t at);

  std::map<std::string, Versions, Order> rows_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_MODEL_H_
