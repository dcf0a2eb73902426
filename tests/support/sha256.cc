#include "tests/support/sha256.h"

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

std::string Sha256(const std::string& bytes) {
  const TempDir dir;
  WriteFile(dir / "bytes", bytes);
  return RunProcess({"sha256sum", dir / "bytes"}).out.substr(0, 64);
}

}  // namespace cassandra_bloom::testing
