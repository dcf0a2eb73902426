// SPDX-License-Identifier: Apache-2.0

// Values of flags: numbers and lists within ranges.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_FLAG_VALUES_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_FLAG_VALUES_H_

#include <stdexcept>
#include <string>
#include <vector>

namespace cassandra_bloom::bench {

// Names the flag, the value and what it may be.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void Refuse(const std::string& flag, const std::string& value,
                         const std::string& range);

struct Range {
  double min;
  double max;
  bool whole = true;

  std::string Name() const;
};

std::vector<std::string> SplitAtCommas(const std::string& text);

// 10000, 10K, 0.01M. Throws UsageError.
double ReadNumber(const std::string& flag, const std::string& text,
                  const Range& range);

template <typename T>
T ReadOne(const std::string& flag, const std::string& text,
          const Range& range) {
  return static_cast<T>(ReadNumber(flag, text, range));
}

template <typename T>
std::vector<T> ReadList(const std::string& flag, const std::string& text,
                        const Range& range) {
  std::vector<T> values;
  for (const std::string& item : SplitAtCommas(text)) {
    values.push_back(ReadOne<T>(flag, item, range));
  }
  return values;
}

// Those of `names` that are in the list, in the order of `names`; "all" is all
// of them. An item also stands for all names that begin with it and a slash.
// Throws UsageError at an item that stands for none.
std::vector<std::string> ReadNames(const std::string& flag,
                                   const std::string& text,
                                   const std::vector<std::string>& names);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_FLAG_VALUES_H_
