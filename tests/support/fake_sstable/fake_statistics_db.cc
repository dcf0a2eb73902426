// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/fake_statistics_db.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/fake_sstable/big_endian_out.h"
#include "tests/support/fake_sstable/checksums.h"

namespace cassandra_bloom::testing {
namespace {

constexpr char kPartitioner[] = "org.apache.cassandra.dht.Murmur3Partitioner";

void AppendCrc(std::string_view of, std::string* out) {
  AppendBigEndian(Crc32(of), 4, out);
}

// Half of the sizes are in the second bucket, and the other half in the last.
void AppendHistogram(int32_t buckets, uint64_t num_sizes, std::string* out) {
  AppendInt32(buckets, out);
  for (int32_t i = 0; i < buckets; ++i) {
    AppendInt64(i + 1, out);
    const uint64_t in_it = i == 1             ? num_sizes / 2
                           : i == buckets - 1 ? num_sizes - num_sizes / 2
                                              : 0;
    AppendBigEndian(in_it, 8, out);
  }
}

// Returns a Statistics.db of a version before `ka`, which has no table of
// contents.
std::string WithoutTable(bool has_chance, double fp_chance,
                         uint64_t num_partitions) {
  std::string file;
  AppendHistogram(151, num_partitions, &file);  // Sizes of partitions
  AppendHistogram(115, 7, &file);               // Columns of partitions
  AppendInt64(-1, &file);                       // Replay position: segment
  AppendInt32(0, &file);                        // Replay position: offset
  AppendInt64(0, &file);                        // Lowest timestamp
  AppendInt64(1, &file);                        // Highest timestamp
  if (has_chance) {
    AppendInt32(std::numeric_limits<int32_t>::max(), &file);  // Deletion time
    AppendDouble(fp_chance, &file);
  }
  AppendDouble(-1.0, &file);  // Compression ratio: not compressed
  AppendWithLength(kPartitioner, &file);
  AppendInt32(0, &file);    // Ancestors
  AppendInt32(100, &file);  // Tombstones: largest number of buckets
  AppendInt32(0, &file);    // Tombstones: number of buckets
  return file;
}

// Returns the components VALIDATION, COMPACTION, STATS and HEADER. COMPACTION,
// HEADER and the end of STATS are filler.
std::vector<std::string> Components(double fp_chance, uint64_t num_partitions) {
  std::string validation;
  AppendWithLength(kPartitioner, &validation);
  AppendDouble(fp_chance, &validation);
  std::string stats;
  AppendHistogram(151, num_partitions, &stats);
  stats.append(300, 's');
  return {validation, std::string(44, 'c'), stats, std::string(60, 'h')};
}

std::string WithTable(bool has_checks, double fp_chance,
                      uint64_t num_partitions) {
  const std::vector<std::string> components =
      Components(fp_chance, num_partitions);
  const size_t check_bytes = has_checks ? 4 : 0;
  std::string number;
  AppendInt32(static_cast<int32_t>(components.size()), &number);
  std::string file = number;
  if (has_checks) {
    AppendCrc(number, &file);
  }
  size_t offset = file.size() + 8 * components.size() + check_bytes;
  std::string table;
  for (size_t type = 0; type < components.size(); ++type) {
    AppendBigEndian(type, 4, &table);
    AppendBigEndian(offset, 4, &table);
    offset += components[type].size() + check_bytes;
  }
  file += table;
  if (has_checks) {
    // This checksum covers the number of components and the table, but not the
    // checksum between them.
    AppendCrc(number + table, &file);
  }
  for (const std::string& component : components) {
    file += component;
    if (has_checks) {
      AppendCrc(component, &file);
    }
  }
  return file;
}

}  // namespace

std::string StatisticsDb(StatisticsLayout layout, double fp_chance,
                         uint64_t num_partitions) {
  switch (layout) {
    case StatisticsLayout::kNoChance:
    case StatisticsLayout::kNoTable:
      return WithoutTable(layout == StatisticsLayout::kNoTable, fp_chance,
                          num_partitions);
    case StatisticsLayout::kTable:
    case StatisticsLayout::kTableAndChecks:
      break;
  }
  return WithTable(layout == StatisticsLayout::kTableAndChecks, fp_chance,
                   num_partitions);
}

}  // namespace cassandra_bloom::testing
