// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/hash_cache.h"

namespace cassandra_bloom {

__thread HashCache hash_cache [[gnu::tls_model("initial-exec")]] = {};

Hash128 CachedHash(std::string_view key) {
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

}  // namespace cassandra_bloom
