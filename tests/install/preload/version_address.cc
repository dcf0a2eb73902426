// SPDX-License-Identifier: Apache-2.0

// Takes the address of RocksDB's version function. If the program is not
// position-independent, the linker makes an entry for the function in the
// program, and the address is that of the entry.

#include <string>

namespace rocksdb {
std::string GetRocksVersionAsString(bool with_patch);
}  // namespace rocksdb

static std::string (*volatile version_function)(bool);

__attribute__((constructor)) static void TakeAddress() {
  version_function = &rocksdb::GetRocksVersionAsString;
}
