// SPDX-License-Identifier: Apache-2.0

// What Scylla.db, a component that only ScyllaDB writes, says about the filter.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_SCYLLA_DB_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_SCYLLA_DB_H_

#include <string_view>

namespace cassandra_bloom::tools {

enum class ComponentDigests {
  kNone,
  // ScyllaDB compares the CRC32 of each component with the one in Scylla.db,
  // and refuses the SSTable if one differs.
  kKept,
  kUnknown,  // The content is damaged, or of a later version.
};

// `content`: that of a Scylla.db, which has the number of its parts (uint32)
// and, for each part, a tag (uint32), a size in bytes (uint32) and the bytes.
// The numbers are big-endian. (struct scylla_metadata in ScyllaDB's
// sstables/types.hh.)
ComponentDigests DigestsIn(std::string_view content);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_SCYLLA_DB_H_
