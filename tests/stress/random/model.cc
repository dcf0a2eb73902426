// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/model.h"

#include <iterator>

namespace cassandra_bloom::testing {

const std::string* Model::ValueAt(const Versions& versions, uint64_t at) {
  for (auto version = versions.rbegin(); version != versions.rend();
       ++version) {
    if (version->number <= at) {
      return version->value ? &*version->value : nullptr;
    }
  }
  return nullptr;
}

// Merges like RocksDB's operator "stringappend".
void Model::Merge(const std::string& key, uint64_t number,
                  const std::string& value) {
  const std::string* const old = Get(key, number);
  Put(key, number, old == nullptr ? value : *old + "," + value);
}

void Model::DeleteRange(const std::string& begin, const std::string& end,
                        uint64_t number) {
  for (auto row = rows_.lower_bound(begin);
       row != rows_.end() && IsBefore(row->first, end); ++row) {
    if (ValueAt(row->second, number) != nullptr) {
      row->second.push_back({number, std::nullopt});
    }
  }
}

const std::string* Model::Get(const std::string& key, uint64_t at) const {
  const auto row = rows_.find(key);
  return row == rows_.end() ? nullptr : ValueAt(row->second, at);
}

std::vector<Row> Model::Run(
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

std::vector<Row> Model::All(uint64_t at) const {
  std::vector<Row> all;
  for (const auto& [key, versions] : rows_) {
    if (const std::string* const value = ValueAt(versions, at)) {
      all.emplace_back(key, *value);
    }
  }
  return all;
}

}  // namespace cassandra_bloom::testing
