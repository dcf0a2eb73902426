// SPDX-License-Identifier: Apache-2.0

#include "tests/support/allocations.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace cassandra_bloom::testing {

std::atomic<size_t> largest_allocation{SIZE_MAX};
std::atomic<bool> throws{false};
std::atomic<void*> last_allocation{nullptr};

namespace {

std::atomic<int64_t> allocated{0};
std::atomic<int64_t> peak{0};

void* Allocate(size_t size) {
  void* const memory = std::malloc(size);
  if (memory != nullptr) {
    const int64_t now = allocated +=
        static_cast<int64_t>(malloc_usable_size(memory));
    if (now > peak) {
      peak = now;
    }
  }
  return memory;
}

// If this were inlined, g++ would warn that free() does not fit operator new.
[[gnu::noinline]] void Free(void* memory) {
  allocated -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

int64_t PeakBytes(const std::function<void()>& work) {
  const int64_t before = allocated;
  peak = before;
  work();
  return peak - before;
}

}  // namespace cassandra_bloom::testing

// The other operators of the standard library call these.

void* operator new(size_t size) {
  using namespace cassandra_bloom::testing;
  if (void* const memory = throws ? nullptr : Allocate(size)) {
    return memory;
  }
  throw std::bad_alloc();
}

void* operator new(size_t size, const std::nothrow_t&) noexcept {
  using namespace cassandra_bloom::testing;
  last_allocation = size <= largest_allocation ? Allocate(size) : nullptr;
  return last_allocation;
}

void* operator new[](size_t size, const std::nothrow_t& nothrow) noexcept {
  return operator new(size, nothrow);
}

void operator delete(void* memory) noexcept {
  cassandra_bloom::testing::Free(memory);
}

void operator delete(void* memory, size_t /*size*/) noexcept {
  cassandra_bloom::testing::Free(memory);
}
