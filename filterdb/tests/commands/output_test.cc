// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/output.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
  // A backslash is doubled, so that the original text can be recovered.
  EXPECT_EQ(Printable("\\x0a"), "\\\\x0a");
}

TEST(FormatTest, Numbers) {
  EXPECT_EQ(AsSize(0), "0 B");
  EXPECT_EQ(AsSize(999), "999 B");
  EXPECT_EQ(AsSize(12345), "12.3 KB");
  EXPECT_EQ(AsSize(8750000), "8.75 MB");
  EXPECT_EQ(AsPercent(0.123), "12.3 %");
  EXPECT_EQ(AsThreeDigits(0.00012345), "0.000123");
  EXPECT_EQ(AsText(12), "12");
  EXPECT_EQ(AsText("a\nb"), "a\\x0ab");
}

const std::vector<Field>& Fields() {
  static const auto* const fields =
      new std::vector<Field>{{"name", "SSTable"},
                             {"keys", "keys"},
                             {"rate", "rate", AsPercent},
                             {"unread", "unread", AsText, /*is_rare=*/true}};
  return *fields;
}

TEST(TableTest, AlignsTextToTheLeftAndNumbersToTheRight) {
  const Json rows = {{{"name", "nb-1-big"}, {"keys", 5}, {"unread", 0}},
                     {{"name", "nb-\n-big"}, {"rate", 0.5}, {"keys", 12345}}};
  EXPECT_EQ(TableText(rows, Fields()),
            "  SSTable       keys  rate\n"
            "  nb-1-big         5     -\n"
            "  nb-\\x0a-big  12345  50 %\n");
}

TEST(TableTest, NotesAndARareColumn) {
  const Json rows = {{{"name", "a"}, {"unread", 2}}};
  EXPECT_EQ(TableText(rows, Fields(),
                      [](const Json& row) {
                        return std::vector<std::string>{
                            row["name"].get<std::string>() + "\n", "b"};
                      }),
            "  SSTable  keys  rate  unread\n"
            "  a           -     -       2\n"
            "    a\\x0a\n"
            "    b\n");
}

TEST(ListTest, HasALineForEachFieldThatIsThere) {
  const Json object = {
      {"name", "a\n"},         {"missing_keys", Json::array({"61", "62"})},
      {"none", Json::array()}, {"false_positive_rate", 0.123},
      {"fill", 0.5},           {"unknown", nullptr},
      {"fault", true},         {"unread", 0}};
  EXPECT_EQ(ListText(object),
            "a\\x0a\n"
            "  missing keys         61\n"
            "  missing keys         62\n"
            "  false positive rate  12.3 %\n"
            "  fill                 0.5\n"
            "  unread               0\n");
}

TEST(PrintJsonTest, BytesThatAreNotUtf8) {
  ::testing::internal::CaptureStdout();
  PrintJson({{"file", "caf\u00e9\n\xff/b"}});
  EXPECT_EQ(Json::parse(::testing::internal::GetCapturedStdout()),
            (Json{{"file", "caf\u00e9\n\ufffd/b"}}));
}

}  // namespace
}  // namespace cassandra_bloom::tools
