// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_DB_FILTER_DB_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_DB_FILTER_DB_FILE_H_

#include <cstdint>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom {

// Returns a function that writes a Filter.db. `bits` must stay valid as long as
// that function is used.
WriteContent FilterDbContent(FilterForm form, int num_probes,
                             uint32_t num_words, const char* bits);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_DB_FILTER_DB_FILE_H_
