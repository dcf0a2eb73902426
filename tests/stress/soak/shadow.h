// SPDX-License-Identifier: Apache-2.0

// The rows that a database must contain after random writes.

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_SOAK_SHADOW_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_SOAK_SHADOW_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/stress/soak/key_space.h"
#include "tests/support/rocksdb/dataset.h"

namespace cassandra_bloom::testing {

struct RandomWrite {
  enum Kind { kPut, kDelete, kSingleDelete, kDeleteRange, kMerge, kNumKinds };

  Kind kind;
  size_t family;
  std::string key;
  std::string end_or_value;
};

// The expected rows, by the index of the column family.
using Shadow = std::vector<Rows>;

// Makes random writes. The same seed and the same shadow give the same writes.
class RandomWrites {
 public:
  RandomWrites(const KeySpace& keys, uint64_t seed)
      : keys_(keys), random_(seed) {}

  std::vector<RandomWrite> Next(Shadow* shadow);

 private:
  RandomWrite Make(const Shadow& shadow);

  const KeySpace keys_;
  uint64_t random_;
  uint64_t num_batches_ = 0;
};

// The value of this key is the number of the last batch, counted from 1.
inline const std::string kBatchKey = "number of the last batch";

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SOAK_SHADOW_H_
