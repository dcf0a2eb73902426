// SPDX-License-Identifier: Apache-2.0

#include "tests/support/sha256.h"

#include <stdexcept>

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

std::string Sha256(const std::string& bytes) {
  const TempDir dir;
  WriteFile(dir / "bytes", bytes);
  const std::string line = RunProcess({"sha256sum", dir / "bytes"}).out;
  if (line.size() < 64) {
    throw std::runtime_error("sha256sum does not work");
  }
  return line.substr(0, 64);
}

}  // namespace cassandra_bloom::testing
