// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_CHECK_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_CHECK_H_

#include <cstdio>
#include <cstdlib>

// Aborts the fuzzer unless `condition` is true. libFuzzer then keeps the input.
#define FUZZ_CHECK(condition)                                            \
  if (!(condition)) {                                                    \
    std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    std::abort();                                                        \
  }

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_CHECK_H_
