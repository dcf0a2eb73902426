// SPDX-License-Identifier: Apache-2.0

// Measures the memory that code takes from malloc() and its relatives (calloc,
// aligned_alloc and so on). Every form of C++'s operator new takes its memory
// from them, in RocksDB, too. Does not see memory from mmap().

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_

#include <cstdint>
#include <functional>
#include <optional>

namespace cassandra_bloom::bench {

// Returns the peak of the bytes that `work` allocated in addition to what was
// allocated before. Counts each size as malloc rounds it up. Returns nullopt if
// malloc cannot be watched: with a C library other than glibc, or with a
// sanitizer.
std::optional<int64_t> PeakBytes(const std::function<void()>& work);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_
