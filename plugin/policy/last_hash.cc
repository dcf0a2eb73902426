// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/last_hash.h"

namespace cassandra_bloom {

__thread LastHash last_hash [[gnu::tls_model("initial-exec")]] = {};

Hash128 HashOnce(std::string_view key) {
  if (key.size() > LastHash::kMaxSize) {
    return CassandraMurmur3(key.data(), key.size());
  }
  LastHash& last = last_hash;
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
