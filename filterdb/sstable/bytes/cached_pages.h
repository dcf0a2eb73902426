// SPDX-License-Identifier: Apache-2.0

// Keeps a scan beside a running node from changing what is in the page cache:
// what the node had there stays, and what it had not is not left there.
//
// The kernel is asked for each page (mincore(2)), because POSIX_FADV_DONTNEED
// also drops pages that other processes have read. The mapping is never read
// from. If this user may not know (who neither owns the file nor may write it),
// the kernel says that all pages are cached, and nothing is dropped.
// Tested in filterdb/tests/sstable/bytes/cached_pages_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_CACHED_PAGES_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_CACHED_PAGES_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cassandra_bloom::tools {

// Make one before reading a part of a file. It drops the pages of this part
// that were not cached then.
class CachedPages {
 public:
  CachedPages(int fd, uint64_t offset, size_t size);
  ~CachedPages();
  CachedPages(const CachedPages&) = delete;
  CachedPages& operator=(const CachedPages&) = delete;

 private:
  const int fd_;
  // Ranges that were not cached: offset and size.
  std::vector<std::pair<off_t, off_t>> not_cached_;
};

// From now on, pages stay cached that were read: with the node down, nobody's
// cache is to be kept, and asking takes longer than reading a small file.
void KeepAllPages();

// Call this when a file is opened. Otherwise the kernel reads ahead, and a scan
// would find, as if somebody had read it, what it is itself about to read.
void ReadNothingAhead(int fd);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_CACHED_PAGES_H_
