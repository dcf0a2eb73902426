// SPDX-License-Identifier: Apache-2.0

// A stub of RocksDB with only the version function. The loader calls no other
// function of RocksDB.

#include <string>

namespace rocksdb {

__attribute__((visibility("default"))) std::string GetRocksVersionAsString(
    bool with_patch);

std::string GetRocksVersionAsString(bool with_patch) {
  return std::string(STUB_RELEASE) + (with_patch ? ".9" : "");
}

}  // namespace rocksdb
