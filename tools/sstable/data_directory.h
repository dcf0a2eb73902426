// SPDX-License-Identifier: Apache-2.0

// The folders of a data directory of Cassandra or ScyllaDB:
// DATA/KEYSPACE/TABLE, and the copies in TABLE/snapshots and TABLE/backups.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DIRECTORY_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DIRECTORY_H_

#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::tools {

// True for TABLE-ID, where the ID has 32 hexadecimal digits, as Cassandra names
// the folder of a table since 2.1 (Directories.java). Before 2.1, the folder
// has the name of the table alone.
bool IsTableFolderName(std::string_view name);

bool IsLink(const std::string& path);

// The absolute path of `path`, without links; `path` itself on an error.
std::string RealPath(const std::string& path);

// True for /proc, /sys and the folders in them. What they list is not on a
// disk, and their links lead to any place of the system.
bool IsOfKernel(const std::string& folder);

// Returns each of the names "snapshots" and "backups" that stands directly
// after the folder of a table in the absolute path `folder`.
std::vector<std::string> CopiesOfTableIn(const std::string& folder);

// Whether `folder` is a table and `parent` a keyspace, or `folder` a keyspace
// and `parent` a data directory. If the content of `parent` does not show what
// `parent` is, `folder` may be a table, a keyspace or a data directory. False
// if `folder` contains `parent`. Both are absolute paths without links.
bool IsOneLevelBelow(const std::string& folder, const std::string& parent);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DIRECTORY_H_
