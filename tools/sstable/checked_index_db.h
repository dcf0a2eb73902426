// SPDX-License-Identifier: Apache-2.0

// The partition keys of an SSTable with an Index.db. An Index.db has no
// checksum, so it is compared with the other components.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_CHECKED_INDEX_DB_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_CHECKED_INDEX_DB_H_

#include <memory>
#include <string>
#include <string_view>

#include "cassandra_bloom/key_reader.h"

namespace cassandra_bloom::tools {

enum class KeyChecks {
  // Checks that cost little: the order of the keys (KeyOrder), the positions of
  // the partitions against the size of Data.db, all keys of Summary.db with
  // their places in Index.db, and the number of partitions in Statistics.db.
  // Data.db is not read. If Summary.db or Statistics.db cannot be read, the
  // checks that need it are left out.
  kCheap,
  // Also compares each key with the one in Data.db at its position, and fails
  // if nothing shows that Index.db has the key of every partition. A filter
  // that is made of these keys has all keys of Data.db.
  kEveryKey,
};

// The end of an error that a comparison of two files of an SSTable has found.
inline constexpr char kDamagedSstable[] =
    "; one of the files is damaged or of another SSTable: let the database "
    "rewrite the SSTable (nodetool scrub)";

// If a check fails, Next fails, with an error that says what to do.
//
// `start`: the path of the Index.db without "Index.db". Data.db must be beside
// it and, if Data.db is compressed, CompressionInfo.db. `version`: a version of
// SSTables with an Index.db, not the form of a filter.
std::unique_ptr<KeyReader> OpenCheckedIndexDb(const std::string& start,
                                              std::string_view version,
                                              KeyChecks checks,
                                              std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_CHECKED_INDEX_DB_H_
