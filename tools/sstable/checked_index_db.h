// SPDX-License-Identifier: Apache-2.0

// The partition keys of an SSTable with an Index.db. It has no checksum, so the
// other components are asked whether it is right.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_CHECKED_INDEX_DB_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_CHECKED_INDEX_DB_H_

#include <memory>
#include <string>
#include <string_view>

#include "cassandra_bloom/key_reader.h"

namespace cassandra_bloom::tools {

enum class KeyChecks {
  // What costs little: the order of the keys (KeyOrder), the positions of the
  // partitions against the size of Data.db, all keys of Summary.db with their
  // places in Index.db, and the number of partitions in Statistics.db. Data.db
  // is not read. What another component does not tell is not checked.
  kCheap,
  // Also compares each key with the one in Data.db at its position, and fails
  // if nothing shows that every partition has its key here. A filter that is
  // made of these keys has all keys of Data.db.
  kEveryKey,
};

// What does not agree is an error of Next, which says what to do.
//
// `start`: the paths of the components without "Index.db". Data.db must be
// there, with CompressionInfo.db if it is compressed. `version`: one of an
// SSTable with an Index.db, not the form of a filter.
std::unique_ptr<KeyReader> OpenCheckedIndexDb(const std::string& start,
                                              std::string_view version,
                                              KeyChecks checks,
                                              std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_CHECKED_INDEX_DB_H_
