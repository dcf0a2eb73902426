// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/last_hash.h"

namespace cassandra_bloom {

__thread LastHash last_hash [[gnu::tls_model("initial-exec")]] = {};

Hash128 HashAndRemember16(const char* key) {
  LastHash& last = last_hash;
  last.size = 16;
  std::memcpy(last.bytes, key, 16);
  return last.hash = CassandraMurmur3(key, 16);
}

Hash128 HashOnceOfAnySize(std::string_view key) {
  LastHash& last = last_hash;
  if (key.size() > LastHash::kMaxSize) {
    return CassandraMurmur3(key.data(), key.size());
  }
  if (last.size != key.size() ||
      std::memcmp(last.bytes, key.data(), key.size()) != 0) {
    last.size = key.size();
    std::memcpy(last.bytes, key.data(), key.size());
    last.hash = CassandraMurmur3(key.data(), key.size());
  }
  return last.hash;
}

}  // namespace cassandra_bloom
