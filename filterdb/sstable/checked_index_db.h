// SPDX-License-Identifier: Apache-2.0

// Reads the partition keys of an SSTable from its Index.db. Index.db has no
// checksum, so it is compared with the other files of the SSTable.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_CHECKED_INDEX_DB_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_CHECKED_INDEX_DB_H_

#include <memory>
#include <string>
#include <string_view>

#include "filterdb/sstable/key_reader.h"

namespace cassandra_bloom::tools {

enum class KeyChecks {
  // Checks the order of the keys. Checks that the key of each partition lies
  // within Data.db, but does not read Data.db. Compares Index.db with
  // Summary.db and Statistics.db, if they can be read.
  kCheap,
  // Checks what kCheap checks, and also compares each key with Data.db. Fails
  // if Index.db may lack a key. So the reader returns all keys of Data.db, or
  // an error.
  kEveryKey,
};

// The end of an error that a comparison of two files of an SSTable has found.
inline constexpr char kDamagedSstable[] =
    "; one of the files is damaged or of another SSTable: let the database "
    "rewrite the SSTable (nodetool scrub)";

// Opens the Index.db of an SSTable. If a check fails, Next returns false.
// `start` is the path of Index.db without "Index.db". The other files of the
// SSTable must be beside Index.db. `version` is an SSTable version, and not the
// name of a FilterForm.
std::unique_ptr<KeyReader> OpenCheckedIndexDb(const std::string& start,
                                              std::string_view version,
                                              KeyChecks checks,
                                              std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_CHECKED_INDEX_DB_H_
