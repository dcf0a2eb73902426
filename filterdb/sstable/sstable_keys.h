// SPDX-License-Identifier: Apache-2.0

// Reads the partition keys of an SSTable from its index.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_KEYS_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_KEYS_H_

#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/checked_index_db.h"
#include "filterdb/sstable/key_reader.h"
#include "filterdb/sstable/partitions_db_reader.h"

namespace cassandra_bloom::tools {

bool IsPartitionsDb(std::string_view path);

// Returns whether `path` is an Index.db of an SSTable with a Data.db beside it.
bool IsIndexDbBesideData(const std::string& path);

// Opens the index of an SSTable. The reader returns the keys in the order of
// the SSTable. Returns nullptr if a file cannot be opened.
//
// `index_path` is one of:
// - A path that ends in "Partitions.db". Data.db, Rows.db and
// CompressionInfo.db, if there is one, must be beside Partitions.db.
// - A path for which IsIndexDbBesideData is true. OpenCheckedIndexDb opens it.
// - Any other path. OpenIndexDb opens it, and `checks` has no effect.
//
// `version` is an SSTable version, or the name of a FilterForm. With the name
// of a FilterForm, OpenIndexDb opens every Index.db, and `checks` has no effect
// on it. For a Partitions.db, "na-and-later" means version "da". "ma-to-me"
// means version "ms" or "mt".
//
// Takes less than 1 MiB of memory. The deepest possible trie takes up to 6 MiB
// more. A compressed Data.db also takes the memory for two chunks, and for
// ScyllaDB's dictionary.
std::unique_ptr<KeyReader> OpenSstableKeys(const std::string& index_path,
                                           std::string_view version,
                                           KeyChecks checks,
                                           std::string* error);

// Returns `reader` as a PartitionsDbReader, or nullptr if it reads no trie
// index.
const PartitionsDbReader* AsPartitionsDbReader(const KeyReader* reader);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_SSTABLE_KEYS_H_
