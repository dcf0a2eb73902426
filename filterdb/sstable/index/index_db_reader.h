// SPDX-License-Identifier: Apache-2.0

// An Index.db has one entry for each partition, in the order of Data.db:
//
//    +--------+---------+----------+---------------+------- - - - ---------+
//    | length | the key | position | promoted size | promoted index        |
//    +--------+---------+----------+---------------+------- - - - ---------+
//      uint16   `length`  in         of the           `promoted size` bytes,
//      big-     bytes     Data.db    promoted index   none for a small
//      endian                                         partition
//
// Before version `ma`, position is an int64, and promoted size is an int32,
// both big-endian. Since `ma` ("store rows natively" in BigFormat), both are
// unsigned vints. (org.apache.cassandra.db.RowIndexEntry, later
// io.sstable.format.big.RowIndexEntry.)

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_DB_READER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_DB_READER_H_

#include <memory>
#include <string>

#include "filterdb/sstable/index/index_reader.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {

// The end of an error about an Index.db that is read alone.
inline constexpr char kDamagedIndex[] =
    "; the file is damaged or of another SSTable version";

// The reader checks that every part of an entry is complete. If a file was cut
// exactly between two entries, it cannot detect that.
// `kind` is kFixedWidth or kVInt. For kVIntOrTrie, the file is read as kVInt.
std::unique_ptr<IndexReader> OpenIndexDb(const std::string& path,
                                         IndexKind kind, std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_INDEX_INDEX_DB_READER_H_
