// SPDX-License-Identifier: Apache-2.0

#include "tests/support/memory_meter.h"

#include <atomic>
#include <cstddef>

#if defined(__GLIBC__) && !defined(FILTER_BENCH_SANITIZED)
#define FILTER_BENCH_WATCHES_MALLOC 1
#else
#define FILTER_BENCH_WATCHES_MALLOC 0
#endif

namespace cassandra_bloom::bench {

#if FILTER_BENCH_WATCHES_MALLOC

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

}  // namespace cassandra_bloom::bench

#if FILTER_BENCH_WATCHES_MALLOC

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

using cassandra_bloom::bench::allocated;
using cassandra_bloom::bench::peak;
using cassandra_bloom::bench::watching;

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

#define FILTER_BENCH_EXPORT extern "C" __attribute__((visibility("default")))

FILTER_BENCH_EXPORT void* malloc(size_t size) noexcept {
  return Counted(__libc_malloc(size));
}

FILTER_BENCH_EXPORT void* calloc(size_t count, size_t size) noexcept {
  return Counted(__libc_calloc(count, size));
}

FILTER_BENCH_EXPORT void* realloc(void* old, size_t size) noexcept {
  Uncount(old);
  return Counted(__libc_realloc(old, size));
}

FILTER_BENCH_EXPORT void* memalign(size_t alignment, size_t size) noexcept {
  return Counted(__libc_memalign(alignment, size));
}

FILTER_BENCH_EXPORT void* aligned_alloc(size_t alignment,
                                        size_t size) noexcept {
  return Counted(__libc_memalign(alignment, size));
}

FILTER_BENCH_EXPORT int posix_memalign(void** memory, size_t alignment,
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

FILTER_BENCH_EXPORT void free(void* memory) noexcept {
  Uncount(memory);
  __libc_free(memory);
}

#endif  // FILTER_BENCH_WATCHES_MALLOC
