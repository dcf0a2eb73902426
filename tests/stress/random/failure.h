// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_FAILURE_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_FAILURE_H_

#include <rocksdb/status.h>

#include <stdexcept>
#include <string>

namespace cassandra_bloom::testing {

class Failure : public std::runtime_error {
 public:
  // Failures with the same `kind` are counted together.
  Failure(const std::string& kind, const std::string& detail)
      : std::runtime_error(kind + ": " + detail) {}
};

// Rows are wrong. The cause may be a filter that denies a key that it was
// given.
class WrongRows : public Failure {
 public:
  using Failure::Failure;
};

inline void RequireOk(const rocksdb::Status& status, const std::string& what) {
  if (!status.ok()) {
    throw Failure(what, status.ToString());
  }
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_RANDOM_FAILURE_H_
