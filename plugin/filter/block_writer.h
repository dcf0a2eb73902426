// SPDX-License-Identifier: Apache-2.0

// Tested in tests/filter/filter_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_WRITER_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_WRITER_H_

#include <cstdint>

#include "plugin/filter/hash_list.h"

namespace cassandra_bloom {

// Writes a Filter.db with exactly these hashes to `out`. `out` must have
// FilterDbSize(num_words) bytes, which must all be zero.
void BuildBlock(const HashList& hashes, int num_probes, uint32_t num_words,
                char* out);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_WRITER_H_
