// SPDX-License-Identifier: Apache-2.0

// Runs the commands filterdb and sst_filters, whose paths are
// CASSANDRA_BLOOM_FILTERDB and CASSANDRA_BLOOM_SST_FILTERS.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FILTERDB_COMMAND_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FILTERDB_COMMAND_H_

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/support/run_process.h"

namespace cassandra_bloom::testing {

using Json = nlohmann::json;

struct Ran : ProcessResult {
  Json json() const { return Json::parse(out); }

  // The lines of JSON that scan, mend, install and find print: `sstables`,
  // `errors` and `summary`.
  Json report() const {
    Json report = {{"sstables", Json::array()}, {"errors", Json::array()}};
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
      const Json json = Json::parse(line);
      if (json.contains("summary")) {
        report["summary"] = json["summary"];
      } else if (json.contains("error")) {
        report["errors"].push_back(json["error"]);
      } else {
        report["sstables"].push_back(json);
      }
    }
    return report;
  }
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
      RunProcess({"/bin/sh", "-c", before + " '" + command + "' " + arguments}),
      arguments};
}

inline Ran FilterdbAsGiven(const std::string& arguments) {
  return RunInShell(CASSANDRA_BLOOM_FILTERDB, arguments);
}

// Like FilterdbAsGiven, but says that the node is down where that may be said.
// A test may run on a file system that does not tell which files are open.
inline Ran Filterdb(const std::string& arguments,
                    const std::string& before = "") {
  const bool may_say = arguments.rfind("install ", 0) == 0 ||
                       arguments.find("--in-place") != std::string::npos;
  return RunInShell(CASSANDRA_BLOOM_FILTERDB,
                    arguments + (may_say ? " --node-is-down" : ""), before);
}

#ifdef CASSANDRA_BLOOM_SST_FILTERS
inline Ran SstFilters(const std::string& arguments) {
  return RunInShell(CASSANDRA_BLOOM_SST_FILTERS, arguments);
}
#endif

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FILTERDB_COMMAND_H_
