// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/block_writer.h"

#include "plugin/filter/block_layout.h"
#include "plugin/filter/invariant_remainder.h"
#include "plugin/filter/kernels/dispatch.h"

namespace cassandra_bloom {

void BuildBlock(const HashList& hashes, int num_probes, uint32_t num_words,
                char* out) {
  WriteFilterDbHeader(num_probes, num_words, out);
  const InvariantRemainder capacity_bits(uint64_t{64} * num_words);
  hashes.ForEachRun([&](const Hash128* run, size_t count) {
    ActiveKernel().set_bits(run, count, num_probes, capacity_bits,
                            out + kFilterDbHeaderSize);
  });
}

}  // namespace cassandra_bloom
