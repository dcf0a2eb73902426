// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_RANDOM_KEYS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_RANDOM_KEYS_H_

#include <cstdint>
#include <string>

namespace cassandra_bloom::testing {

// Returns the environment variable CASSANDRA_BLOOM_SEED or, without it, a new
// random seed. Prints the seed once, so that a failure can be repeated.
uint64_t Seed();

// A key depends only on the seed and the number of the key.
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

// Returns the next random number of Splitmix64 and advances *state.
uint64_t NextRandom(uint64_t* state);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_RANDOM_KEYS_H_
