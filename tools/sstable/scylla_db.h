// SPDX-License-Identifier: Apache-2.0

// What ScyllaDB's own component, Scylla.db, says about the filter.

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

// `content`: of a Scylla.db (struct scylla_metadata in ScyllaDB's
// sstables/types.hh): the number of parts (uint32), then for each its tag
// (uint32), its size (uint32) and its bytes, big-endian.
ComponentDigests DigestsIn(std::string_view content);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_SCYLLA_DB_H_
