// SPDX-License-Identifier: Apache-2.0

// The memory that code takes, by malloc: what C++'s operator new in every form
// ends in, RocksDB's included. Memory by mmap is not seen.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_

#include <cstdint>
#include <functional>
#include <optional>

namespace cassandra_bloom::bench {

// The most bytes that were allocated at any time in `work` on top of those that
// were before, rounded up as malloc does. Nothing where malloc cannot be
// watched: with another C library than glibc, or under a sanitizer.
std::optional<int64_t> PeakBytes(const std::function<void()>& work);

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_MEMORY_METER_H_
