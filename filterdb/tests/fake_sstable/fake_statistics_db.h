// SPDX-License-Identifier: Apache-2.0

// Makes a Statistics.db with a partitioner, bloom_filter_fp_chance and the
// number of partitions. All other values are filler.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_STATISTICS_DB_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_STATISTICS_DB_H_

#include <cstdint>
#include <string>

namespace cassandra_bloom::testing {

enum class StatisticsLayout {
  kNoLowestTime,    // ia
  kNoChance,        // ib, ic
  kNoTable,         // ja, jb
  kTable,           // ka to me, ms, mt
  kTableAndChecks,  // na and later
};

std::string StatisticsDb(StatisticsLayout layout, double fp_chance,
                         uint64_t num_partitions);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_FAKE_STATISTICS_DB_H_
