// SPDX-License-Identifier: Apache-2.0

#include "tests/support/memory_meter.h"

#include <atomic>
#include <cstddef>

namespace cassandra_bloom::testing {

#ifdef __GLIBC__

namespace {

// While `watching` is false, the functions below only call glibc's functions.
std::atomic<bool> watching{false};
std::atomic<int64_t> allocated{0};
std::atomic<int64_t> peak{0};

}  // namespace

std::optional<int64_t> PeakBytes(const std::function<void()>& work) {
  allocated = 0;
  peak = 0;
  watching = true;
  try {
    work();
  } catch (...) {
    watching = false;
    throw;
  }
  watching = false;
  return peak.load();
}

#else

std::optional<int64_t> PeakBytes(const std::function<void()>& work) {
  work();
  return std::nullopt;
}

#endif

}  // namespace cassandra_bloom::testing

#ifdef __GLIBC__

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

// If a program defines all of the functions below, glibc uses them instead of
// its own. glibc's own functions are still available under these __libc_ names.

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);
}

namespace {

using cassandra_bloom::testing::allocated;
using cassandra_bloom::testing::peak;
using cassandra_bloom::testing::watching;

void* Counted(void* memory) {
  if (watching.load(std::memory_order_relaxed) && memory != nullptr) {
    const int64_t now = allocated +=
        static_cast<int64_t>(malloc_usable_size(memory));
    if (now > peak) {
      peak = now;
    }
  }
  return memory;
}

void Uncount(void* memory) {
  if (watching.load(std::memory_order_relaxed) && memory != nullptr) {
    allocated -= static_cast<int64_t>(malloc_usable_size(memory));
  }
}

}  // namespace

#define MEMORY_METER_EXPORT extern "C" __attribute__((visibility("default")))

MEMORY_METER_EXPORT void* malloc(size_t size) noexcept {
  return Counted(__libc_malloc(size));
}

MEMORY_METER_EXPORT void* calloc(size_t count, size_t size) noexcept {
  return Counted(__libc_calloc(count, size));
}

MEMORY_METER_EXPORT void* realloc(void* old, size_t size) noexcept {
  Uncount(old);
  return Counted(__libc_realloc(old, size));
}

MEMORY_METER_EXPORT void* memalign(size_t alignment, size_t size) noexcept {
  return Counted(__libc_memalign(alignment, size));
}

MEMORY_METER_EXPORT void* aligned_alloc(size_t alignment,
                                        size_t size) noexcept {
  return Counted(__libc_memalign(alignment, size));
}

MEMORY_METER_EXPORT int posix_memalign(void** memory, size_t alignment,
                                       size_t size) noexcept {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 ||
      alignment == 0) {
    return EINVAL;
  }
  void* const aligned = Counted(__libc_memalign(alignment, size));
  if (aligned == nullptr) {
    return ENOMEM;
  }
  *memory = aligned;
  return 0;
}

MEMORY_METER_EXPORT void free(void* memory) noexcept {
  Uncount(memory);
  __libc_free(memory);
}

#endif  // __GLIBC__
