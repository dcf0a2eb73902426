// SPDX-License-Identifier: Apache-2.0

// The partition keys of an SSTable of any known version, from its index.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_SSTABLE_KEYS_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_SSTABLE_KEYS_H_

#include <memory>
#include <string>
#include <string_view>

#include "cassandra_bloom/key_reader.h"
#include "tools/sstable/checked_index_db.h"
#include "tools/sstable/partitions_db_reader.h"

namespace cassandra_bloom::tools {

bool IsPartitionsDb(std::string_view path);

// Whether the path is that of an SSTable's Index.db and Data.db is beside it,
// so that the keys of Index.db can be checked.
bool IsIndexDbBesideData(const std::string& path);

// Opens the index of an SSTable. The reader returns the partition keys in the
// order of the SSTable. Returns nullptr, with an error, if a file cannot be
// opened or if what is read at opening is damaged. Next reports other errors.
//
// `index_path` is one of:
// - A path that ends in "Partitions.db", for a version with a trie index.
// Data.db, Rows.db and, if Data.db is compressed, CompressionInfo.db must be
// beside it, with the same prefix. For `checks`, see PartitionsDbReader::Open.
// - A path for which IsIndexDbBesideData is true: opened by OpenCheckedIndexDb
// with `checks`.
// - Any other path: opened by OpenIndexDb of key_reader.h, without `checks`.
//
// `version`: as for OpenIndexDb. For a Partitions.db, the form "na-and-later"
// stands for "da", and "ma-to-me" for "ms" and "mt". If `version` is the form
// of a filter, an Index.db is read without `checks`.
//
// Everything that is read of a trie index is checked. Data.db has checksums
// only if it is compressed; only those of the chunks that hold keys are
// checked. Memory: less than 1 MiB. A trie that is as deep as possible takes up
// to 6 MiB more; a compressed Data.db takes two chunks and ScyllaDB's
// dictionary.
std::unique_ptr<KeyReader> OpenSstableKeys(const std::string& index_path,
                                           std::string_view version,
                                           KeyChecks checks,
                                           std::string* error);

// Returns `reader` if it reads a trie index, else nullptr. A PartitionsDbReader
// also counts wrong hashes.
const PartitionsDbReader* AsPartitionsDbReader(const KeyReader* reader);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_SSTABLE_KEYS_H_
