// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/key_list_reader.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "plugin/filter/endian.h"

namespace cassandra_bloom {
namespace {

class KeyListReader : public KeyReader, protected BufferedInput {
 public:
  using BufferedInput::BufferedInput;

  bool Rewind() override { return BufferedInput::Rewind(); }
  const std::string& error() const final { return BufferedInput::error(); }
  uint64_t bytes_read() const final { return BufferedInput::bytes_read(); }
  uint64_t total_bytes() const final { return BufferedInput::total_bytes(); }
};

// ---- Keys with their length ----

class LengthPrefixedReader final : public KeyListReader {
 public:
  using KeyListReader::KeyListReader;

  bool Next(std::string_view* key) override {
    if (!error().empty()) {
      return false;
    }
    if (!Require(2)) {
      return size() > 0 && FailInLength();
    }
    const size_t key_size = LoadBigEndian16(data());
    if (!Require(2 + key_size)) {
      return FailInKey(key_size);
    }
    *key = std::string_view(data() + 2, key_size);
    Consume(2 + key_size);
    return true;
  }

 private:
  bool FailInLength() {
    return FailAtByte(offset(), "ends inside the two bytes of a key's length");
  }

  bool FailInKey(size_t key_size) {
    return FailAtByte(offset(), "ends inside a key: only " +
                                    std::to_string(size() - 2) + " of its " +
                                    std::to_string(key_size) +
                                    " bytes are there");
  }
};

// ---- One key per line ----

class LineReader : public KeyListReader {
 public:
  using KeyListReader::KeyListReader;

  bool Rewind() final {
    line_number_ = 0;
    return KeyListReader::Rewind();
  }

 protected:
  // Gets the next line without its LF. Fails if the line exceeds `max_size`
  // bytes.
  bool NextLine(size_t max_size, std::string_view* line) {
    if (!error().empty()) {
      return false;
    }
    ++line_number_;
    size_t searched = 0;
    for (;;) {
      const char* const begin = data();
      const void* const end =
          std::memchr(begin + searched, '\n', size() - searched);
      if (end != nullptr) {
        return TakeLine(
            static_cast<size_t>(static_cast<const char*>(end) - begin),
            /*end_size=*/1, max_size, line);
      }
      searched = size();
      if (searched > max_size) {
        return FailTooLong();
      }
      if (!Require(searched + 1)) {
        return searched > 0 && error().empty() &&
               TakeLine(searched, /*end_size=*/0, max_size, line);
      }
    }
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
  bool TakeLine(size_t line_size, size_t end_size, size_t max_size,
                std::string_view* line) {
    if (line_size > max_size) {
      return FailTooLong();
    }
    *line = std::string_view(data(), line_size);
    Consume(line_size + end_size);
    return true;
  }

  uint64_t line_number_ = 0;
};

class TextLineReader final : public LineReader {
 public:
  using LineReader::LineReader;

  bool Next(std::string_view* key) override {
    if (!NextLine(kMaxKeySize, key)) {
      return false;
    }
    if (HasByteOrderMark(*key)) {
      return FailInLine(
          "begins with the byte order mark of UTF-8 (ef bb bf); remove it, as "
          "with tail -c +4 or, if it belongs to the key, give the keys in "
          "hexadecimal");
    }
    return key->empty() || key->back() != '\r' || FailAtCarriageReturn();
  }

 private:
  bool FailAtCarriageReturn() {
    return FailInLine(
        "ends in CR; convert the file to lines that end in LF alone or, if CR "
        "belongs to the key, give the keys in hexadecimal");
  }
};

constexpr int8_t kNoDigit = -1;

constexpr std::array<int8_t, 256> MakeDigitValues() {
  std::array<int8_t, 256> values{};
  for (size_t c = 0; c < values.size(); ++c) {
    values[c] = kNoDigit;
  }
  for (int8_t digit = 0; digit < 10; ++digit) {
    values[static_cast<size_t>('0' + digit)] = digit;
  }
  for (int8_t letter = 0; letter < 6; ++letter) {
    values[static_cast<size_t>('a' + letter)] =
        static_cast<int8_t>(10 + letter);
    values[static_cast<size_t>('A' + letter)] =
        static_cast<int8_t>(10 + letter);
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

// Returns a character for an error message, as it is or as \xhh.
std::string Quoted(char c) {
  if (c >= ' ' && c <= '~') {
    return std::string("'") + c + "'";
  }
  constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<uint8_t>(c);
  return std::string("'\\x") + kDigits[byte >> 4] + kDigits[byte & 15] + "'";
}

class HexLineReader final : public LineReader {
 public:
  using LineReader::LineReader;

  bool Next(std::string_view* key) override {
    std::string_view line;
    if (!NextLine(kMaxLineSize, &line)) {
      return false;
    }
    if (!line.empty() && line.back() == '\r') {
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
  // In bytes: "0x", the digits of the longest key, and a CR.
  static constexpr size_t kMaxLineSize = 2 + 2 * kMaxKeySize + 1;

  static bool HasPrefix(std::string_view line) {
    return line.size() >= 2 && line[0] == '0' &&
           (line[1] == 'x' || line[1] == 'X');
  }

  bool FailInDigits(std::string_view line, std::string_view digits) {
    if (HasByteOrderMark(line)) {
      return FailInLine(
          "begins with the byte order mark of UTF-8 (ef bb bf), which is no "
          "hexadecimal digit; remove it, as with tail -c +4");
    }
    for (size_t i = line.size() - digits.size(); i < line.size(); ++i) {
      if (DigitValue(line[i]) == kNoDigit) {
        return FailInLine("column " + std::to_string(i + 1) + ": " +
                          Quoted(line[i]) + " is not a hexadecimal digit");
      }
    }
    return FailInLine(std::to_string(digits.size()) +
                      " hexadecimal digits; a byte has two, so their number "
                      "must be even");
  }

  char key_[kMaxKeySize];
};

}  // namespace

std::unique_ptr<KeyReader> NewKeyReader(int fd, KeyFormat format,
                                        const std::string& name,
                                        size_t buffer_size) {
  switch (format) {
    case KeyFormat::kHexLines:
      return std::make_unique<HexLineReader>(fd, name, buffer_size);
    case KeyFormat::kTextLines:
      return std::make_unique<TextLineReader>(fd, name, buffer_size);
    case KeyFormat::kLengthPrefixed:
      return std::make_unique<LengthPrefixedReader>(fd, name, buffer_size);
  }
  return nullptr;
}

std::unique_ptr<KeyReader> OpenKeys(const std::string& path, KeyFormat format,
                                    std::string* error) {
  const int fd = OpenInput(path, error);
  return fd < 0 ? nullptr : NewKeyReader(fd, format, NameOfInput(path));
}

}  // namespace cassandra_bloom
