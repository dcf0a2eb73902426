// SPDX-License-Identifier: Apache-2.0

// What the export listener writes to, and how options name it.
// Tested in tests/export/listener_options_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_TARGET_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_TARGET_H_

#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom {

// The listener's name in options strings and in logs. This copy of the library
// recognises its own listeners by the address of this array.
inline constexpr char kExportListenerName[] = "cassandra_bloom_export";

struct ExportTarget {
  std::string out_dir;
  std::string sstable_version;
};

// Encodes `text` so that no byte has a meaning in options strings or OPTIONS
// files: keeps letters, digits and "/._-", and writes any other byte like
// "%3A".
std::string PercentEncoded(std::string_view text);

// The id of a listener with these targets, such as
// "cassandra_bloom_export(nb,/var/lib/filters)", with ":" between several.
// RocksDB may cut an id, for example at a ":" or "#" in a path; then the ")" at
// its end is missing.
//
// All settings are in the id. If a listener has options of its own and is next
// to another one, RocksDB before 11.8 writes this and cannot read it:
//
//   listeners={{id=cassandra_bloom_export;out_dir=/a;sstable_version=nb}:Other}
//
// When RocksDB reads such an OPTIONS file, it takes the outer braces for those
// of one listener (the parser of "listeners" in options/db_options.cc), and the
// rest for that listener's id.
std::string ExportId(const std::vector<ExportTarget>& targets);

// Parses the part of an id that describes one target.
bool ParseExportId(std::string_view id, ExportTarget* target,
                   std::string* error);

// Splits an id that RocksDB may have made from several listeners, at each ":"
// that is not in braces. Removes the braces around a listener.
bool SplitListeners(const std::string& id, std::vector<std::string>* listeners,
                    std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_TARGET_H_
