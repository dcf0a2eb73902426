// SPDX-License-Identifier: Apache-2.0

// Runs filterdb in a temporary folder, on filters of random keys.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_COMMAND_FIXTURE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_COMMAND_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/filterdb_command.h"
#include "tests/support/naive_filter.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

using Keys = std::vector<std::string>;

// Returns random keys. Each ends in its own number, so that no two are equal.
inline Keys RandomKeysOf(uint32_t begin, uint32_t end) {
  const RandomKeys random(Seed(), 30);
  Keys keys;
  for (uint32_t i = begin; i < end; ++i) {
    keys.push_back(random[i] + BigEndian(i, 4));
  }
  return keys;
}

inline std::string ToHex(const std::string& key) {
  std::string hex;
  for (const char c : key) {
    for (const int digit : {c >> 4 & 15, c & 15}) {
      hex += "0123456789abcdef"[digit];
    }
  }
  return hex;
}

template <typename Record>
inline std::string ListOf(const Keys& keys, Record record) {
  std::string list;
  for (const std::string& key : keys) {
    list += record(key);
  }
  return list;
}

inline std::string HexList(const Keys& keys) {
  return ListOf(keys, [](const auto& key) { return "0x" + ToHex(key) + "\n"; });
}
inline std::string TextList(const Keys& keys) {
  return ListOf(keys, [](const auto& key) { return key + "\n"; });
}

// Returns an Index.db of these keys. No partition has a promoted index, which
// is an index of the rows in a large partition.
inline std::string IndexDb(const Keys& keys, bool before_ma) {
  uint32_t position = 0;
  return ListOf(keys, [&](const auto& key) {
    const std::string number = BigEndian(position++, 4);
    return WithLength(key) +
           (before_ma ? std::string(4, '\0') + number + std::string(4, '\0')
                      : "\xf0" + number + '\0');
  });
}

inline NaiveFilter NaiveOf(const Keys& keys, const Json& built) {
  NaiveFilter naive(built["probes"], built["words"]);
  for (const std::string& key : keys) {
    naive.Add(key);
  }
  return naive;
}

class CommandFixture : public ::testing::Test {
 protected:
  // Runs filterdb in `dir_`. Expects success, and nothing on stderr.
  Ran Good(const std::string& arguments, const std::string& before = "") {
    const Ran ran = Run(arguments, before);
    EXPECT_EQ(ran.exit_code, 0) << arguments << "\n" << ran;
    EXPECT_EQ(ran.err, "") << arguments;
    return ran;
  }

  Ran Run(const std::string& arguments, const std::string& before = "") {
    return Filterdb(arguments, "cd " + dir_.path() + "; " + before);
  }

  void Write(const std::string& name, const std::string& content) {
    WriteFile(dir_ / name, content);
  }
  std::string Read(const std::string& name) { return ReadFile(dir_ / name); }

  Json Build(const Keys& keys, const std::string& out,
             const std::string& size = "--bits=10") {
    Write("keys", HexList(keys));
    return Good("build --keys=keys --json --out=" + out + " " + size).json();
  }

  const ::testing::ScopedTrace trace_ =
      ::testing::ScopedTrace(__FILE__, __LINE__, Seed());
  const TempDir dir_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_COMMAND_FIXTURE_H_
