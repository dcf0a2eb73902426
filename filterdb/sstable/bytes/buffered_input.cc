// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/bytes/buffered_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom {

int OpenInput(const std::string& path, std::string* error) {
  const int fd =
      path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  const bool opened = fd >= 0 && fstat(fd, &status) == 0;
  if (opened && !S_ISDIR(status.st_mode)) {
    return fd;
  }
  errno = opened ? EISDIR : errno;
  FailWithErrno(NameOfInput(path), "cannot open", error);
  if (fd > STDIN_FILENO) {
    close(fd);
  }
  return -1;
}

std::string NameOfInput(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

BufferedInput::BufferedInput(int fd, const std::string& name, size_t capacity)
    : fd_(fd),
      name_(name),
      capacity_(std::max<size_t>(capacity, 1)),
      buffer_(new char[capacity_]),
      begin_(buffer_.get()),
      end_(buffer_.get()) {
  struct stat status;
  is_regular_ = fstat(fd_, &status) == 0 && S_ISREG(status.st_mode);
  if (!is_regular_) {
    return;
  }
  posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  if (status.st_size > 0) {
    start_ = static_cast<uint64_t>(
        std::clamp<off_t>(lseek(fd_, 0, SEEK_CUR), 0, status.st_size));
    size_ = static_cast<uint64_t>(status.st_size) - start_;
  }
}

BufferedInput::~BufferedInput() {
  if (fd_ != STDIN_FILENO) {
    close(fd_);
  }
}

bool BufferedInput::Rewind() {
  error_.clear();
  begin_ = end_ = buffer_.get();
  end_offset_ = 0;
  at_end_ = !is_regular_;
  return is_regular_ ||
         Fail("cannot be read twice, as it is not a regular file");
}

bool BufferedInput::Fail(const std::string& what) {
  if (error_.empty()) {
    error_ = name_ + ": " + what;
  }
  return false;
}

bool BufferedInput::Fill(size_t wanted) {
  MakeRoom(wanted);
  while (size() < wanted) {
    if (!ReadMore()) {
      return false;
    }
  }
  return true;
}

// Makes room in the buffer for `wanted` bytes from begin_ on.
void BufferedInput::MakeRoom(size_t wanted) {
  const auto used = static_cast<size_t>(begin_ - buffer_.get());
  if (used + wanted <= capacity_ && used <= capacity_ / 2) {
    return;
  }
  const size_t kept = size();
  if (wanted > capacity_) {
    const size_t larger = std::max(wanted, 2 * capacity_);
    std::unique_ptr<char[]> buffer(new char[larger]);
    std::memcpy(buffer.get(), begin_, kept);
    buffer_ = std::move(buffer);
    capacity_ = larger;
  } else {
    std::memmove(buffer_.get(), begin_, kept);
  }
  begin_ = buffer_.get();
  end_ = begin_ + kept;
}

bool BufferedInput::ReadMore() {
  const auto used = static_cast<size_t>(end_ - buffer_.get());
  const auto wanted = static_cast<size_t>(
      std::min<uint64_t>(capacity_ - used, size_ - end_offset_));
  if (at_end_ || wanted == 0) {
    return false;
  }
  char* const to = buffer_.get() + used;
  ssize_t got;
  do {
    got = is_regular_
              ? pread(fd_, to, wanted, static_cast<off_t>(start_ + end_offset_))
              : read(fd_, to, wanted);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    at_end_ = true;  // The end is final, even if a terminal gives more input.
    if (got < 0) {
      return Fail(std::string("cannot read: ") + std::strerror(errno));
    }
    return size_ != kSizeNotKnown &&
           Fail("was truncated while it was read: byte " +
                std::to_string(start_ + end_offset_) + " of " +
                std::to_string(start_ + size_) + " is missing");
  }
  end_ += got;
  end_offset_ += static_cast<uint64_t>(got);
  return true;
}

bool BufferedInput::Skip(uint64_t size) {
  // Fails at once, without reading the rest of the file.
  if (size > size_ - offset()) {
    return false;
  }
  while (size > this->size()) {
    size -= this->size();
    begin_ = end_ = buffer_.get();
    if (size_ != kSizeNotKnown) {
      end_offset_ += size;
      return true;
    }
    if (!ReadMore()) {
      return false;
    }
  }
  Consume(static_cast<size_t>(size));
  return true;
}

}  // namespace cassandra_bloom
