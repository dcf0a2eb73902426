// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_DATA_DIRECTORY_WRITE_DIRECTORY_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_DATA_DIRECTORY_WRITE_DIRECTORY_H_

#include <cstddef>
#include <string>

#include "tests/stress/data_directory/plan.h"

namespace cassandra_bloom::testing {

// Writes a data directory, and returns its content as JSON:
//
//   {"options": {"tables": …, "sstables": …, "keys": …, …},
//    "sstables": [{"path": "ks0/table0-…/nb-1-big-Data.db", "version": "nb",
//                  "keys": 1234, "fp_chance": 0.01, "fault": "none"}, …],
//    "copies": [{"path": "ks0/table0-…/backups/nb-1-big-Data.db",
//                "of": "ks0/table0-…/nb-1-big-Data.db"}, …]}
//
// Paths are relative to `folder`, which must be empty or must not exist. With
// the fault "other_form", there is also "written_form". Throws on errors.
std::string WriteDirectory(const std::string& folder,
                           const DirectoryOptions& options, size_t threads);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_DATA_DIRECTORY_WRITE_DIRECTORY_H_
