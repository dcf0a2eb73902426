// SPDX-License-Identifier: Apache-2.0

// Takes the address of RocksDB's version function in code, for which the linker
// then makes an entry in a program that is not position-independent.

#include <string>

namespace rocksdb {
std::string GetRocksVersionAsString(bool with_patch);
}  // namespace rocksdb

static std::string (*volatile version_function)(bool);

__attribute__((constructor)) static void TakeAddress() {
  version_function = &rocksdb::GetRocksVersionAsString;
}
