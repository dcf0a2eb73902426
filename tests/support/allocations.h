// SPDX-License-Identifier: Apache-2.0

// A test program that links allocations.cc can limit and observe the nothrow
// operator new, from which filters get their memory.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_

#include <atomic>
#include <cstddef>

namespace cassandra_bloom::testing {

// Allocations of more bytes than this fail. Initially SIZE_MAX.
extern std::atomic<size_t> largest_allocation;

extern std::atomic<void*> last_allocation;

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_ALLOCATIONS_H_
