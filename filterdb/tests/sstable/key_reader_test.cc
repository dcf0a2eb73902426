// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/key_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "filterdb/tests/sstable/read_keys.h"

namespace cassandra_bloom::testing {
namespace {

using Keys = std::vector<std::string>;

constexpr KeyFormat kHex = KeyFormat::kHexLines;
constexpr KeyFormat kText = KeyFormat::kTextLines;

const std::string kMark = "\xef\xbb\xbf";  // UTF-8's byte order mark.

std::string ToHex(const std::string& key) {
  std::string hex;
  for (const char c : key) {
    const auto byte = static_cast<uint8_t>(c);
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789ABCDEF"[byte & 15];
  }
  return hex;
}

std::string ToRecord(const std::string& key, KeyFormat format) {
  const std::string start = key.size() % 3 == 0 ? "0x" : "";
  return (format == kHex ? start + ToHex(key) : key) + "\n";
}

std::string ToList(const Keys& keys, KeyFormat format) {
  std::string list;
  for (const std::string& key : keys) {
    list += ToRecord(key, format);
  }
  return list;
}

std::unique_ptr<KeyReader> Open(const std::string& path, KeyFormat format) {
  std::string error;
  auto reader = OpenKeys(path, format, &error);
  EXPECT_NE(reader, nullptr) << error;
  return reader;
}

std::unique_ptr<KeyReader> ReaderOf(const std::string& bytes,
                                    KeyFormat format) {
  const TemporaryFile file(bytes);
  return Open(file.path(), format);
}

KeysAndError Read(const std::string& bytes, KeyFormat format) {
  return ReadKeys(ReaderOf(bytes, format).get());
}

// ---- Valid lists ----

struct GoodList {
  const char* what;
  KeyFormat format;
  std::string bytes;
  Keys keys;
};

const GoodList kGoodLists[] = {
    {"no bytes, hex", kHex, "", {}},
    {"no bytes, text", kText, "", {}},
    {"both cases of digits",
     kHex,
     "00ff7F\nAbCdEf\n",
     {std::string("\0\xff\x7f", 3), "\xab\xcd\xef"}},
    {"every digit",
     kHex,
     "0123456789abcdefABCDEF\n",
     {"\x01\x23\x45\x67\x89\xab\xcd\xef\xab\xcd\xef"}},
    {"prefixes", kHex, "0x61\n0X62\n63\n", {"a", "b", "c"}},
    {"a key that begins with a zero", kHex, "0061\n", {std::string("\0a", 2)}},
    {"the empty key", kHex, "0x\n61\n", {"", "a"}},
    {"CR LF", kHex, "61\r\n0x\r\n62\r\n", {"a", "", "b"}},
    {"no end of the last line, hex", kHex, "61\n62", {"a", "b"}},
    {"CR alone at the end", kHex, "61\r\n62\r", {"a", "b"}},
    {"plain text", kText, "alice\nbob\n", {"alice", "bob"}},
    {"no end of the last line, text", kText, "alice\nbob", {"alice", "bob"}},
    {"empty lines", kText, "\na\n\n", {"", "a", ""}},
    {"any bytes but LF",
     kText,
     std::string(" a\0\t\xff \n#\n0x61\n\rb\n", 16),
     {std::string(" a\0\t\xff ", 6), "#", "0x61", "\rb"}},
    {"a byte order mark in another line, and parts of one",
     kText,
     "\xef\xbb\n\xef\xbb\xbf"
     "a\n\xfe\xff\n",
     {"\xef\xbb", kMark + "a", "\xfe\xff"}},
    {"a key like a byte order mark, hex", kHex, "efbbbf\n", {"\xef\xbb\xbf"}},
};

TEST(KeyReaderTest, ReadsGoodLists) {
  for (const GoodList& list : kGoodLists) {
    SCOPED_TRACE(list.what);
    const KeysAndError read = Read(list.bytes, list.format);
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.keys, list.keys);
  }
}

// ---- Broken lists ----

struct BrokenList {
  const char* what;
  KeyFormat format;
  std::string bytes;
  size_t keys_before;
  const char* error;
};

const BrokenList kBrokenLists[] = {
    {"an odd digit", kHex, "61\n616\n", 1,
     "line 2: 3 hexadecimal digits; a byte has two"},
    {"one digit", kHex, "6", 0, "line 1: 1 hexadecimal digits"},
    {"an odd digit after 0x", kHex, "0x616\n", 0,
     "line 1: 3 hexadecimal digits"},
    {"no digit", kHex, "616g\n", 0,
     "line 1: column 4: 'g' is not a hexadecimal digit"},
    {"neighbours of digits", kHex, "61\n62\n/0\n", 2, "line 3: column 1: '/'"},
    {"neighbours of digits", kHex, "0:\n", 0, "line 1: column 2: ':'"},
    {"neighbours of digits", kHex, "@0\n", 0, "line 1: column 1: '@'"},
    {"neighbours of digits", kHex, "0G\n", 0, "line 1: column 2: 'G'"},
    {"neighbours of digits", kHex, "`0\n", 0, "line 1: column 1: '`'"},
    {"0x twice", kHex, "0x0x61\n", 0, "line 1: column 4: 'x'"},
    {"0x not in front", kHex, "610x\n", 0, "line 1: column 4: 'x'"},
    {"a blank behind", kHex, "61 \n", 0, "line 1: column 3: ' '"},
    {"two CRs", kHex, "61\r\r\n", 0, "line 1: column 3: '\r'"},
    {"CR as the end of lines", kHex, "61\r62\r", 0, "column 3: '\r'"},
    {"a byte order mark", kHex, kMark + "61\n", 0, "line 1: column 1: '\xef'"},
    {"a byte order mark in another line", kHex, "61\n" + kMark + "61\n", 1,
     "line 2: column 1: '\xef'"},
    {"a byte order mark", kText, kMark + "alice\nbob\n", 0,
     "line 1: begins with the byte order mark of UTF-8 (ef bb bf); remove it, "
     "as with tail -c +4 or, if it belongs to the key, give the keys in "
     "hexadecimal"},
    {"a zero byte", kHex, std::string("6\0\n", 3), 0, "column 2: '"},
    {"an empty line", kHex, "61\n\n62\n", 1,
     "line 2: empty; the empty key is written as 0x"},
    {"65536 bytes", kHex, std::string(131072, 'a') + "\n", 0,
     "line 1: more than 65535 bytes"},
    {"65535 bytes and a digit", kHex, "00\n" + std::string(131071, 'a') + "\n",
     1, "line 2: more than 65535 bytes"},
    {"CR LF", kText, "alice\nbob\r\n", 1, "line 2: ends in CR; convert"},
    {"CR alone", kText, "\r\n", 0, "line 1: ends in CR"},
    {"CR without LF", kText, "a\nb\r", 1, "line 2: ends in CR"},
    {"65536 bytes", kText, "a\nb\n" + std::string(65536, 'a') + "\nb\n", 2,
     "line 3: more than 65535 bytes"},
    {"65536 bytes at the end", kText, std::string(65536, 'a'), 0,
     "line 1: more than 65535 bytes"},
};

TEST(KeyReaderTest, RefusesBrokenLists) {
  for (const BrokenList& list : kBrokenLists) {
    SCOPED_TRACE(std::string(list.what) + ": " + list.error);
    ExpectBroken(
        list.bytes, list.keys_before, list.error,
        [&](const std::string& path) { return Open(path, list.format); });
  }
}

// ---- Sizes and read errors ----

class KeyFormatTest : public ::testing::TestWithParam<KeyFormat> {};

INSTANTIATE_TEST_SUITE_P(KeyReaderTest, KeyFormatTest,
                         ::testing::Values(kHex, kText));

TEST_P(KeyFormatTest, TakesTheShortestAndTheLongestKey) {
  const Keys keys = {"", std::string(65535, 'a'), "",
                     std::string(65535, '\xb0')};
  const KeysAndError read = Read(ToList(keys, GetParam()), GetParam());
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.keys, keys);
}

TEST_P(KeyFormatTest, CountsBytes) {
  const Keys keys = {"a", "bc", "def"};
  const auto reader = ReaderOf(ToList(keys, GetParam()), GetParam());
  EXPECT_EQ(reader->total_bytes(), ToList(keys, GetParam()).size());
  EXPECT_EQ(reader->bytes_read(), 0U);
  uint64_t expected = 0;
  for (const std::string& key : keys) {
    std::string_view read;
    ASSERT_TRUE(reader->Next(&read));
    EXPECT_EQ(read, key);
    expected += ToRecord(key, GetParam()).size();
    EXPECT_EQ(reader->bytes_read(), expected);
  }
}

TEST_P(KeyFormatTest, TellsAFaultOfTheInput) {
  const Keys keys = {"abc", "def", "ghi"};
  const std::string list = ToList(keys, GetParam());
  for (size_t at = 0; at < list.size(); ++at) {
    const TemporaryFile file(list);
    const auto reader = Open(file.path(), GetParam());
    WriteFile(file.path(), list.substr(0, at));
    const KeysAndError read = ReadKeys(reader.get());
    EXPECT_EQ(read.error, file.path() +
                              ": was truncated while it was read: byte " +
                              std::to_string(at) + " of " +
                              std::to_string(list.size()) + " is missing");
    EXPECT_EQ(read.keys.size(), at / (list.size() / 3)) << at;
  }
}

// The kernel refuses to read the first byte of this file.
TEST_P(KeyFormatTest, TellsThatItCannotRead) {
  EXPECT_EQ(ReadKeys(Open("/proc/self/mem", GetParam()).get()).error,
            "/proc/self/mem: cannot read: Input/output error");
}

// After the end of input, a terminal may deliver more bytes. These bytes belong
// to other readers.
TEST_P(KeyFormatTest, DoesNotReadBehindTheEnd) {
  const std::string list = ToList({"abc"}, GetParam());
  const StandardInput input(PacketsOf({list, "", list}));
  const auto reader = Open("-", GetParam());
  EXPECT_EQ(ReadKeys(reader.get()).keys, Keys{"abc"});
  EXPECT_EQ(ReadKeys(reader.get()).keys, Keys{});
}

TEST(KeyReaderTest, DoesNotBufferAnEndlessLine) {
  for (const KeyFormat format : {kHex, kText}) {
    constexpr off_t kLineSize = 512 << 10;
    const TemporaryFile file(std::string(kLineSize, 'a'));
    const StandardInput input(open(file.path().c_str(), O_RDONLY));
    EXPECT_EQ(ReadKeys(Open("-", format).get()).error,
              "standard input: line 1: more than 65535 bytes, which no key of "
              "Cassandra has");
    EXPECT_LT(lseek(STDIN_FILENO, 0, SEEK_CUR), kLineSize);  // It stops early.
  }
}

// ---- Files and pipes ----

TEST(KeyReaderTest, ReadsAFileThatDoesNotTellItsSize) {
  const auto reader = Open("/proc/self/status", kText);
  EXPECT_EQ(reader->total_bytes(), 0U);
  std::string_view key;
  ASSERT_TRUE(reader->Next(&key)) << reader->error();
  EXPECT_EQ(key.substr(0, 5), "Name:");
}

TEST(KeyReaderTest, CannotOpen) {
  std::string error;
  EXPECT_EQ(OpenKeys("/no/such/file", kHex, &error), nullptr);
  EXPECT_EQ(error, "/no/such/file: cannot open: No such file or directory");
  EXPECT_EQ(OpenKeys("/tmp", kHex, &error), nullptr);
  EXPECT_EQ(error, "/tmp: cannot open: Is a directory");
}

// A read may end in the middle of a record.
TEST_P(KeyFormatTest, ReadsPieces) {
  Keys keys;
  for (size_t i = 0; i < 12; ++i) {
    keys.push_back(std::string(i * 7, static_cast<char>('a' + i % 26)));
  }
  const std::string list = ToList(keys, GetParam());
  for (const size_t piece_size : {7U, 77U, 100000U}) {
    std::vector<std::string> pieces;
    for (size_t at = 0; at < list.size(); at += piece_size) {
      pieces.push_back(list.substr(at, piece_size));
    }
    const StandardInput input(PacketsOf(pieces));
    const auto reader = Open("-", GetParam());
    EXPECT_EQ(reader->total_bytes(), 0U);
    const KeysAndError read = ReadKeys(reader.get());
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.keys, keys);
    EXPECT_EQ(reader->bytes_read(), list.size());
  }
}

TEST(KeyReaderTest, ReadsARedirectedFileFromWhereItStands) {
  const TemporaryFile file("title\na\nb\n");
  const int fd = open(file.path().c_str(), O_RDONLY);
  ASSERT_EQ(lseek(fd, 6, SEEK_SET), 6);
  const StandardInput input(fd);
  const auto reader = Open("-", kText);
  EXPECT_EQ(reader->total_bytes(), 4U);
  EXPECT_EQ(ReadKeys(reader.get()).keys, (Keys{"a", "b"}));
}

}  // namespace
}  // namespace cassandra_bloom::testing
