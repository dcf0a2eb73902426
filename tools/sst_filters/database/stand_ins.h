// SPDX-License-Identifier: Apache-2.0

// Stand-ins for the comparators, filter policies and prefix extractors of a
// program, which are not known to this process. They only have the right name.
//
// Tested in tests/sst_filters/doctor/not_asked_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_STAND_INS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_STAND_INS_H_

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>

namespace cassandra_bloom::tools {

// IsInstanceOf(kUnknownHere) is true for all stand-ins.
constexpr char kUnknownHere[] = "cassandra_bloom.UnknownHere";

// Makes RocksDB's loader take what is known here, and else the stand-ins.
rocksdb::ConfigOptions ConfigWithStandIns(rocksdb::Env* env);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_STAND_INS_H_
