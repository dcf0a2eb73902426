// SPDX-License-Identifier: Apache-2.0

// Replaces the nothrow operator new, from which filters get their memory. A
// test can then limit and observe allocations.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_

#include <atomic>
#include <cstddef>

namespace cassandra_bloom::testing {

// In bytes. Larger allocations fail. Initially SIZE_MAX.
extern std::atomic<size_t> largest_allocation;

extern std::atomic<void*> last_allocation;

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_
