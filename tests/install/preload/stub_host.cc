// SPDX-License-Identifier: Apache-2.0

// A program with a stub of RocksDB that has only the version function.

#include <cstdio>
#include <string>

namespace rocksdb {
std::string GetRocksVersionAsString(bool with_patch);
}  // namespace rocksdb

int main() {
  std::printf("host of %s\n", rocksdb::GetRocksVersionAsString(true).c_str());
}
