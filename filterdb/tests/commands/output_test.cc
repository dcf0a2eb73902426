// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/output.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace cassandra_bloom::tools {
namespace {

TEST(PrintableTest, TextThatATerminalMayShow) {
  for (const std::string text :
       {"", "nb-1-big-Filter.db", "a space", "\u00a0\u00e9\u07ff",
        "\u0800\u20ac\ud7ff\ue000\uffff", "\U00010000\U0001f600\U0010ffff"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(PrintableTest, ControlCharacters) {
  EXPECT_EQ(Printable("a\nb\rc\td"), "a\\x0ab\\x0dc\\x09d");
  EXPECT_EQ(Printable("\x1b[2K\x7f"), "\\x1b[2K\\x7f");
  EXPECT_EQ(Printable(std::string(1, '\0')), "\\x00");
  // The characters U+0080, U+009B and U+009F. In terminals, U+009B begins a
  // command.
  EXPECT_EQ(Printable("\xc2\x80\xc2\x9b\xc2\x9f"),
            "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f");
}

// A backslash is doubled, so that the original text can be recovered.
TEST(PrintableTest, Backslash) { EXPECT_EQ(Printable("\\x0a"), "\\\\x0a"); }

TEST(PrintableTest, BytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("\xff"), "\\xff");
  EXPECT_EQ(Printable("a\x80z"), "a\\x80z");
  // A cut character, three forms of '/' that are too long, a surrogate, and two
  // numbers above U+10FFFF.
  EXPECT_EQ(Printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(Printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(Printable("\xf0\x80\x80\xaf"), "\\xf0\\x80\\x80\\xaf");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(Printable("\xf8\x88\x80\x80\x80"), "\\xf8\\x88\\x80\\x80\\x80");
  EXPECT_EQ(Printable("\xe2\n\xc3(\u20ac"), "\\xe2\\x0a\\xc3(\u20ac");
}

std::string Printed(const Json& json) {
  ::testing::internal::CaptureStdout();
  PrintJson(json);
  std::string text = ::testing::internal::GetCapturedStdout();
  return Json::parse(text).dump();
}

TEST(PrintJsonTest, Utf8StaysAsItIs) {
  const Json json = {{"a", "caf\u00e9\n\x1b"},
                     {"b", {1, 2.5, nullptr, "x"}},
                     {"c", Json::array()},
                     {"d", Json::object()},
                     {"e", {{"f", true}}}};
  EXPECT_EQ(Printed(json), json.dump());
  EXPECT_EQ(Printed(Json::array({json})), Json::array({json}).dump());
}

TEST(PrintJsonTest, OtherBytesCanBeTurnedBack) {
  const Json object = {{"file", "a\xff/b"}, {"size", 1}};
  const Json expected = {
      {"file", "a\ufffd/b"}, {"file_hex", "61ff2f62"}, {"size", 1}};
  EXPECT_EQ(Printed(object), expected.dump());
  EXPECT_EQ(Printed({{"list", Json::array({object})}}),
            Json({{"list", Json::array({expected})}}).dump());
  EXPECT_EQ(Printed({{"errors", {"a\xff\n\\: no", "b\n\\: no"}}}),
            Json({{"errors", {"a\\xff\\x0a\\\\: no", "b\n\\: no"}}}).dump());
}

}  // namespace
}  // namespace cassandra_bloom::tools
