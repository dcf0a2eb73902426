// SPDX-License-Identifier: Apache-2.0

// Measures the memory that code takes with malloc, which every form of C++'s
// operator new calls, RocksDB's included. It does not see memory from mmap.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_

#include <cstdint>
#include <functional>
#include <optional>

namespace cassandra_bloom::bench {

// The peak of the bytes that `work` allocated in addition to what was allocated
// before; counts each size as malloc rounds it up. Returns nullopt where malloc
// cannot be watched: with a C library other than glibc, or under a sanitizer.
std::optional<int64_t> PeakBytes(const std::function<void()>& work);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_
