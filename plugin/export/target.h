// SPDX-License-Identifier: Apache-2.0

// What the export listener writes to, and how options name it.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_TARGET_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_TARGET_H_

#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom {

// The listener's name in options strings and in logs. One address: by it a
// listener of this very code is known.
inline constexpr char kExportListenerName[] = "cassandra_bloom_export";

struct ExportTarget {
  std::string out_dir;
  std::string sstable_version;
};

// Letters, digits and "/._-" as they are, and "%3A" for any other byte: without
// the bytes that have a meaning in options strings or OPTIONS files.
std::string PercentEncoded(std::string_view text);

// The listener's id: "cassandra_bloom_export(nb,/var/lib/filters)", with ":"
// between several. What is cut, as by ":" or "#" in a path, lacks the end.
//
// Everything is in the id, as RocksDB before 11.8 does not read again what it
// writes for a listener with options of its own beside another one:
//
//   listeners={{id=cassandra_bloom_export;out_dir=/a;sstable_version=nb}:Other}
//
// In an OPTIONS file it takes the outer braces for those of one listener (the
// parser of "listeners" in options/db_options.cc), whose id is then the rest.
std::string ExportId(const std::vector<ExportTarget>& targets);

// One of those in an id, without ":".
bool ParseExportId(std::string_view id, ExportTarget* target,
                   std::string* error);

// The listeners in an id that RocksDB may have made of several: what is between
// ":" outside of braces, without the braces around it.
bool SplitListeners(const std::string& id, std::vector<std::string>* listeners,
                    std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_TARGET_H_
