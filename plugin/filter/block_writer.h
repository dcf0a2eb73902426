// SPDX-License-Identifier: Apache-2.0

// Builds a whole Filter.db from the hashes of the keys.
//
// Tested in tests/filter/filter_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_WRITER_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_WRITER_H_

#include <cstdint>

#include "plugin/filter/hash_list.h"

namespace cassandra_bloom {

// Writes the filter that contains exactly these hashes to `out`, which must
// have FilterDbSize(num_words) bytes, all zero.
void BuildBlock(const HashList& hashes, int num_probes, uint32_t num_words,
                char* out);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_BLOCK_WRITER_H_
