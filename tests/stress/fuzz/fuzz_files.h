// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_FILES_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_FILES_H_

#include <string>

#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

// Returns a folder for the files of all inputs, in memory if possible.
inline const TempDir& FuzzFolder() {
  static const TempDir folder(FolderInMemory());
  return folder;
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_FILES_H_
