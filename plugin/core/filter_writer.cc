#include "plugin/core/filter_writer.h"

#include "plugin/core/filter_db.h"
#include "plugin/core/invariant_remainder.h"
#include "plugin/core/probes.h"

namespace cassandra_bloom {
namespace {

void SetBits(const Hash128* hashes, size_t count, int num_probes,
             const InvariantRemainder& capacity_bits, char* bits) {
  // The first probe of a key some way ahead is asked for early: in a filter
  // beyond the cache its misses would otherwise come one after the other.
  constexpr size_t kAhead = 8;
  for (size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) {
      ProbeSequence ahead(hashes[i + kAhead], capacity_bits);
      __builtin_prefetch(bits + (ahead.Next() >> 3), /*rw=*/1);
    }
    ProbeSequence probes(hashes[i], capacity_bits);
    for (int probe = 0; probe < num_probes; ++probe) {
      const uint64_t position = probes.Next();
      bits[position >> 3] |= static_cast<char>(1 << (position & 7));
    }
  }
}

}  // namespace

void WriteFilterDb(const HashList& hashes, int num_probes, uint32_t num_words,
                   char* out) {
  WriteFilterDbHeader(num_probes, num_words, out);
  const InvariantRemainder capacity_bits(uint64_t{64} * num_words);
  hashes.ForEachRun([&](const Hash128* run, size_t count) {
    SetBits(run, count, num_probes, capacity_bits, out + kFilterDbHeaderSize);
  });
}

}  // namespace cassandra_bloom
