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
// the folder of a table since 2.1 (Directories.java). Before, it was the name
// of the table alone.
bool IsTableFolderName(std::string_view name);

bool IsLink(const std::string& path);

// The absolute path without links; `path` itself if that cannot be found out.
std::string RealPath(const std::string& path);

// True for /proc, /sys and what is in them: these are no files on a disk, and
// their links lead everywhere.
bool IsOfKernel(const std::string& folder);

// Which of the names "snapshots" and "backups" the absolute path `folder` has
// directly after the folder of a table.
std::vector<std::string> CopiesOfTableIn(const std::string& folder);

// Whether `folder` is a table and the folders in `parent` are tables; or a
// keyspace, and they are keyspaces. If what is in `parent` does not tell, a
// data directory will do, too. Both are absolute paths without links.
bool IsOneLevelBelow(const std::string& folder, const std::string& parent);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_DATA_DIRECTORY_H_
