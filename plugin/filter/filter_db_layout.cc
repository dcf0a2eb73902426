// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter/filter_db_layout.h"

#include "plugin/filter/endian.h"

namespace cassandra_bloom {

bool ParseFilterDb(const char* data, size_t size, ParsedFilter* filter) {
  if (size < kFilterDbHeaderSize) {
    return false;
  }
  const int32_t num_probes = LoadBigEndian32(data);
  const int32_t num_words = LoadBigEndian32(data + 4);
  if (num_probes < 1 || num_probes > kMaxReadableProbes || num_words < 1 ||
      size != FilterDbSize(static_cast<uint32_t>(num_words))) {
    return false;
  }
  *filter = {num_probes, static_cast<uint32_t>(num_words),
             data + kFilterDbHeaderSize};
  return true;
}

uint64_t CountSetBits(const ParsedFilter& filter) {
  uint64_t count = 0;
  for (size_t i = 0; i < filter.num_words; ++i) {
    count += static_cast<uint64_t>(
        __builtin_popcountll(LoadLittleEndian64(filter.bits + 8 * i)));
  }
  return count;
}

void WriteFilterDbHeader(int num_probes, uint32_t num_words, char* out) {
  StoreBigEndian32(num_probes, out);
  StoreBigEndian32(static_cast<int32_t>(num_words), out + 4);
}

}  // namespace cassandra_bloom
