// SPDX-License-Identifier: Apache-2.0

// The hash of a key, remembered until this thread hashes another key.
//
// One Get asks the filter of each sorted run for the same key. Without this,
// each of them would hash it again.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_LAST_HASH_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_LAST_HASH_H_

#include <cstdint>
#include <cstring>
#include <string_view>

#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

// The bytes that were hashed last, and their hash. Answers depend on the bytes
// alone, never on their address, so it is right for all policies, filters,
// prefixes and extractors together, and after a fork.
struct LastHash {
  // Longer keys are hashed each time.
  static constexpr size_t kMaxSize = 104;

  uint64_t size;
  Hash128 hash;
  char bytes[kMaxSize];
};
static_assert(sizeof(LastHash) == 128);

// All zero is right from the beginning: the empty key hashes to {0, 0}.
//
// `__thread` and the initial-exec model: a library that is loaded at run time
// then reads this variable without a call. It comes from the static TLS that
// glibc reserves for such libraries (about 1,600 bytes for all of them), so it
// stays this small. `thread_local` would check at each use whether a
// constructor must run.
extern __thread LastHash last_hash [[gnu::tls_model("initial-exec")]];

// Not inlined, so that HashOnce saves no registers for them.
Hash128 HashAndRemember16(const char* key);
Hash128 HashOnceOfAnySize(std::string_view key);

// CassandraMurmur3 of the key.
inline Hash128 HashOnce(std::string_view key) {
  if (key.size() != 16) {
    return HashOnceOfAnySize(key);
  }
  const LastHash& last = last_hash;
  if (last.size == 16 && std::memcmp(last.bytes, key.data(), 16) == 0) {
    return last.hash;
  }
  return HashAndRemember16(key.data());
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_LAST_HASH_H_
