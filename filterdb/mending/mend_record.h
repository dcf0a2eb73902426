// SPDX-License-Identifier: Apache-2.0

// The record that `filterdb mend` writes beside the backup of an old filter. An
// undo puts the backup back only if the files agree with the record.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_RECORD_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filterdb/sstable/bytes/file_sum.h"

namespace cassandra_bloom::tools {

// The name of a record is the name of the backup with this suffix.
constexpr char kRecordSuffix[] = ".record";

// In bytes. A real record is far smaller.
constexpr uint64_t kMaxRecordSize = uint64_t{64} << 10;

// A record is written before the filter is replaced. So `new_filters` may have
// a filter that a killed run did not put in place.
struct MendRecord {
  // The size and CRC-32 of Index.db or Partitions.db. They show whether the
  // record is of this SSTable, and not of an earlier SSTable of the same name.
  FileSum index;
  FileSum old_filter;                // The filter in the backup.
  std::vector<FileSum> new_filters;  // One of them may be in place.
  // The digest of Filter.db in Scylla.db before mending, if there was one.
  std::optional<uint32_t> old_digest;
};

// The text of a record:
//
//   filterdb mend 2
//   index 52000 0123abcd
//   Filter.db old 1256 0123abcd
//   Filter.db new 1256 0123abcd
//   end
//
// The first line ends with the version of the format. After "index", "old" and
// "new" come the size in bytes and the CRC-32 of a file.
//
// If the record has an old digest, the version is 3, so that an older filterdb
// refuses the record. The record then has this line before "end":
//
//   Scylla.db digest 0123abcd
std::string FormatMendRecord(const MendRecord& record);

// Returns false, and sets `*error`, if `text` is not a complete record.
bool ParseMendRecord(std::string_view text, MendRecord* record,
                     std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_RECORD_H_
