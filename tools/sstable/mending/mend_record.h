// SPDX-License-Identifier: Apache-2.0

// What mending writes down beside the old filter that it keeps: of which
// SSTable it is, and which filters may stand in its place. Only what agrees
// with such a record is undone.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_RECORD_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_RECORD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sstable/mending/file_sum.h"

namespace cassandra_bloom::tools {

// The name of a record is that of the kept filter with this suffix.
constexpr char kRecordSuffix[] = ".record";

// Far more than any record has.
constexpr uint64_t kMaxRecordSize = uint64_t{64} << 10;

// A record is written before the filter changes, so `new_filters` may have one
// that a killed run did not put in place.
struct MendRecord {
  // The sum of the SSTable's Index.db or Partitions.db, which has all its keys.
  // It tells this SSTable from a later one with the same number.
  FileSum index;
  FileSum old_filter;                // The filter that is kept.
  std::vector<FileSum> new_filters;  // Of which one may stand in its place.
};

// The text of a record:
//
//   filterdb mend 2
//   index 52000 0123abcd
//   Filter.db old 1256 0123abcd
//   Filter.db new 1256 0123abcd
//   end
//
// The first line has the version of the format. The numbers are sizes in bytes
// and checksums.
std::string FormatMendRecord(const MendRecord& record);

// Returns false, with what is wrong, for anything but a whole record of this
// version.
bool ParseMendRecord(std::string_view text, MendRecord* record,
                     std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_RECORD_H_
