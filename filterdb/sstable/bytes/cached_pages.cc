// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/cached_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

namespace cassandra_bloom::tools {
namespace {

std::atomic<bool> keeps_all_pages{false};

}  // namespace

CachedPages::CachedPages(int fd, uint64_t offset, size_t size) : fd_(fd) {
  if (keeps_all_pages) {
    return;
  }
  static const auto kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const uint64_t begin = offset / kPage * kPage;
  const auto length = static_cast<size_t>(offset + size - begin);
  void* const pages = mmap(nullptr, length, PROT_NONE, MAP_SHARED, fd,
                           static_cast<off_t>(begin));
  if (pages == MAP_FAILED) {
    return;
  }
  std::vector<unsigned char> is_cached((length + kPage - 1) / kPage, 1);
  if (mincore(pages, length, is_cached.data()) == 0) {
    for (size_t i = 0; i < is_cached.size(); ++i) {
      if ((is_cached[i] & 1) != 0) {
        continue;
      }
      const auto at = static_cast<off_t>(begin + i * kPage);
      if (not_cached_.empty() ||
          not_cached_.back().first + not_cached_.back().second != at) {
        not_cached_.emplace_back(at, 0);
      }
      not_cached_.back().second += static_cast<off_t>(kPage);
    }
  }
  munmap(pages, length);
}

CachedPages::~CachedPages() {
  for (const auto& [offset, size] : not_cached_) {
    posix_fadvise(fd_, offset, size, POSIX_FADV_DONTNEED);
  }
}

void KeepAllPages() { keeps_all_pages = true; }

void ReadNothingAhead(int fd) {
  if (!keeps_all_pages) {
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  }
}

}  // namespace cassandra_bloom::tools
