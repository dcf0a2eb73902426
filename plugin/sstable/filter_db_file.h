// SPDX-License-Identifier: Apache-2.0

// Filter.db files, for what is inside: include/cassandra_bloom/filter_db.h.

#ifndef CASSANDRA_BLOOM_PLUGIN_SSTABLE_FILTER_DB_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_SSTABLE_FILTER_DB_FILE_H_

#include <cstdint>
#include <string>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom {

// As WriteFilterDbFile, for one of many files in a folder: does not look, for
// each of them, through the whole folder for what killed processes left.
bool WriteOneOfManyFilterDbFiles(const std::string& path, FilterForm form,
                                 int num_probes, uint32_t num_words,
                                 const char* bits, bool overwrite,
                                 std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_SSTABLE_FILTER_DB_FILE_H_
