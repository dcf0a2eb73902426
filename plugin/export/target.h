// SPDX-License-Identifier: Apache-2.0

// Tested in tests/export/listener_options_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_TARGET_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_TARGET_H_

#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom {

// The listener's name in options strings and in logs. The library compares the
// address of this array to find out whether a listener was made by this copy of
// the library.
inline constexpr char kExportListenerName[] = "cassandra_bloom_export";

struct ExportTarget {
  std::string out_dir;
  std::string sstable_version;
};

// Encodes each byte except letters, digits and "/._-" as in "%3A". No byte of
// the result has a meaning in options strings.
std::string PercentEncoded(std::string_view text);

// Returns the id of a listener with these targets, such as
// "cassandra_bloom_export(nb,/var/lib/filters)". RocksDB may shorten an id that
// a user has written, for example at a "#" in a path. Then the ")" at the end
// is missing, and ParseExportId refuses the id.
//
// The id contains all settings, because RocksDB before 11.8 has a fault. If one
// of several listeners had options of its own, RocksDB would write the
// following text but could not read it (the parser of "listeners" in
// options/db_options.cc):
//
//   listeners={{id=cassandra_bloom_export;out_dir=/a;sstable_version=nb}:Other}
std::string ExportId(const std::vector<ExportTarget>& targets);

// Parses the part of an id that describes one target.
bool ParseExportId(std::string_view id, ExportTarget* target,
                   std::string* error);

// Splits an id at each ":" that is not in braces, because RocksDB may have
// joined several listeners.
bool SplitListeners(const std::string& id, std::vector<std::string>* listeners,
                    std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_TARGET_H_
