// SPDX-License-Identifier: Apache-2.0

// Remembers, for each thread, the hash of one key. One Get asks many filters
// for the same key, and this key is then hashed only once.

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_HASH_CACHE_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_HASH_CACHE_H_

#include <cstdint>
#include <cstring>
#include <string_view>

#include "plugin/filter/murmur3.h"

namespace cassandra_bloom {

// The last key of at most kMaxSize bytes for which this thread called
// CachedHash or CachedHash16, and the hash of this key. All policies and
// filters of the thread use the same HashCache, because the hash depends only
// on the bytes of the key.
struct HashCache {
  // In bytes. Longer keys are not remembered.
  static constexpr size_t kMaxSize = 104;

  uint64_t size;
  Hash128 hash;
  char bytes[kMaxSize];
};
static_assert(sizeof(HashCache) == 128);

// All bytes are zero at first. That is a valid entry, because the hash of the
// empty key is {0, 0}. `thread_local` would check at each use whether a
// constructor must run.
//
// The TLS model is the compiler's default here, and initial-exec in our own
// shared library (CMakeLists.txt): there the variable is read without a
// function call. It must stay small for that.
inline __thread HashCache hash_cache = {};

// Returns CassandraMurmur3 of the key.
inline Hash128 CachedHash(std::string_view key) {
  if (key.size() > HashCache::kMaxSize) {
    return CassandraMurmur3(key.data(), key.size());
  }
  HashCache& last = hash_cache;
  if (last.size != key.size() ||
      (!key.empty() && std::memcmp(last.bytes, key.data(), key.size()) != 0)) {
    last.size = key.size();
    last.hash = CassandraMurmur3(key.data(), key.size());
    if (!key.empty()) {
      std::memcpy(last.bytes, key.data(), key.size());
    }
  }
  return last.hash;
}

// Returns CachedHash of a key of 16 bytes, such as a UUID. Compares the first 8
// bytes first, because most different keys differ there.
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
