// SPDX-License-Identifier: Apache-2.0

// Bytes that can be read at any position: those of a file, or the uncompressed
// bytes of a compressed Data.db (open_data_db.h).
// Tested in filterdb/tests/sstable/bytes/byte_reader_test.cc.
// Tested in filterdb/tests/sstable/bytes/cached_pages_test.cc.
// Tested in filterdb/tests/sstable/data_db/open_data_db_test.cc.
// Tested in filterdb/tests/sstable/partitions_db_reader_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BYTE_SOURCE_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BYTE_SOURCE_H_

#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // The path of the file that the bytes come from.
  const std::string& path() const { return path_; }

  // The number of bytes.
  uint64_t size() const { return size_; }

  // Gets one or more bytes at `position`, which must be below size(). The bytes
  // are valid until the next call. Increasing positions are fastest.
  virtual bool ReadSome(uint64_t position, std::string_view* bytes,
                        std::string* error) = 0;

  // Gets `size` bytes, which must lie within size(). The bytes are valid until
  // the next call.
  virtual bool Read(uint64_t position, size_t size, std::string_view* bytes,
                    std::string* error);

 protected:
  ByteSource(const std::string& path, uint64_t size)
      : path_(path), size_(size) {}

 private:
  const std::string path_;
  const uint64_t size_;
  std::string joined_;  // Bytes that ReadSome gave in pieces.
};

// Sets `*error` to "PATH: byte OFFSET: WHAT". Returns false.
bool FailAtByte(const std::string& path, uint64_t offset,
                const std::string& what, std::string* error);

// Thrown for a file that is not damaged, but that this program cannot read.
struct NotSupported : std::runtime_error {
  explicit NotSupported(const std::string& what)
      : std::runtime_error(what + ": not supported") {}
};

// Call this when the file `path` could not be read. Throws a std::system_error
// if errno says that there are too many open files or too little memory: then
// nothing is known about the file.
void ThrowIfShort(const std::string& path);

// Keeps a scan beside a running node from changing what is in the page cache:
// what the node had there stays, and what it had not is not left there. Make
// one for a file, and call Ask before each part is read.
//
// The kernel is asked for each page (mincore(2)), because POSIX_FADV_DONTNEED
// also drops pages that other processes have read. The mapping is never read
// from. If this user may not know (who neither owns the file nor may write it),
// the kernel says that all pages are cached, and nothing is dropped.
//
// It is asked kAhead bytes ahead, because the kernel reads ahead where a page
// has the mark that another reader left there (page_cache_async_ra), even with
// POSIX_FADV_RANDOM: up to twice the disk's read_ahead_kb, which is 8192 on
// some machines. Nothing is dropped twice: a node may have read it in between.
class CachedPages {
 public:
  explicit CachedPages(int fd) : fd_(fd) {}
  ~CachedPages() { DropBefore(asked_to()); }
  CachedPages(const CachedPages&) = delete;
  CachedPages& operator=(const CachedPages&) = delete;

  void Ask(uint64_t offset, size_t size);

 private:
  static constexpr uint64_t kAhead = uint64_t{32} << 20;
  // The kernel keeps pages of a read-ahead in folios, of at most 2 MiB on most
  // CPUs, and drops a folio only as a whole.
  static constexpr uint64_t kFolio = uint64_t{2} << 20;

  uint64_t asked_to() const;
  void DropBefore(uint64_t end);

  const int fd_;
  uint64_t from_ = 0;
  std::vector<unsigned char> is_cached_;  // Of each page from there on.
};

// From now on, pages stay cached that were read: with the node down, nobody's
// cache is to be kept, and asking takes longer than reading a small file.
void KeepAllPages();

// Call this when a file is opened. Otherwise the kernel reads ahead, and a scan
// would find, as if somebody had read it, what it is itself about to read.
void ReadNothingAhead(int fd);

// Reads files with pread, and not with mmap. With mmap, a file that is
// truncated or a disk that fails would end the process.
class RandomAccessFile final : public ByteSource {
 public:
  // In bytes. An entry of an Index.db fits into the buffer, without its
  // promoted index.
  static constexpr size_t kBufferSize = size_t{128} << 10;
  static constexpr size_t kFewBytes = size_t{4} << 10;
  static constexpr size_t kManyBytes = size_t{64} << 10;

  // Returns nullptr unless `path` is a regular file that can be opened. The
  // size is that of the file when it was opened.
  //
  // If a position is at most `max_gap` bytes behind the bytes that were read
  // before, kManyBytes are read at once. Otherwise, kFewBytes are.
  static std::unique_ptr<RandomAccessFile> Open(const std::string& path,
                                                std::string* error,
                                                size_t max_gap = kFewBytes);

  // The first call takes the memory for a buffer.
  bool ReadSome(uint64_t position, std::string_view* bytes,
                std::string* error) override {
    if (!Require(position, 1, error)) {
      return false;
    }
    const auto from = static_cast<size_t>(position - begin_);
    *bytes = std::string_view(buffer_.get() + from, buffered_ - from);
    return true;
  }

  // After a call with up to kBufferSize bytes, ReadSome gets these bytes and
  // more.
  bool Read(uint64_t position, size_t size, std::string_view* bytes,
            std::string* error) override;

  // Reads `size` bytes at `position`, all within size(), without the buffer.
  bool ReadTo(uint64_t position, size_t size, char* to,
              std::string* error) const;

 private:
  RandomAccessFile(const std::string& path, std::unique_ptr<FileDescriptor> fd,
                   uint64_t size, size_t max_gap)
      : ByteSource(path, size), fd_(std::move(fd)), max_gap_(max_gap) {}

  // Reads until the buffer has `size` bytes at `position`.
  bool Require(uint64_t position, size_t size, std::string* error) {
    const bool is_buffered =
        position >= begin_ && position + size <= begin_ + buffered_;
    return is_buffered || Fill(position, size, error);
  }
  bool Fill(uint64_t position, size_t size, std::string* error);

  const std::unique_ptr<FileDescriptor> fd_;
  mutable CachedPages pages_{fd_->get()};
  const size_t max_gap_;
  std::unique_ptr<char[]> buffer_;
  uint64_t begin_ = 0;  // The position of the first buffered byte.
  size_t buffered_ = 0;
};

// Keeps recently read pages of a file, whose readers go back and forth, as in a
// trie, in a fixed amount of memory.
class PageCache final : public ByteSource {
 public:
  // In bytes. Cassandra (io.util.PageAware) and ScyllaDB (BTI_PAGE_SIZE) write
  // each node of a trie within one page of this size.
  static constexpr size_t kPageSize = 4096;

  // `num_pages` must be a power of two.
  PageCache(std::unique_ptr<RandomAccessFile> file, size_t num_pages)
      : ByteSource(file->path(), file->size()),
        file_(std::move(file)),
        memory_(new char[num_pages * kPageSize]),
        slot_mask_(num_pages - 1),
        pages_(num_pages, kNoPage) {}

  bool ReadSome(uint64_t position, std::string_view* bytes,
                std::string* error) override {
    const uint64_t page = position / kPageSize;
    const auto slot = static_cast<size_t>(page & slot_mask_);
    char* const memory = memory_.get() + slot * kPageSize;
    // The last page of a file may be shorter.
    const auto page_size = static_cast<size_t>(
        std::min<uint64_t>(kPageSize, size() - page * kPageSize));
    if (pages_[slot] != page) {
      pages_[slot] = kNoPage;
      if (!file_->ReadTo(page * kPageSize, page_size, memory, error)) {
        return false;
      }
      pages_[slot] = page;
    }
    const auto from = static_cast<size_t>(position % kPageSize);
    *bytes = std::string_view(memory + from, page_size - from);
    return true;
  }

 private:
  static constexpr uint64_t kNoPage = UINT64_MAX;

  const std::unique_ptr<RandomAccessFile> file_;
  const std::unique_ptr<char[]> memory_;
  const uint64_t slot_mask_;
  std::vector<uint64_t> pages_;  // The page in each slot of memory_.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_BYTES_BYTE_SOURCE_H_
