// SPDX-License-Identifier: Apache-2.0

// Tests what info, check and build do with valid files: the JSON, one text of
// each, and that a filter is that of the reference.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/naive_filter.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Returns a filter of one 64-bit word. `byte` is each of its bytes.
std::string OneWord(char probes, char byte) {
  return std::string("\0\0\0", 3) + probes + std::string("\0\0\0\1", 4) +
         std::string(8, byte);
}

class FilterFilesTest : public ::testing::Test {
 protected:
  FilterFilesTest() {
    WriteFile(dir_ / "keys", "alice\nbob\ncarol\n");
    WriteFile(dir_ / "nb-1-big-Filter.db", OneWord(5, '\x55'));
    WriteFile(dir_ / "nb-3-big-Filter.db", "");
    WriteFile(dir_ / "nb-4-big-Filter.db", OneWord(5, '\0'));
    WriteFile(dir_ / "nb-6-big-Filter.db", OneWord(5, '\xff'));
  }

  // Runs filterdb in `dir_`. `before` is shell text before the command.
  Ran Run(const std::string& arguments, const std::string& before = "") const {
    return Filterdb(arguments, "cd " + dir_.path() + "; " + before);
  }
  // Expects success, and nothing on stderr.
  Ran Good(const std::string& arguments, const std::string& before = "") const {
    const Ran ran = Exits(0, Run(arguments, before));
    EXPECT_EQ(ran.err, "") << arguments;
    return ran;
  }
  std::string Read(const std::string& name) const {
    return ReadFile(dir_ / name);
  }

  const TempDir dir_;
};

const std::string kText = " --keys=keys --key-format=text ";

TEST_F(FilterFilesTest, Info) {
  EXPECT_EQ(Good("info nb-1-big-Filter.db").out,
            "nb-1-big-Filter.db\n"
            "  form            na-and-later\n"
            "  probes          5\n"
            "  words           1\n"
            "  bits            64\n"
            "  set bits        32\n"
            "  fill ratio      0.5\n"
            "  estimated keys  9\n"
            "  estimated rate  3.12 %\n"
            "  verdict         ok\n");
  EXPECT_THAT(Exits(0, Run("info nb-6-big-Filter.db")).out,
              HasSubstr("  fill ratio      1\n"
                        "  estimated rate  100 %\n"
                        "  verdict         saturated\n"));
  EXPECT_THAT(Good("info nb-4-big-Filter.db").out, HasSubstr("nearly empty\n"));
  EXPECT_THAT(Exits(0, Run("info nb-3-big-Filter.db")).out,
              HasSubstr("verdict         empty: every look-up reads the disk"));
  const Ran json =
      Exits(0, Run("info --json nb-6-big-Filter.db nb-1-big-Filter.db"));
  ASSERT_EQ(json.json().size(), 2U);
  WriteFile(dir_ / "nb-7-big-Filter.db", OneWord(5, '\x55') + "more");
  EXPECT_THAT(Exits(3, Run("info nb-7-big-Filter.db nb-1-big-Filter.db")).out,
              HasSubstr("  verdict         too long: 20 bytes, and 16 by its "
                        "header\n"));
  EXPECT_EQ(json.json()[0], (Json{{"file", "nb-6-big-Filter.db"},
                                  {"form", "na-and-later"},
                                  {"probes", 5},
                                  {"words", 1},
                                  {"bits", 64},
                                  {"set_bits", 64},
                                  {"fill_ratio", 1.0},
                                  {"estimated_keys", nullptr},
                                  {"estimated_rate", 1.0},
                                  {"verdict", "saturated"}}));
}

TEST_F(FilterFilesTest, InfoGoesOnAfterABrokenFile) {
  WriteFile(dir_ / "nb-5-big-Filter.db", "broken");
  const Ran ran =
      Exits(3, Run("info --json nb-1-big-Filter.db nb-5-big-Filter.db "
                   "nb-1-big-Filter.db"));
  const std::string error =
      "nb-5-big-Filter.db: truncated: 6 bytes, and the header alone has 8";
  EXPECT_EQ(ran.err, "filterdb: " + error + "\n");
  ASSERT_EQ(ran.json().size(), 3U);
  EXPECT_EQ(ran.json()[1],
            (Json{{"file", "nb-5-big-Filter.db"}, {"error", error}}));
}

TEST_F(FilterFilesTest, Build) {
  EXPECT_EQ(Good("build --bits=10 --out=nb-9-big-Filter.db" + kText).out,
            "nb-9-big-Filter.db\n"
            "  keys    3\n"
            "  probes  7\n"
            "  words   1\n");
  EXPECT_EQ(
      Good("build --bits=10 --force --json --out=nb-9-big-Filter.db" + kText)
          .json(),
      (Json{{"file", "nb-9-big-Filter.db"},
            {"keys", 3},
            {"probes", 7},
            {"words", 1}}));
}

TEST_F(FilterFilesTest, Check) {
  EXPECT_EQ(Good("check nb-6-big-Filter.db" + kText).out,
            "nb-6-big-Filter.db\n"
            "  keys     3\n"
            "  missing  0\n");
  EXPECT_EQ(Exits(2, Run("check nb-4-big-Filter.db" + kText)).out,
            "nb-4-big-Filter.db\n"
            "  keys          3\n"
            "  missing       3\n"
            "  missing keys  616c696365\n"
            "  missing keys  626f62\n"
            "  missing keys  6361726f6c\n");
  EXPECT_EQ(Exits(2, Run("check --json nb-4-big-Filter.db" + kText)).json(),
            (Json{{"file", "nb-4-big-Filter.db"},
                  {"keys", 3},
                  {"missing", 3},
                  {"missing_keys", {"616c696365", "626f62", "6361726f6c"}}}));
  Good("check nb-3-big-Filter.db" + kText);  // Every key is present.
}

// Random keys, from a list, from standard input, and from an index.
TEST_F(FilterFilesTest, BuildEqualsTheReference) {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, Seed());
  const RandomKeys random(Seed(), 30);
  SstableSpec spec;
  spec.folder = dir_.path();
  spec.version = "da";
  std::string list;
  for (uint32_t i = 0; i < 2000; ++i) {
    // Each ends in its own number, so that no two are equal.
    spec.keys.push_back(random[i] + std::to_string(i));
  }
  for (const std::string& key : spec.keys) {
    list += "0x";
    for (const char c : key) {
      for (const int digit : {c >> 4 & 15, c & 15}) {
        list += "0123456789abcdef"[digit];
      }
    }
    list += "\n";
  }
  WriteFile(dir_ / "list", list);
  const std::string of_da = WriteSstable(spec).Path("Partitions.db");
  spec.version = "nb";
  fs::rename(WriteSstable(spec).Path("Index.db"), dir_ / "index");
  const struct {
    std::string size;
    int probes;
  } cases[] = {{"--bits=10", 7}, {"--fp-chance=0.01", 5}};
  for (const auto& [size, probes] : cases) {
    SCOPED_TRACE(size);
    const uint64_t words = (2000 * 10 + 20 + 63) / 64;
    NaiveFilter naive(probes, words);
    for (const std::string& key : spec.keys) {
      naive.Add(key);
    }
    const std::string build = "build --json --force --sstable-version=nb " +
                              size + " --out=nb-9-big-Filter.db ";
    // The name of an index gives its version, whatever the filter's is.
    for (const std::string& keys :
         {std::string("--keys=list"), std::string("--keys=- <list"),
          std::string("--index=index"), "--index=" + of_da}) {
      EXPECT_EQ(Good(build + keys).json(), (Json{{"file", "nb-9-big-Filter.db"},
                                                 {"keys", 2000},
                                                 {"probes", probes},
                                                 {"words", words}}));
      EXPECT_EQ(Read("nb-9-big-Filter.db"), naive.Serialize());
    }
    Good(build + "--keys=-", "cat list |");
    EXPECT_EQ(Read("nb-9-big-Filter.db"), naive.Serialize());
  }
}

TEST_F(FilterFilesTest, HelpOfEach) {
  const std::string all = Good("--help").out;
  for (const std::string command :
       {"scan", "mend", "install", "find", "info", "check", "build"}) {
    EXPECT_THAT(all, HasSubstr("\n  " + command + " "));
    const std::string help = Good(command + " --help").out;
    EXPECT_THAT(help, HasSubstr("filterdb " + command + " [OPTIONS]"));
    EXPECT_THAT(help, HasSubstr("--json"));
    EXPECT_THAT(help, HasSubstr("Example: filterdb " + command + " "));
  }
  EXPECT_THAT(all, HasSubstr("Exit status: 0 good, 1 reads or memory are"));
  for (const char* const help : {"--help", "--version", "build --help"}) {
    EXPECT_EQ(Exits(3, Run(std::string(help) + " >/dev/full")).err,
              "filterdb: cannot write to standard output\n");
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
