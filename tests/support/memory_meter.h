// SPDX-License-Identifier: Apache-2.0

// Measures memory from malloc() and similar functions, which C++'s operator new
// calls, too. Does not see memory from mmap().

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_

#include <cstdint>
#include <functional>
#include <optional>

namespace cassandra_bloom::testing {

// Returns the most bytes that `work` had allocated at any time. Returns nullopt
// with a C library other than glibc.
std::optional<int64_t> PeakBytes(const std::function<void()>& work);

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_
