// SPDX-License-Identifier: Apache-2.0

#include "tests/support/random_keys.h"

#include <endian.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

namespace cassandra_bloom::testing {
namespace {

uint64_t ChooseSeed() {
  const char* const given = std::getenv("CASSANDRA_BLOOM_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10)
                                         : std::random_device()();
  std::printf("CASSANDRA_BLOOM_SEED=%llu\n",
              static_cast<unsigned long long>(seed));
  std::fflush(stdout);  // A test that aborts would lose it.
  return seed;
}

}  // namespace

uint64_t Seed() {
  static const uint64_t seed = ChooseSeed();
  return seed;
}

uint64_t NextRandom(uint64_t* state) {
  *state += 0x9e3779b97f4a7c15;
  uint64_t x = *state;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void RandomKeys::Make(uint64_t number, std::string* key) const {
  uint64_t state = seed_ + number * 0xd1342543de82ef95;
  key->resize(NextRandom(&state) % (max_length_ + 1));
  for (size_t at = 0; at < key->size(); at += 8) {
    // The same keys on every CPU.
    const uint64_t bytes = htole64(NextRandom(&state));
    std::memcpy(key->data() + at, &bytes,
                std::min(sizeof(bytes), key->size() - at));
  }
}

}  // namespace cassandra_bloom::testing
