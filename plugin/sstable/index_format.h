// SPDX-License-Identifier: Apache-2.0

// How the Index.db of an SSTable version is laid out.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_INDEX_FORMAT_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_INDEX_FORMAT_H_

#include <string>
#include <string_view>

namespace cassandra_bloom {

// How the numbers after each key are written. Cassandra's RowIndexEntry wrote
// fixed widths until 3.0, when SSTables came to "store rows natively"
// (BigFormat).
enum class IndexFormat {
  kFixedWidth,  // before `ma`
  kVInt,        // `ma` and later
};

// `version`: as for FormOfSstableVersion. Fails if it is not known, or if its
// SSTables have no Index.db.
bool IndexFormatOf(std::string_view version, IndexFormat* format,
                   std::string* error);

// The error for SSTables whose index is a trie.
std::string NoIndexDbError(std::string_view version);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_INDEX_FORMAT_H_
