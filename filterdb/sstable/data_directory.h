// SPDX-License-Identifier: Apache-2.0

// Recognises the folders of a data directory of Cassandra or ScyllaDB. These
// are DATA/KEYSPACE/TABLE, TABLE/snapshots and TABLE/backups.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DIRECTORY_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DIRECTORY_H_

#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::tools {

// Returns true for TABLE-ID, where ID has 32 hexadecimal digits. Cassandra has
// named the folders of tables like this since 2.1 (Directories.java).
bool IsTableFolderName(std::string_view name);

bool IsLink(const std::string& path);

// Returns the absolute path without links. On an error, returns `path` itself.
std::string RealPath(const std::string& path);

// Returns true for /proc, /sys and the folders in them.
bool IsOfKernel(const std::string& folder);

// Returns each name "snapshots" or "backups" that directly follows the folder
// of a table in the absolute path `folder`.
std::vector<std::string> CopiesOfTableIn(const std::string& folder);

// Returns whether `folder` is one level below `parent`: a table below a
// keyspace, or a keyspace below a data directory. If the level of `parent` is
// unknown, `folder` may be on any level. Both are absolute paths without links.
bool IsOneLevelBelow(const std::string& folder, const std::string& parent);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_DATA_DIRECTORY_H_
