// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/key_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom {
namespace {

// The longest partition key in bytes. Cassandra writes the length of a key as
// an unsigned 16-bit number (ByteBufferUtil.writeWithShortLength).
constexpr size_t kMaxKeySize = 65535;

// The values of hexadecimal digits, and -1 for other characters. Branches for
// digits and letters would take five times as long.
constexpr std::array<int8_t, 256> MakeDigitValues() {
  std::array<int8_t, 256> values{};
  for (size_t c = 0; c < values.size(); ++c) {
    values[c] = -1;
  }
  constexpr char kDigits[] = "0123456789abcdef0123456789ABCDEF";
  for (size_t i = 0; i < 32; ++i) {
    values[static_cast<size_t>(kDigits[i])] = static_cast<int8_t>(i % 16);
  }
  return values;
}

constexpr std::array<int8_t, 256> kDigitValues = MakeDigitValues();

class KeyList final : public KeyReader {
 public:
  // Closes `fd` at the end.
  KeyList(int fd, const std::string& name, KeyFormat format)
      : fd_(fd), name_(name), format_(format), start_(lseek(fd, 0, SEEK_CUR)) {
    struct stat status;
    if (start_ >= 0 && fstat(fd, &status) == 0 && status.st_size > start_) {
      total_bytes_ = static_cast<uint64_t>(status.st_size - start_);
    }
  }

  bool Next(std::string_view* key) override {
    std::string_view line;
    return NextLine(&line) &&
           (format_ == KeyFormat::kHexLines ? KeyOfHex(line, key)
                                            : KeyOfText(line, key));
  }

 private:
  // Gets the next line without its LF.
  bool NextLine(std::string_view* line) {
    if (!error_.empty()) {
      return false;
    }
    ++line_number_;
    size_t end = rest_.find('\n');
    while (end == std::string_view::npos && ReadMore()) {
      end = rest_.find('\n');
    }
    if (end == std::string_view::npos) {
      if (!CheckEnd() || rest_.empty()) {
        return false;
      }
      end = rest_.size();
    }
    *line = rest_.substr(0, end);
    const size_t taken = std::min(end + 1, rest_.size());
    rest_.remove_prefix(taken);
    bytes_read_ += taken;
    return true;
  }

  bool KeyOfText(std::string_view line, std::string_view* key) {
    *key = line;
    if (line.size() > kMaxKeySize) {
      return FailTooLong();
    }
    // Some editors add this mark (The Unicode Standard, section 23.8).
    if (line_number_ == 1 && line.substr(0, 3) == "\xef\xbb\xbf") {
      return FailInLine(
          "begins with the byte order mark of UTF-8 (ef bb bf); remove it, as "
          "with tail -c +4 or, if it belongs to the key, give the keys in "
          "hexadecimal");
    }
    return !EndsWith(line, "\r") ||
           FailInLine(
               "ends in CR; convert the file to lines that end in LF alone or, "
               "if CR belongs to the key, give the keys in hexadecimal");
  }

  bool KeyOfHex(std::string_view line, std::string_view* key) {
    if (EndsWith(line, "\r")) {
      line.remove_suffix(1);
    }
    if (line.empty()) {
      return FailInLine("empty; the empty key is written as 0x");
    }
    const std::string_view prefix = line.substr(0, 2);
    const size_t begin = prefix == "0x" || prefix == "0X" ? 2 : 0;
    const size_t num_digits = line.size() - begin;
    if (num_digits > 2 * kMaxKeySize) {
      return FailTooLong();
    }
    for (size_t i = 0; i < num_digits; ++i) {
      const int value = kDigitValues[static_cast<uint8_t>(line[begin + i])];
      if (value < 0) {
        return FailInLine("column " + std::to_string(begin + i + 1) + ": '" +
                          line[begin + i] + "' is not a hexadecimal digit");
      }
      char& byte = key_[i / 2];
      byte = static_cast<char>(i % 2 == 0 ? value << 4 : byte | value);
    }
    *key = std::string_view(key_, num_digits / 2);
    return num_digits % 2 == 0 ||
           FailInLine(std::to_string(num_digits) +
                      " hexadecimal digits; a byte has two, so their number "
                      "must be even");
  }

  // Reads more bytes behind those of rest_. Returns false at the end of the
  // input, if the buffer is full, or after an error.
  bool ReadMore() {
    if (at_end_ || rest_.size() == buffer_.size()) {
      return false;
    }
    std::copy(rest_.begin(), rest_.end(), buffer_.begin());
    ssize_t got;
    do {
      got = read(fd_.get(), buffer_.data() + rest_.size(),
                 buffer_.size() - rest_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      return Fail(std::string("cannot read: ") + std::strerror(errno));
    }
    at_end_ = got == 0;  // Final, even if a terminal gives more.
    rest_ = {buffer_.data(), rest_.size() + static_cast<size_t>(got)};
    return got > 0;
  }

  // Fails unless the rest is the last line. The file may have become shorter
  // since it was opened.
  bool CheckEnd() {
    if (!error_.empty()) {
      return false;
    }
    if (!at_end_) {
      return FailTooLong();
    }
    const uint64_t end = bytes_read_ + rest_.size();
    if (end >= total_bytes_) {
      return true;
    }
    const auto start = static_cast<uint64_t>(start_);
    return Fail("was truncated while it was read: byte " +
                std::to_string(start + end) + " of " +
                std::to_string(start + total_bytes_) + " is missing");
  }

  bool FailTooLong() {
    return FailInLine("more than " + std::to_string(kMaxKeySize) +
                      " bytes, which no key of Cassandra has");
  }

  bool FailInLine(const std::string& what) {
    return Fail("line " + std::to_string(line_number_) + ": " + what);
  }

  bool Fail(const std::string& what) {
    error_ = name_ + ": " + what;
    return false;
  }

  const FileDescriptor fd_;
  const std::string name_;
  const KeyFormat format_;
  const off_t start_;  // The offset at construction, or -1 for a pipe.
  std::vector<char> buffer_ = std::vector<char>(size_t{256} << 10);
  std::string_view rest_;  // What was read, but is in no line yet.
  bool at_end_ = false;
  uint64_t line_number_ = 0;
  char key_[kMaxKeySize];  // Decoded from hexadecimal digits.
};

}  // namespace

std::string NameOfInput(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::unique_ptr<KeyReader> OpenKeys(const std::string& path, KeyFormat format,
                                    std::string* error) {
  const std::string name = NameOfInput(path);
  const int fd = path == "-" ? dup(STDIN_FILENO)
                             : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  const bool is_folder =
      fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
  if (fd < 0 || is_folder) {
    errno = is_folder ? EISDIR : errno;
    FailWithErrno(name, "cannot open", error);
    const FileDescriptor closed(fd);
    return nullptr;
  }
  return std::make_unique<KeyList>(fd, name, format);
}

}  // namespace cassandra_bloom
