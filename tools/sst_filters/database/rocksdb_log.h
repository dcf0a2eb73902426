// SPDX-License-Identifier: Apache-2.0

// What the LOG of a database says of the filters in the running program. The
// formats are those of RocksDB 7 to 11.
//
// Tested in tests/sst_filters/doctor/running_program_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_ROCKSDB_LOG_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_ROCKSDB_LOG_H_

#include <cstdint>
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

struct RocksdbLog {
  std::string file;  // Empty if there is none.
  // The program has set DBOptions::statistics.
  bool has_statistics = false;

  // RocksDB's tickers, the last ones that are not all 0. They count the
  // look-ups in all column families since the database was opened.
  std::map<std::string, uint64_t> tickers;
  std::string time;  // Of the tickers, as in LOG.

  // By column family. As the options say when the database was opened.
  std::map<std::string, LoggedCache> caches;
  // By column family: a LOG file that says that an SST file was written with a
  // filter policy, and the policy. "" if the column family was created later.
  std::map<std::string, std::string> policies;

  // Returns 0 for a ticker that is not there.
  uint64_t Ticker(const std::string& name) const;

  // These are not set if nothing was counted. Of the look-ups that found
  // nothing in the memtables, the share that found nothing in the files:
  std::optional<double> AbsentShare() const;
  // The share of absent keys that pass a filter.
  std::optional<double> Rate() const;
};

// Reads LOG, and files of before it while there are no tickers. With
// `read_all`, reads the policies of all of them. They are in the folder of the
// database or, if that is not empty, in `log_dir` (DBOptions::db_log_dir).
RocksdbLog ReadRocksdbLog(const std::string& db_dir, const std::string& log_dir,
                          bool read_all);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_ROCKSDB_LOG_H_
