// SPDX-License-Identifier: Apache-2.0

// The only function of RocksDB that the loader calls.

#include <string>

namespace rocksdb {

__attribute__((visibility("default"))) std::string GetRocksVersionAsString(
    bool with_patch);

std::string GetRocksVersionAsString(bool with_patch) {
  return std::string(STUB_RELEASE) + (with_patch ? ".9" : "");
}

}  // namespace rocksdb
