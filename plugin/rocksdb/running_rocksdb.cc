#include "plugin/rocksdb/running_rocksdb.h"

#include <rocksdb/version.h>

#include <cstdio>
#include <string>

namespace cassandra_bloom {
namespace {

bool Check() {
  const std::string ours =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  const std::string running =
      ROCKSDB_NAMESPACE::GetRocksVersionAsString(/*with_patch=*/false);
  if (running == ours) {
    return true;
  }
  std::fprintf(stderr,
               "cassandra_bloom: built for RocksDB %s, not for the %s of this "
               "process: no filter policy\n",
               ours.c_str(), running.c_str());
  return false;
}

}  // namespace

bool RunningRocksdbIsOurs() {
  static const bool is_ours = Check();
  return is_ours;
}

}  // namespace cassandra_bloom
