// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_DB_FILTER_DB_FILE_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_DB_FILTER_DB_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom {

// Opens a filter as a node does: it reads as many words as the header says, and
// ignores what follows (OffHeapBitSet.deserialize). If the header was damaged,
// such a filter may deny its keys, so FilterDbFile::Open refuses it.
std::unique_ptr<FilterDbFile> OpenLikeNode(const std::string& path,
                                           FilterForm form, std::string* error);

// Returns a function that writes a Filter.db. `bits` must stay valid as long as
// that function is used.
WriteContent FilterDbContent(FilterForm form, int num_probes,
                             uint32_t num_words, const char* bits);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_DB_FILTER_DB_FILE_H_
