// SPDX-License-Identifier: Apache-2.0

// The hash of a key, remembered until this thread hashes another key.
//
// One Get asks the filter of each sorted run for the same key. Without this,
// each of them would hash it again.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_HASH_CACHE_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_HASH_CACHE_H_

#include <cstdint>
#include <cstring>
#include <string_view>

#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

// What this thread hashed last: the bytes and their hash. A hash depends on the
// bytes alone, never on their address. So one HashCache serves all policies,
// filters, prefixes and extractors, and is right after a fork.
struct HashCache {
  // Longer keys are hashed each time.
  static constexpr size_t kMaxSize = 104;

  uint64_t size;
  Hash128 hash;
  char bytes[kMaxSize];
};
static_assert(sizeof(HashCache) == 128);

// It begins with all bytes zero, which is right: the empty key hashes to {0,
// 0}.
//
// With `__thread` and the initial-exec model, a library that is loaded at run
// time reads this variable without a call. The variable takes its place in the
// static TLS that glibc reserves for such libraries, about 1,600 bytes for all
// of them. Therefore it must stay small. (`thread_local` would check at each
// use whether a constructor must run.)
extern __thread HashCache hash_cache [[gnu::tls_model("initial-exec")]];

// Returns CassandraMurmur3 of the key.
Hash128 CachedHash(std::string_view key);

// CachedHash of a key of 16 bytes, such as a UUID, without a call. Keys that
// differ do so in their first 8 bytes most of the time: these are compared
// first, so that another key costs few instructions.
inline Hash128 CachedHash16(const char* key) {
  HashCache& last = hash_cache;
  uint64_t first;
  uint64_t second;
  uint64_t last_first;
  uint64_t last_second;
  std::memcpy(&first, key, 8);
  std::memcpy(&second, key + 8, 8);
  std::memcpy(&last_first, last.bytes, 8);
  std::memcpy(&last_second, last.bytes + 8, 8);
  if (first == last_first && second == last_second && last.size == 16) {
    return last.hash;
  }
  std::memcpy(last.bytes, &first, 8);
  std::memcpy(last.bytes + 8, &second, 8);
  last.size = 16;
  const Hash128 hash = CassandraMurmur3(key, 16);
  last.hash = hash;
  return hash;
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_HASH_CACHE_H_
