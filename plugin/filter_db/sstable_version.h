// SPDX-License-Identifier: Apache-2.0

// A table of the differences between SSTable versions.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_DB_SSTABLE_VERSION_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_DB_SSTABLE_VERSION_H_

#include <string>
#include <string_view>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom {

enum class IndexKind {
  kFixedWidth,  // Index.db with numbers of fixed widths.
  kVInt,        // Index.db with integers of variable length (vints).
  kTrie,        // Partitions.db and Rows.db.
  kVIntOrTrie,  // For a form with versions of kVInt and kTrie.
};

enum class StatisticsLayout {
  kHistograms,           // Statistics.db begins with histograms.
  kHistogramsAndChance,  // kHistograms with bloom_filter_fp_chance.
  kTable,                // Statistics.db begins with a table of its parts.
  kTableWithChecksums,
};

// What the 4 bytes after each chunk of a compressed Data.db contain.
enum class ChunkChecksum { kCrcOfUncompressed, kAdlerOfStored, kCrcOfStored };

struct SstableVersion {
  std::string_view name;
  FilterForm form;
  // The third part of the file names of an SSTable's components. It is "bti"
  // for Cassandra's SSTables with a trie index (BtiFormat.NAME), for example
  // da-1-bti-Filter.db. It is "big" for all others, also for ScyllaDB's
  // versions `ms` and `mt`, which have a trie index.
  std::string_view format;
  IndexKind index;
  StatisticsLayout statistics;
  ChunkChecksum checksum;
  // True if CompressionInfo.db has the field maxCompressedLength.
  bool has_max_compressed_length;
};

// Finds an SSTable version, or the name of a form (FilterForm). If `name` is
// neither, returns nullptr, and sets `*error` if it is not null. The fields for
// a form are those of its latest version, except `format` and `index`. For a
// form, `format` is "big", and `index` may be kVIntOrTrie.
const SstableVersion* FindSstableVersion(std::string_view name,
                                         std::string* error = nullptr);

// Returns true for a version whose SSTables have Partitions.db and Rows.db
// instead of Index.db. Returns false for the name of a form.
bool HasTrieIndex(std::string_view version);

bool IsFormName(std::string_view name);

// Returns SstableVersion::format, or "big" if the version is not known.
std::string_view FormatOfSstableVersion(std::string_view version);

// Returns true for an SSTable version of Cassandra before 1.2, such as "hc", as
// far as it is written into file names.
bool IsVersionBeforeIa(std::string_view version);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_DB_SSTABLE_VERSION_H_
