// SPDX-License-Identifier: Apache-2.0

// Takes the address of RocksDB's version function. In a program that is not
// position-independent, this is the address of an entry that the linker makes
// in the program.

#include <string>

namespace rocksdb {
std::string GetRocksVersionAsString(bool with_patch);
}  // namespace rocksdb

static std::string (*volatile version_function)(bool);

__attribute__((constructor)) static void TakeAddress() {
  version_function = &rocksdb::GetRocksVersionAsString;
}
