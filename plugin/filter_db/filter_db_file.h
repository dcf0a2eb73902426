// SPDX-License-Identifier: Apache-2.0

// The content of Filter.db files, for use inside this library. The public
// functions are in include/cassandra_bloom/filter_db.h.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_DB_FILTER_DB_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_DB_FILTER_DB_FILE_H_

#include <cstdint>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "plugin/io/output_file.h"

namespace cassandra_bloom {

// Returns a function that writes the bytes of a Filter.db. `bits` must stay
// valid as long as the function is used.
WriteContent FilterDbContent(FilterForm form, int num_probes,
                             uint32_t num_words, const char* bits);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_DB_FILTER_DB_FILE_H_
