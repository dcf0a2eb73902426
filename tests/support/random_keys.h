// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_RANDOM_KEYS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_RANDOM_KEYS_H_

#include <cstdint>
#include <string>

namespace cassandra_bloom::testing {

// The seed of this run: the environment variable CASSANDRA_BLOOM_SEED or,
// without it, a new seed in each run. It is printed once, so that a failure can
// be repeated.
uint64_t Seed();

// Random keys of 0 to max_length bytes. A key depends only on the seed and its
// number, so it can be generated again.
class RandomKeys {
 public:
  RandomKeys(uint64_t seed, uint32_t max_length)
      : seed_(seed), max_length_(max_length) {}

  void Make(uint64_t number, std::string* key) const;

  std::string operator[](uint64_t number) const {
    std::string key;
    Make(number, &key);
    return key;
  }

 private:
  uint64_t seed_;
  uint32_t max_length_;
};

// Splitmix64: advances *state and returns the next random number.
uint64_t NextRandom(uint64_t* state);

// A random key of sixteen bytes, which depends on the number alone.
std::string RandomKeyOf16(uint64_t number);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_RANDOM_KEYS_H_
