// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/running_rocksdb.h"

#include <rocksdb/version.h>

#include <cstdio>

namespace cassandra_bloom {
namespace {

bool Check() {
  const std::string fault = RunningRocksdbFault();
  if (!fault.empty()) {
    std::fprintf(stderr, "cassandra_bloom: no filter policy: %s\n",
                 fault.c_str());
  }
  return fault.empty();
}

}  // namespace

std::string RunningRocksdbFault() {
  const std::string ours =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  const std::string running =
      ROCKSDB_NAMESPACE::GetRocksVersionAsString(/*with_patch=*/false);
  return running == ours
             ? ""
             : "built for RocksDB " + ours + ", not for the " + running +
                   " of this process; build cassandra_bloom for RocksDB " +
                   running;
}

bool RocksdbReleaseMatches() {
  static const bool is_ours = Check();
  return is_ours;
}

}  // namespace cassandra_bloom
