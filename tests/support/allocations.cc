// SPDX-License-Identifier: Apache-2.0

#include "tests/support/allocations.h"

#include <cstdint>
#include <cstdlib>
#include <new>

namespace cassandra_bloom::testing {

std::atomic<size_t> largest_allocation{SIZE_MAX};
std::atomic<void*> last_allocation{nullptr};

}  // namespace cassandra_bloom::testing

// Uses malloc(), because the operator delete of libstdc++ calls free().
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  using namespace cassandra_bloom::testing;
  last_allocation = size <= largest_allocation ? std::malloc(size) : nullptr;
  return last_allocation;
}

void* operator new[](size_t size, const std::nothrow_t& nothrow) noexcept {
  return operator new(size, nothrow);
}
