// SPDX-License-Identifier: Apache-2.0

// A sequence of random choices that depends only on the seed.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DRAWS_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DRAWS_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {

class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(seed) {}

  uint64_t Below(uint64_t end) { return NextRandom(&state_) % end; }
  uint64_t Between(uint64_t first, uint64_t last) {
    return first + Below(last - first + 1);
  }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  template <typename T>
  T Of(std::initializer_list<T> choices) {
    return choices.begin()[Below(choices.size())];
  }
  template <typename Choices>
  const auto& In(const Choices& choices) {
    return choices[Below(std::size(choices))];
  }

 private:
  uint64_t state_;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_DRAWS_H_
