// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: whether the bits of the filters could be spent better.
//
// Tested in tests/filterdb/doctor/advice_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_ADVICE_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_ADVICE_H_

#include "tools/filterdb/doctor/diagnose.h"

namespace cassandra_bloom::tools {

// Forecasts `mix` for a column family without a fault, and adds at most one
// advice. `has_exports`: filters of the database are exported as Filter.db,
// which those of RocksDB cannot be, so there is no forecast of `mix`.
void Advise(bool has_exports, FamilyReport* report);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_ADVICE_H_
