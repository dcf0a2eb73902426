// SPDX-License-Identifier: Apache-2.0

// A table of what differs from one SSTable version to another. The public
// functions about versions are in include/cassandra_bloom/filter_db.h.

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
  kVIntOrTrie,  // Only for forms: some versions have kVInt, others kTrie.
};

enum class StatisticsLayout {
  kHistograms,           // The file begins with histograms.
  kHistogramsAndChance,  // It also has bloom_filter_fp_chance.
  kTable,                // It begins with a table of its components.
  kTableWithChecksums,
};

enum class SummaryLayout {
  kPlain,    // Positions and keys.
  kOffsets,  // The offsets of the entries come first.
  kOffsetsAndSampling,
};

// What the 4 bytes after each chunk of a compressed Data.db contain.
enum class ChunkChecksum { kCrcOfUncompressed, kAdlerOfStored, kCrcOfStored };

struct SstableVersion {
  std::string_view name;
  FilterForm form;
  // The third part of the names of an SSTable's components: "bti" for
  // Cassandra's SSTables with a trie index (BtiFormat.NAME), such as
  // da-1-bti-Filter.db, otherwise "big". ScyllaDB's SSTables with a trie index
  // (`ms` and `mt`) also have "big".
  std::string_view format;
  IndexKind index;
  StatisticsLayout statistics;
  SummaryLayout summary;
  ChunkChecksum checksum;
  // Whether CompressionInfo.db has the field maxCompressedLength.
  bool has_max_compressed_length;
};

// `name`: a version or the name of a form. A form's name gives the facts of its
// latest version. Returns nullptr if the name is not known, with an error like
// that of FormOfSstableVersion.
const SstableVersion* FindSstableVersion(std::string_view name);
const SstableVersion* FindSstableVersion(std::string_view name,
                                         std::string* error);

// True for a version whose SSTables have Partitions.db and Rows.db instead of
// Index.db. False for the name of a form.
bool HasTrieIndex(std::string_view version);

// True for the name of a form, such as "na-and-later".
bool IsFormName(std::string_view name);

// SstableVersion::format, or "big" if the version is not known.
std::string_view FormatOfSstableVersion(std::string_view version);

// True for the SSTable versions of Cassandra before 1.2, such as "hc".
bool IsVersionBeforeIa(std::string_view version);

// True for the name of a Filter.db of Cassandra before 1.2, such as
// "ks-cf-hc-1-Filter.db". Sets `*version` to the version in the name ("hc"). No
// FilterForm reads these filters, because they hash keys with Murmur2 or SHA.
bool IsFilterBeforeIa(std::string_view path, std::string* version);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_DB_SSTABLE_VERSION_H_
