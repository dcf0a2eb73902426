// SPDX-License-Identifier: Apache-2.0

// Replaces C++'s operators new and delete. A test can then measure memory, and
// let allocations fail.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace cassandra_bloom::testing {

// Returns the most bytes that `work` had allocated at any time.
int64_t PeakBytes(const std::function<void()>& work);

// In bytes. Larger allocations by the nothrow operator new, from which filters
// get their memory, fail. Initially SIZE_MAX.
extern std::atomic<size_t> largest_allocation;

// If true, the other operator new always throws.
extern std::atomic<bool> throws;

// What the nothrow operator new returned last.
extern std::atomic<void*> last_allocation;

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_
