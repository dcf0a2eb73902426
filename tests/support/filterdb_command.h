// SPDX-License-Identifier: Apache-2.0

// Runs the commands filterdb and sst_filters, whose paths are
// CASSANDRA_BLOOM_FILTERDB and CASSANDRA_BLOOM_SST_FILTERS.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FILTERDB_COMMAND_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FILTERDB_COMMAND_H_

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/run_process.h"

namespace cassandra_bloom::testing {

using Json = nlohmann::json;

struct Ran : ProcessResult {
  Json json() const { return Json::parse(out); }
  std::string arguments;
};

inline Ran Exits(int exit_code, Ran ran) {
  EXPECT_EQ(ran.exit_code, exit_code) << ran.arguments << "\n" << ran;
  return ran;
}

// `before` is shell text in front of the command, such as "cat keys |".
inline Ran RunInShell(const std::string& command, const std::string& arguments,
                      const std::string& before = "") {
  return {
      RunProcess({"/bin/sh", "-c", before + " " + command + " " + arguments}),
      arguments};
}

inline Ran FilterdbAsGiven(const std::string& arguments) {
  return RunInShell(CASSANDRA_BLOOM_FILTERDB, arguments);
}

// Like FilterdbAsGiven, but tells `filterdb mend` that the node is down. A test
// may run on a file system that does not tell which files are open.
inline Ran Filterdb(const std::string& arguments,
                    const std::string& before = "") {
  const std::string mend = "mend ";
  return RunInShell(
      CASSANDRA_BLOOM_FILTERDB,
      arguments.rfind(mend, 0) == 0 &&
              arguments.find("--out-dir") == std::string::npos
          ? mend + "--node-is-down " + arguments.substr(mend.size())
          : arguments,
      before);
}

#ifdef CASSANDRA_BLOOM_SST_FILTERS
inline Ran SstFilters(const std::string& arguments) {
  return RunInShell(CASSANDRA_BLOOM_SST_FILTERS, arguments);
}
#endif

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FILTERDB_COMMAND_H_
