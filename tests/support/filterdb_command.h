// SPDX-License-Identifier: Apache-2.0

// For a test program whose CASSANDRA_BLOOM_FILTERDB is the command filterdb:
// run as a user runs it.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_FILTERDB_COMMAND_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_FILTERDB_COMMAND_H_

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/run_process.h"

namespace cassandra_bloom::testing {

using Json = nlohmann::json;

struct Ran : ProcessResult {
  Json json() const { return Json::parse(out); }
};

// `arguments` as in a shell, which may run something else `before`, such as
// "cat keys |".
inline Ran Filterdb(const std::string& arguments,
                    const std::string& before = "") {
  return {RunProcess({"/bin/sh", "-c",
                      before + " " CASSANDRA_BLOOM_FILTERDB " " + arguments})};
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_FILTERDB_COMMAND_H_
