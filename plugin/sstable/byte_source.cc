// SPDX-License-Identifier: Apache-2.0

#include "plugin/sstable/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace cassandra_bloom {
namespace {

// read() and pread() take at most this much at once.
constexpr size_t kMaxRead = size_t{1} << 30;

std::string Errno(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

class FileSource : public ByteSource {
 public:
  FileSource(int fd, bool owned) : fd_(fd), owned_(owned) {}
  ~FileSource() override {
    if (owned_) {
      close(fd_);
    }
  }

 protected:
  int fd() const { return fd_; }

 private:
  const int fd_;
  const bool owned_;
};

// A pipe, a terminal or a device.
class Stream final : public FileSource {
 public:
  using FileSource::FileSource;

  bool Read(char* to, size_t capacity, size_t* size,
            std::string* error) override {
    ssize_t got;
    do {
      got = read(fd(), to, std::min(capacity, kMaxRead));
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      *error = Errno("cannot read");
      return false;
    }
    *size = static_cast<size_t>(got);
    return true;
  }

  bool TrySkip(uint64_t) override { return false; }

  bool Rewind(std::string* error) override {
    *error = "cannot be read twice, as it is not a regular file";
    return false;
  }

  uint64_t total_bytes() const override { return 0; }
};

// From where the descriptor stands (standard input may have been read from) up
// to the size of now.
class RegularFile final : public FileSource {
 public:
  // For files that have bytes and no size, as in /proc.
  static constexpr uint64_t kSizeNotKnown = UINT64_MAX;

  RegularFile(int fd, bool owned, uint64_t start, uint64_t size)
      : FileSource(fd, owned), start_(start), size_(size) {
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  }

  bool Read(char* to, size_t capacity, size_t* size,
            std::string* error) override {
    *size = 0;
    const auto wanted = static_cast<size_t>(
        std::min<uint64_t>(std::min(capacity, kMaxRead), size_ - position_));
    if (wanted == 0) {
      return true;
    }
    ssize_t got;
    do {
      got = pread(fd(), to, wanted, static_cast<off_t>(start_ + position_));
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      *error = Errno("cannot read");
      return false;
    }
    if (got == 0 && size_ != kSizeNotKnown) {
      *error = "has been cut while it was read: no byte " +
               std::to_string(start_ + position_) + " of " +
               std::to_string(start_ + size_);
      return false;
    }
    *size = static_cast<size_t>(got);
    position_ += *size;
    return true;
  }

  bool TrySkip(uint64_t size) override {
    if (size_ == kSizeNotKnown || size > size_ - position_) {
      return false;
    }
    position_ += size;
    return true;
  }

  bool Rewind(std::string*) override {
    position_ = 0;
    return true;
  }

  uint64_t total_bytes() const override {
    return size_ == kSizeNotKnown ? 0 : size_;
  }

 private:
  const uint64_t start_;
  const uint64_t size_;
  uint64_t position_ = 0;
};

std::unique_ptr<ByteSource> SourceOf(int fd, bool owned,
                                     const struct stat& status) {
  if (!S_ISREG(status.st_mode)) {
    return std::make_unique<Stream>(fd, owned);
  }
  const off_t size = status.st_size;
  if (size == 0) {
    return std::make_unique<RegularFile>(fd, owned, /*start=*/0,
                                         RegularFile::kSizeNotKnown);
  }
  const off_t start = std::clamp<off_t>(lseek(fd, 0, SEEK_CUR), 0, size);
  return std::make_unique<RegularFile>(fd, owned, static_cast<uint64_t>(start),
                                       static_cast<uint64_t>(size - start));
}

}  // namespace

std::unique_ptr<ByteSource> OpenByteSource(const std::string& path,
                                           std::string* error) {
  const bool owned = path != "-";
  const int fd =
      owned ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  struct stat status;
  const bool opened = fd >= 0 && fstat(fd, &status) == 0;
  if (!opened || S_ISDIR(status.st_mode)) {
    errno = opened ? EISDIR : errno;
    *error = NameOfInput(path) + ": " + Errno("cannot open");
    if (owned && fd >= 0) {
      close(fd);
    }
    return nullptr;
  }
  return SourceOf(fd, owned, status);
}

std::string NameOfInput(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

}  // namespace cassandra_bloom
