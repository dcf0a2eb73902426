// SPDX-License-Identifier: Apache-2.0

// Takes the address of RocksDB's version function. In a program that is not
// position-independent, the linker puts a jump to the function into the
// program. The address is then that of this jump, and not that of the function.

#include <string>

namespace rocksdb {
std::string GetRocksVersionAsString(bool with_patch);
}  // namespace rocksdb

static std::string (*volatile version_function)(bool);

__attribute__((constructor)) static void TakeAddress() {
  version_function = &rocksdb::GetRocksVersionAsString;
}
