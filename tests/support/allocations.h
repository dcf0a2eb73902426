// SPDX-License-Identifier: Apache-2.0

// For a test program that links allocations.cc: the allocations through which
// filters get their memory, operator new that does not throw.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_

#include <atomic>
#include <cstddef>

namespace cassandra_bloom::testing {

// Larger ones fail. SIZE_MAX at first.
extern std::atomic<size_t> largest_allocation;

extern std::atomic<void*> last_allocation;

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_
