// From the hashes of the keys to a whole Filter.db.

#ifndef CASSANDRA_BLOOM_PLUGIN_CORE_FILTER_WRITER_H_
#define CASSANDRA_BLOOM_PLUGIN_CORE_FILTER_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "plugin/core/hash_list.h"
#include "plugin/core/invariant_remainder.h"
#include "plugin/core/murmur3.h"

namespace cassandra_bloom {

// Sets the bits of these keys in a filter of capacity_bits.divisor() bits. Keys
// in hundreds are faster than one by one if the filter is large.
void SetBits(const Hash128* hashes, size_t count, int num_probes,
             InvariantRemainder capacity_bits, char* bits);

// Writes the filter of exactly these hashes to `out`, which is
// FilterDbSize(num_words) bytes, all zero.
void WriteFilterDb(const HashList& hashes, int num_probes, uint32_t num_words,
                   char* out);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_CORE_FILTER_WRITER_H_
