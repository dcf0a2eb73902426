// SPDX-License-Identifier: Apache-2.0

#include "tests/filter/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {
namespace {

size_t PageSize() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

void Require(int result, const char* call) {
  if (result != 0) {
    throw std::system_error(errno, std::generic_category(), call);
  }
}

bool IsZeroPage(const char* page) {
  return page[0] == 0 && std::memcmp(page, page + 1, PageSize() - 1) == 0;
}

}  // namespace

GuardedMemory::GuardedMemory(uint64_t size) {
  const size_t guard = PageSize();
  size_ = (static_cast<size_t>(size) + guard - 1) / guard * guard;
  void* const mapped =
      mmap(nullptr, size_ + 2 * guard, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  if (mapped == MAP_FAILED) {
    return;
  }
  char* const begin = static_cast<char*>(mapped) + guard;
  // With huge pages, one written byte would use a whole huge page.
  madvise(begin, size_, MADV_NOHUGEPAGE);
  if (mprotect(begin, size_, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapped, size_ + 2 * guard);
    return;
  }
  begin_ = begin;
}

GuardedMemory::~GuardedMemory() {
  if (begin_ != nullptr) {
    munmap(begin_ - PageSize(), size_ + 2 * PageSize());
  }
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(other.size_) {}

bool GuardedMemory::IsAllZero() const {
  std::vector<unsigned char> in_memory(size_ / PageSize());
  Require(mincore(begin_, size_, in_memory.data()), "mincore");
  for (size_t page = 0; page < in_memory.size(); ++page) {
    if (in_memory[page] % 2 != 0 && !IsZeroPage(begin_ + page * PageSize())) {
      return false;
    }
  }
  return true;
}

void GuardedMemory::Clear() {
  Require(madvise(begin_, size_, MADV_DONTNEED), "madvise");
}

}  // namespace cassandra_bloom::testing
