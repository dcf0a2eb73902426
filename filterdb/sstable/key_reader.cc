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

class LineReader : public KeyReader {
 public:
  // Closes `fd` at the end.
  LineReader(int fd, const std::string& name)
      : fd_(fd), name_(name), start_(lseek(fd, 0, SEEK_CUR)) {
    struct stat status;
    if (start_ >= 0 && fstat(fd, &status) == 0 && status.st_size > start_) {
      total_bytes_ = static_cast<uint64_t>(status.st_size - start_);
    }
  }

  bool Rewind() final {
    error_.clear();
    bytes_read_ = 0;
    line_number_ = 0;
    rest_ = {};
    at_end_ = false;
    return (start_ >= 0 && lseek(fd_.get(), start_, SEEK_SET) >= 0) ||
           Fail("cannot be read twice, as it is not a regular file");
  }

 protected:
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

  bool FailInLine(const std::string& what) {
    return Fail("line " + std::to_string(line_number_) + ": " + what);
  }

  // Returns true if the first line begins with the byte order mark of UTF-8,
  // which some editors add (The Unicode Standard, section 23.8).
  bool HasByteOrderMark(std::string_view line) const {
    return line_number_ == 1 && line.substr(0, 3) == "\xef\xbb\xbf";
  }

  bool FailTooLong() {
    return FailInLine("more than " + std::to_string(kMaxKeySize) +
                      " bytes, which no key of Cassandra has");
  }

 private:
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

  bool Fail(const std::string& what) {
    error_ = name_ + ": " + what;
    return false;
  }

  const FileDescriptor fd_;
  const std::string name_;
  const off_t start_;  // The offset at construction, or -1 for a pipe.
  std::vector<char> buffer_ = std::vector<char>(size_t{256} << 10);
  std::string_view rest_;  // What was read, but is in no line yet.
  bool at_end_ = false;
  uint64_t line_number_ = 0;
};

class TextLineReader final : public LineReader {
 public:
  using LineReader::LineReader;

  bool Next(std::string_view* key) override {
    if (!NextLine(key)) {
      return false;
    }
    if (key->size() > kMaxKeySize) {
      return FailTooLong();
    }
    if (HasByteOrderMark(*key)) {
      return FailInLine(
          "begins with the byte order mark of UTF-8 (ef bb bf); remove it, as "
          "with tail -c +4 or, if it belongs to the key, give the keys in "
          "hexadecimal");
    }
    return !EndsWith(*key, "\r") ||
           FailInLine(
               "ends in CR; convert the file to lines that end in LF alone or, "
               "if CR belongs to the key, give the keys in hexadecimal");
  }
};

constexpr int8_t kNoDigit = -1;

constexpr std::array<int8_t, 256> MakeDigitValues() {
  std::array<int8_t, 256> values{};
  for (int8_t& value : values) {
    value = kNoDigit;
  }
  constexpr char kDigits[] = "0123456789abcdef0123456789ABCDEF";
  for (size_t i = 0; i < 32; ++i) {
    values[static_cast<size_t>(kDigits[i])] = static_cast<int8_t>(i % 16);
  }
  return values;
}

constexpr std::array<int8_t, 256> kDigitValues = MakeDigitValues();

int DigitValue(char c) { return kDigitValues[static_cast<uint8_t>(c)]; }

// Decodes an even number of hexadecimal digits. Returns false for any other
// character.
bool DecodeHex(std::string_view digits, char* bytes) {
  int all = 0;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = DigitValue(digits[i]);
    const int low = DigitValue(digits[i + 1]);
    all |= high | low;  // Negative if a digit is kNoDigit.
    bytes[i / 2] = static_cast<char>(high * 16 + low);
  }
  return all >= 0;
}

class HexLineReader final : public LineReader {
 public:
  using LineReader::LineReader;

  bool Next(std::string_view* key) override {
    std::string_view line;
    if (!NextLine(&line)) {
      return false;
    }
    if (EndsWith(line, "\r")) {
      line.remove_suffix(1);
    }
    if (line.empty()) {
      return FailInLine("empty; the empty key is written as 0x");
    }
    const std::string_view digits = line.substr(HasPrefix(line) ? 2 : 0);
    if (digits.size() > 2 * kMaxKeySize) {
      return FailTooLong();
    }
    if (digits.size() % 2 != 0 || !DecodeHex(digits, key_)) {
      return FailInDigits(line, digits);
    }
    *key = std::string_view(key_, digits.size() / 2);
    return true;
  }

 private:
  static bool HasPrefix(std::string_view line) {
    return line.size() >= 2 && line[0] == '0' &&
           (line[1] == 'x' || line[1] == 'X');
  }

  bool FailInDigits(std::string_view line, std::string_view digits) {
    for (size_t i = line.size() - digits.size(); i < line.size(); ++i) {
      if (DigitValue(line[i]) == kNoDigit) {
        return FailInLine("column " + std::to_string(i + 1) + ": '" + line[i] +
                          "' is not a hexadecimal digit");
      }
    }
    return FailInLine(std::to_string(digits.size()) +
                      " hexadecimal digits; a byte has two, so their number "
                      "must be even");
  }

  char key_[kMaxKeySize];
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
  if (format == KeyFormat::kHexLines) {
    return std::make_unique<HexLineReader>(fd, name);
  }
  return std::make_unique<TextLineReader>(fd, name);
}

}  // namespace cassandra_bloom
