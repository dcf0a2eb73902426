// SPDX-License-Identifier: Apache-2.0

// What differs from one version of SSTables to another, in one table. The
// public functions about versions are in include/cassandra_bloom/filter_db.h.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_DB_SSTABLE_VERSION_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_DB_SSTABLE_VERSION_H_

#include <string>
#include <string_view>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom {

enum class IndexKind {
  kFixedWidth,  // Index.db with numbers of fixed widths.
  kVInt,        // Index.db with vints.
  kTrie,        // Partitions.db and Rows.db.
  kVIntOrTrie,  // Of a form that has versions of both kinds.
};

enum class StatisticsLayout {
  kHistograms,
  kHistogramsAndChance,  // Also bloom_filter_fp_chance.
  kTable,                // Of components; VALIDATION has the chance.
  kTableWithChecksums,
};

enum class SummaryLayout {
  kPlain,  // Positions and keys.
  kOffsets,
  kOffsetsAndSampling,
};

// What the 4 bytes after each chunk of a compressed Data.db are.
enum class ChunkChecksum { kCrcOfUncompressed, kAdlerOfStored, kCrcOfStored };

struct SstableVersion {
  std::string_view name;
  FilterForm form;
  // The third part of the names of an SSTable's components: "bti" for SSTables
  // of Cassandra with a trie index, such as da-1-bti-Filter.db
  // (BtiFormat.NAME), otherwise "big". ScyllaDB writes "big" also in the names
  // of its SSTables with a trie index (`ms` and later).
  std::string_view format;
  IndexKind index;
  StatisticsLayout statistics;
  SummaryLayout summary;
  ChunkChecksum checksum;
  // Whether CompressionInfo.db has the longest compressed length.
  bool has_max_compressed_length;
};

// `name`: a version or the name of a form, which stands for the latest version
// of that form. Returns nullptr if it is not known; sets `*error` as
// FormOfSstableVersion does.
const SstableVersion* FindSstableVersion(std::string_view name);
const SstableVersion* FindSstableVersion(std::string_view name,
                                         std::string* error);

// True for a version, not a form, whose SSTables have Partitions.db and Rows.db
// instead of Index.db.
bool HasTrieIndex(std::string_view version);

// True for the name of a form, such as "na-and-later".
bool IsFormName(std::string_view name);

// SstableVersion::format, or "big" if the version is not known.
std::string_view FormatOfSstableVersion(std::string_view version);

// True for the versions of Cassandra before 1.2, such as "hc".
bool IsVersionBeforeIa(std::string_view version);

// True for the name of a Filter.db of Cassandra before 1.2, such as
// "ks-cf-hc-1-Filter.db"; `*version` is then the version in it ("hc"). These
// filters hash keys with Murmur2 or SHA, so no FilterForm reads them.
bool IsFilterBeforeIa(std::string_view path, std::string* version);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_DB_SSTABLE_VERSION_H_
