// SPDX-License-Identifier: Apache-2.0

// What the LOG of a database says of the filters in the running program. The
// formats are those of RocksDB 7 to 11.
//
// Tested in tests/sst_filters/doctor/running_program_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_ROCKSDB_LOG_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_ROCKSDB_LOG_H_

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>

namespace cassandra_bloom::tools {

// The block cache of a column family. Several may share one.
struct LoggedCache {
  uint64_t capacity = 0;
  int num_shard_bits = 0;
  bool is_strict = false;  // strict_capacity_limit

  // RocksDB counts what is in the cache every 180 seconds at most
  // (InternalStats). Not set if it was never counted.
  std::string counted_at;  // When it was logged.
  std::optional<uint64_t> filter_bytes;

  // RocksDB charges a little more than the size of a block.
  bool HasRoomFor(uint64_t block_bytes) const {
    return !is_strict || block_bytes + 512 <= capacity >> num_shard_bits;
  }
};

// RocksDB's tickers. They count the look-ups in all column families since the
// database was opened, and are in LOG only if the program sets
// DBOptions::statistics.
struct LoggedTickers {
  std::string time;  // As in LOG.

  uint64_t useful = 0;         // Get and MultiGet: filters that deny the key,
  uint64_t positive = 0;       // that let it pass,
  uint64_t true_positive = 0;  // and whose file then had it.
  uint64_t prefixes_checked = 0;
  uint64_t prefixes_denied = 0;
  uint64_t reached_files = 0;  // Look-ups that found nothing in the memtables.
  uint64_t found_in_files = 0;

  // These are not set if nothing was counted.
  std::optional<double> AbsentShare() const;  // Of those that reached files.
  std::optional<double> Rate() const;  // The share of absent keys that pass.
};

struct RocksdbLog {
  std::string file;             // Empty if there is none.
  bool has_statistics = false;  // There are tickers, perhaps all 0.
  // The last ones that are not all 0.
  std::optional<LoggedTickers> tickers;
  // By column family. As the options say when the database was opened.
  std::map<std::string, LoggedCache> caches;
};

// Reads LOG, and files of before it while there are no tickers. They are in
// `log_dir` (DBOptions::db_log_dir) if that is not empty.
RocksdbLog ReadRocksdbLog(const std::string& db_dir,
                          const std::string& log_dir);

// Reads one file. What the file does not have stays as it is in `*log`, and so
// do caches that are there already.
void ReadRocksdbLog(std::istream* file, RocksdbLog* log);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_ROCKSDB_LOG_H_
