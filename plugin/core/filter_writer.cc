#include "plugin/core/filter_writer.h"

#include "plugin/core/filter_db.h"
#include "plugin/core/probes.h"

namespace cassandra_bloom {

// The remainder is a copy: a reference might alias the bits, and be read anew
// for every one of them.
void SetBits(const Hash128* hashes, size_t count, int num_probes,
             const InvariantRemainder capacity_bits, char* bits) {
  for (size_t i = 0; i < count; ++i) {
    ProbeSequence probes(hashes[i], capacity_bits);
    for (int probe = 0; probe < num_probes; ++probe) {
      const uint64_t position = probes.Next();
      bits[position >> 3] =
          static_cast<char>(bits[position >> 3] | (1 << (position & 7)));
    }
  }
}

void WriteFilterDb(const HashList& hashes, int num_probes, uint32_t num_words,
                   char* out) {
  WriteFilterDbHeader(num_probes, num_words, out);
  const InvariantRemainder capacity_bits(uint64_t{64} * num_words);
  hashes.ForEachRun([&](const Hash128* run, size_t count) {
    SetBits(run, count, num_probes, capacity_bits, out + kFilterDbHeaderSize);
  });
}

}  // namespace cassandra_bloom
