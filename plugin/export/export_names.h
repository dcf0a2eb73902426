// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_NAMES_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cassandra_bloom {

// Returns the name of an exported Filter.db. For number 123 it is
// "nb-123-big-Filter.db" or, for some versions, "da-123-bti-Filter.db".
std::string FilterDbName(const std::string& sstable_version, uint64_t number);

// Returns the number in a name that FilterDbName makes for this version.
// Returns nullopt for any other name.
std::optional<uint64_t> NumberOfFilterDb(std::string_view name,
                                         const std::string& sstable_version);

// The listener's name in options strings and in logs. The library compares the
// address of this array to find out whether a listener was made by this copy of
// the library.
inline constexpr char kExportListenerName[] = "cassandra_bloom_export";

struct ExportTarget {
  std::string out_dir;
  std::string sstable_version;
};

// Returns the id of the listener for this target, such as
// "cassandra_bloom_export(nb,/var/lib/filters)". The id contains all settings,
// because OPTIONS files record nothing else of a listener. ParseExportId
// refuses paths with other bytes than letters, digits and "/._-".
std::string ExportId(const ExportTarget& target);

// Parses the first id of this kind in `id`. Does not check the version. RocksDB
// before 11.8 reads several listeners in an OPTIONS file as one, and joins
// their ids by ":".
bool ParseExportId(std::string_view id, ExportTarget* target,
                   std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_NAMES_H_
