// SPDX-License-Identifier: Apache-2.0

// What else is known about SSTable versions, for use inside this project. The
// public functions are in include/cassandra_bloom/filter_db.h.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_SSTABLE_VERSION_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_SSTABLE_VERSION_H_

#include <string>
#include <string_view>

namespace cassandra_bloom {

// The third part of the names of an SSTable's components: "bti" for SSTables of
// Cassandra with a trie index, such as da-1-bti-Filter.db (BtiFormat.NAME),
// otherwise "big". ScyllaDB writes "big" also in the names of its SSTables with
// a trie index (`ms` and later).
std::string_view FormatOfSstableVersion(std::string_view version);

// True for the versions of Cassandra before 1.2, such as "hc".
bool IsVersionBeforeIa(std::string_view version);

// True for the name of a Filter.db of Cassandra before 1.2, such as
// "ks-cf-hc-1-Filter.db"; then *version is "hc". These filters hash keys with
// Murmur2 or SHA, so no FilterForm reads them.
bool IsFilterBeforeIa(std::string_view path, std::string* version);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_SSTABLE_VERSION_H_
