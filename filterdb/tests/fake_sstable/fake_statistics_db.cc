// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/fake_statistics_db.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "filterdb/tests/fake_sstable/checksums.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {
namespace {

constexpr char kPartitioner[] = "org.apache.cassandra.dht.Murmur3Partitioner";

std::string Double(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return BigEndian(bits, 8);
}

// Half of the sizes are in the second bucket, and the other half in the last.
std::string Histogram(uint64_t buckets, uint64_t num_sizes) {
  std::string histogram = BigEndian(buckets, 4);
  for (uint64_t i = 0; i < buckets; ++i) {
    const uint64_t in_it = i == 1             ? num_sizes / 2
                           : i == buckets - 1 ? num_sizes - num_sizes / 2
                                              : 0;
    histogram += BigEndian(i + 1, 8) + BigEndian(in_it, 8);
  }
  return histogram;
}

// Returns a Statistics.db of a version before `ka`, which has no table of
// contents.
std::string WithoutTable(StatisticsLayout layout, double fp_chance,
                         uint64_t num_partitions) {
  const std::string chance =
      BigEndian(INT32_MAX, 4) + Double(fp_chance);  // After a deletion time
  return Histogram(151, num_partitions) +           // Sizes of partitions
         Histogram(115, 7) +                        // Columns of partitions
         BigEndian(UINT64_MAX, 8) +                 // Replay position: segment
         BigEndian(0, 4) +                          // Replay position: offset
         (layout == StatisticsLayout::kNoLowestTime ? "" : BigEndian(0, 8)) +
         BigEndian(1, 8) +  // Highest timestamp
         (layout == StatisticsLayout::kNoTable ? chance : "") +
         Double(-1.0) +  // Compression ratio: not compressed
         WithLength(kPartitioner) + BigEndian(0, 4) +  // Ancestors
         BigEndian(100, 4) +  // Tombstones: largest number of buckets
         BigEndian(0, 4);     // Tombstones: number of buckets
}

// The parts are VALIDATION, COMPACTION, STATS and HEADER. COMPACTION, HEADER
// and the end of STATS are filler.
std::string WithTable(bool has_checks, double fp_chance,
                      uint64_t num_partitions) {
  const std::vector<std::string> parts = {
      WithLength(kPartitioner) + Double(fp_chance), std::string(44, 'c'),
      Histogram(151, num_partitions) + std::string(300, 's'),
      std::string(60, 'h')};
  const std::string number = BigEndian(parts.size(), 4);
  const size_t offset = 4 + 8 * parts.size() + (has_checks ? 8 : 0);
  std::string table;
  std::string content;
  for (size_t type = 0; type < parts.size(); ++type) {
    table += BigEndian(type, 4) + BigEndian(offset + content.size(), 4);
    content += has_checks ? WithChecksum(parts[type]) : parts[type];
  }
  // The second checksum covers the number of parts and the table, but not the
  // checksum between them.
  return has_checks ? WithChecksum(number) +
                          WithChecksum(number + table).substr(4) + content
                    : number + table + content;
}

}  // namespace

std::string StatisticsDb(StatisticsLayout layout, double fp_chance,
                         uint64_t num_partitions) {
  return layout >= StatisticsLayout::kTable
             ? WithTable(layout == StatisticsLayout::kTableAndChecks, fp_chance,
                         num_partitions)
             : WithoutTable(layout, fp_chance, num_partitions);
}

}  // namespace cassandra_bloom::testing
