// SPDX-License-Identifier: Apache-2.0

// Takes the address of RocksDB's version function, for which the linker then
// makes an entry in a program that is not position-independent.

#include <string>

namespace rocksdb {
std::string GetRocksVersionAsString(bool with_patch);
}  // namespace rocksdb

extern std::string (*const volatile version_address)(bool);
std::string (*const volatile version_address)(bool) =
    &rocksdb::GetRocksVersionAsString;
