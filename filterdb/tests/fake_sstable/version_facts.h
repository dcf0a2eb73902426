// SPDX-License-Identifier: Apache-2.0

// Differences between the files of SSTable versions.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_VERSION_FACTS_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_VERSION_FACTS_H_

#include <string>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom::testing {

// The checksum in the 4 bytes after each chunk of a compressed Data.db.
enum class ChunkChecksum {
  kCrcOfUncompressed,  // ia to ja
  kAdlerOfStored,      // jb to lb
  kCrcOfStored,        // ma and later
};

enum class StatisticsLayout {
  kNoChance,        // ia to ic
  kNoTable,         // ja, jb
  kTable,           // ka to me, ms, mt
  kTableAndChecks,  // na and later
};

enum class DigestKind { kNone, kAdler32, kCrc32 };

struct VersionFacts {
  FilterForm form;
  bool keyspace_in_names;    // ks-table-ic-1-Data.db
  const char* format_name;   // "big" or "bti", in names without a keyspace
  bool has_trie;             // Has Partitions.db and Rows.db, not Index.db
  bool has_vints;            // Index.db has vints
  bool has_short_deletion;   // "Not deleted" takes one byte
  bool has_max_chunk_bytes;  // CompressionInfo.db has max_compressed_length
  ChunkChecksum chunk_checksum;
  StatisticsLayout statistics;
  DigestKind digest;
};

// Throws std::invalid_argument if the version is not known.
VersionFacts FactsOfVersion(const std::string& version);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_FAKE_SSTABLE_VERSION_FACTS_H_
