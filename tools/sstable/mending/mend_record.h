// SPDX-License-Identifier: Apache-2.0

// The record that mending writes beside an old filter that it keeps. It says
// which SSTable the filter belongs to, and which filters may stand in the place
// of the old one. Mending is undone only if the files agree with a record.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_RECORD_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sstable/bytes/file_sum.h"

namespace cassandra_bloom::tools {

// The name of a record is that of the kept filter with this suffix.
constexpr char kRecordSuffix[] = ".record";

// In bytes. A record is far smaller.
constexpr uint64_t kMaxRecordSize = uint64_t{64} << 10;

// A record is written before the filter changes. So `new_filters` may have a
// filter that a killed run did not put in place.
struct MendRecord {
  // The sum of the SSTable's Index.db or Partitions.db. It differs between this
  // SSTable and a later one with the same number.
  FileSum index;
  FileSum old_filter;                // The filter that is kept.
  std::vector<FileSum> new_filters;  // One of them may be in place.
  // The digest of Filter.db in Scylla.db before mending, if there was one. (It
  // need not be that of the old filter, which may be damaged.)
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
// The first line ends with the version of the format. The words "index", "old"
// and "new" are each followed by the size in bytes and the checksum of a file.
// With an old digest the version is 3, so that no filterdb which would not put
// the digest back undoes the mending, and the line before "end" is
//
//   Scylla.db digest 0123abcd
std::string FormatMendRecord(const MendRecord& record);

// Returns false, and sets `*error`, if `text` is not a whole record of this
// version.
bool ParseMendRecord(std::string_view text, MendRecord* record,
                     std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_RECORD_H_
