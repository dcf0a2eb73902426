// SPDX-License-Identifier: Apache-2.0

// How the files of a database that belongs to another program are read.
//
// Tested in tests/sst_filters/export_command_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_READ_ONLY_ENV_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_READ_ONLY_ENV_H_

#include <rocksdb/env.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::tools {

// Returns the number in a path like "db/000123.sst". Returns nullopt for other
// paths.
std::optional<uint64_t> NumberOfSst(std::string_view path);

// Looks for the SST file at `path`, then for its name in `folders`, because no
// file of a database names its db_paths and cf_paths. Returns the first file of
// this size (if given), otherwise one of another size, otherwise `path`.
std::string FindSst(const std::string& path,
                    const std::vector<std::string>& folders,
                    std::optional<uint64_t> size = std::nullopt);

// Returns an Env that only reads local files. Creating, changing or removing a
// file fails, because even a read-only open may remove *.trash files (RocksDB
// 7.8). Hides write-ahead logs, so that an open does not load them. Looks for
// SST files in `folders`, too.
std::unique_ptr<ROCKSDB_NAMESPACE::Env> NewReadOnlyEnv(
    std::vector<std::string> folders);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_READ_ONLY_ENV_H_
