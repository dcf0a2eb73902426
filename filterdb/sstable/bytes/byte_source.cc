// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/byte_source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

namespace cassandra_bloom::tools {
namespace {

std::atomic<bool> keeps_all_pages{false};
const auto kPage = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));

}  // namespace

bool ByteSource::Read(uint64_t position, size_t size, std::string_view* bytes,
                      std::string* error) {
  joined_.clear();
  *bytes = {};
  while (joined_.size() < size) {
    if (!ReadSome(position + joined_.size(), bytes, error)) {
      return false;
    }
    *bytes = bytes->substr(0, size - joined_.size());
    if (bytes->size() == size) {
      return true;
    }
    joined_.append(*bytes);
  }
  *bytes = joined_;
  return true;
}

bool FailAtByte(const std::string& path, uint64_t offset,
                const std::string& what, std::string* error) {
  *error = path + ": byte " + std::to_string(offset) + ": " + what;
  return false;
}

void ThrowIfShort(const std::string& path) {
  if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
    throw std::system_error(errno, std::generic_category(), path);
  }
}

void CachedPages::Ask(uint64_t offset, size_t size) {
  struct stat status;
  if (keeps_all_pages || fstat(fd_, &status) != 0) {
    return;
  }
  const auto file_end = static_cast<uint64_t>(status.st_size);
  const uint64_t end = offset + size;
  const bool is_asked = offset >= from_ && offset <= asked_to();
  if (is_asked && std::min(file_end, end + kAhead / 2) <= asked_to()) {
    return;
  }
  const uint64_t from = offset / kFolio * kFolio;
  DropBefore(is_asked ? from : asked_to());
  from_ = from;
  const uint64_t begin = asked_to();
  // The file may have become shorter.
  const uint64_t length =
      std::max(begin, std::min(file_end, end + kAhead)) - begin;
  const size_t num_before = is_cached_.size();
  is_cached_.resize(num_before + (length + kPage - 1) / kPage, 1);
  void* const pages = mmap(nullptr, length, PROT_NONE, MAP_SHARED, fd_,
                           static_cast<off_t>(begin));
  if (pages != MAP_FAILED) {
    mincore(pages, length, is_cached_.data() + num_before);
    munmap(pages, length);
  }
}

uint64_t CachedPages::asked_to() const {
  return from_ + is_cached_.size() * kPage;
}

void CachedPages::DropBefore(uint64_t end) {
  const auto is_cached = [this](size_t i) { return (is_cached_[i] & 1) != 0; };
  const size_t num_pages = (end - from_) / kPage;
  for (size_t begin = 0, i = 0; begin < num_pages; begin = i) {
    while (i < num_pages && is_cached(i) == is_cached(begin)) {
      ++i;
    }
    if (!is_cached(begin)) {
      posix_fadvise(fd_, static_cast<off_t>(from_ + begin * kPage),
                    static_cast<off_t>((i - begin) * kPage),
                    POSIX_FADV_DONTNEED);
    }
  }
  is_cached_.erase(is_cached_.begin(),
                   is_cached_.begin() + static_cast<ptrdiff_t>(num_pages));
}

void KeepAllPages() { keeps_all_pages = true; }

void ReadNothingAhead(int fd) {
  if (!keeps_all_pages) {
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  }
}

std::unique_ptr<RandomAccessFile> RandomAccessFile::Open(
    const std::string& path, std::string* error, size_t max_gap) {
  // ThrowIfShort asks errno. A success leaves it as it was, and malloc leaves
  // ENOMEM there if brk fails, but mmap does not.
  errno = 0;
  auto fd = std::make_unique<FileDescriptor>(OpenForReading(path));
  uint64_t size = 0;
  if (!SizeOfRegularFile(fd->get(), path, &size, error)) {
    ThrowIfShort(path);
    return nullptr;
  }
  ReadNothingAhead(fd->get());
  return std::unique_ptr<RandomAccessFile>(
      new RandomAccessFile(path, std::move(fd), size, max_gap));
}

bool RandomAccessFile::ReadTo(uint64_t position, size_t size, char* to,
                              std::string* error) const {
  pages_.Ask(position, size);
  const ssize_t got = ReadAt(fd_->get(), position, size, to);
  if (got < 0) {
    ThrowIfShort(path());
    return FailWithErrno(path(), "cannot read", error);
  }
  if (static_cast<size_t>(got) < size) {
    *error = path() + ": was truncated while it was read: byte " +
             std::to_string(position + static_cast<size_t>(got)) + " of " +
             std::to_string(this->size()) + " is missing";
    return false;
  }
  return true;
}

bool RandomAccessFile::Read(uint64_t position, size_t size,
                            std::string_view* bytes, std::string* error) {
  if (size == 0 || size > kBufferSize) {
    return ByteSource::Read(position, size, bytes, error);
  }
  if (!Require(position, size, error)) {
    return false;
  }
  *bytes = std::string_view(buffer_.get() + (position - begin_), size);
  return true;
}

bool RandomAccessFile::Fill(uint64_t position, size_t size,
                            std::string* error) {
  if (buffer_ == nullptr) {
    buffer_.reset(new char[kBufferSize]);
  }
  const bool is_near =
      position >= begin_ && position - begin_ <= buffered_ + max_gap_;
  const auto wanted = static_cast<size_t>(
      std::min<uint64_t>(std::max(size, is_near ? kManyBytes : kFewBytes),
                         this->size() - position));
  begin_ = position;
  buffered_ = 0;
  if (!ReadTo(position, wanted, buffer_.get(), error)) {
    return false;
  }
  buffered_ = wanted;
  return true;
}

}  // namespace cassandra_bloom::tools
