// SPDX-License-Identifier: Apache-2.0

// Runs filterdb with broken files and wrong command lines. What a list of keys
// or an index may have wrong is tested in filterdb/tests/sstable.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/broken_filters.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Line {
  const char* what;
  std::string arguments;
  std::string message;      // Text that must be on stderr.
  const char* before = "";  // Shell text before the command.
};

// Returns a filter of one 64-bit word in which every other bit is set.
std::string Half(int num_probes = 7) {
  return FilterDbBytes(num_probes, 1, 8) + std::string(8, '\x55');
}

// An Index.db of SSTable version nb with the keys "a", "b" and "c".
constexpr char kIndex[] = "\0\1a\0\0\0\1b\1\0\0\1c\2\0";

class BadLinesTest : public ::testing::Test {
 protected:
  BadLinesTest() {
    for (const auto& [name, content] : files_) {
      WriteFile(dir_ / name, content);
    }
    std::filesystem::create_directory(dir_ / "folder");
    std::filesystem::create_symlink("folder", dir_ / "link");
  }

  // Runs filterdb in `dir_`. Expects an error, and that no file in `dir_`
  // changes.
  void Expect(const Line& line, int exit_code) {
    SCOPED_TRACE(std::string(line.what) + ": filterdb " + line.arguments);
    const Ran ran = Exits(
        exit_code,
        Filterdb(line.arguments, "cd " + dir_.path() + "; " + line.before));
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, StartsWith("filterdb: "));
    EXPECT_THAT(ran.err, HasSubstr(line.message));
    EXPECT_EQ(FilesNow(), files_);
  }

  void Expect(const std::vector<Line>& lines, int exit_code = 3) {
    for (const Line& line : lines) {
      Expect(line, exit_code);
    }
  }
  void ExpectUsage(const std::vector<Line>& lines) { Expect(lines, 64); }

 private:
  std::map<std::string, std::string> FilesNow() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
      if (entry.is_regular_file()) {
        files[entry.path().filename()] = ReadFile(entry.path());
      }
    }
    return files;
  }

  const TempDir dir_;
  const std::map<std::string, std::string> files_ = {
      {"nb-1-big-Filter.db", Half()},
      {"nb-2-big-Filter.db", Half(6)},
      {"nb-3-big-Filter.db", ""},
      {"nb-5-big-Filter.db", FilterDbBytes(22, 1, 16)},
      {"me-1-big-Filter.db", Half()},
      {"ks-cf-ka-1-Filter.db", Half()},
      {"zz-1-big-Filter.db", Half()},
      {"ks-cf-hc-1-Filter.db", Half()},
      {"plain", Half()},
      {"empty", ""},
      {"abc.hex", "61\n62\n63\n"},
      {"odd.hex", "61\n626\n"},
      {"letter.hex", "61\n62\n6g\n"},
      {"nb-2-big-Index.db", std::string(kIndex, sizeof(kIndex) - 2)},
      {"Index.db", std::string(kIndex, sizeof(kIndex) - 1)},
  };
};

const std::string kBuild = "build --out=nb-9-big-Filter.db ";
const std::string kBuildOfHex =
    "build --out=nb-9-big-Filter.db --keys=abc.hex --bits=10 ";
const std::string kBuildAny = "build --keys=abc.hex --bits=10 ";
const std::string kCheck = "check nb-1-big-Filter.db ";
const std::string kInfo = "info nb-1-big-Filter.db ";

TEST_F(BadLinesTest, Usage) {
  ExpectUsage({
      {"no command", "",
       "no command; the commands are scan, mend, install, find, info, check, "
       "build\nsee filterdb --help"},
      {"an unknown command", "inof nb-1-big-Filter.db",
       "'inof' is no command; the commands are scan, mend, install, find,"},
      {"an option before the command", "--json info nb-1-big-Filter.db",
       "--json\nsee filterdb info --help"},
      {"info of nothing", "info", "FILE is required\nsee filterdb info --help"},
      {"mend without a folder", "mend folder",
       "give --run=DIR, a new folder that only you may write to"},
      {"install of nothing", "install",
       "DIR is required\nsee filterdb install --help"},
      {"find without a key", "find folder", "[--key,--key-part]"},
      {"no hexadecimal key", "find folder --key=6x",
       "--key=6x: not an even number of hexadecimal digits"},
      {"one part", "find folder --key-part=61", "give --key"},
      {"an unknown option", kBuildOfHex + "--nonsense",
       "--nonsense\nsee filterdb build --help"},
      {"surplus words", kCheck + "--keys=abc.hex more",
       "more\nsee filterdb check --help"},
      {"an option without its value", kCheck + "--keys", "--keys"},
      // Scripts make empty values from unset variables. The next word must not
      // become the value.
      {"no value", "build --out= --keys=abc.hex --bits=10",
       "--out= has no value; give one, or leave the option out\nsee filterdb "
       "--help"},
      {"an empty value", kBuildAny + "--out '' --json",
       "a word is empty; give a value, or leave it out"},
      {"an empty operand", "info ''", "a word is empty"},
      {"standard output", kBuildAny + "--out=- --sstable-version=nb",
       "--out=-: give a file"},
  });
  Expect({{"a full disk behind the output", kInfo + ">/dev/full",
           "cannot write to standard output"}});
}

// What was an option or a command names what took its place.
TEST_F(BadLinesTest, WhatWent) {
  ExpectUsage({
      {"", "convert nb-1-big-Filter.db x", "convert is no command any more: "},
      {"", "diff nb-1-big-Filter.db x", "filterdb info shows a filter"},
      {"", kCheck + "--keys=abc.hex --absent=x", "--absent is no option any"},
      {"", kBuildOfHex + "--expected-keys=5", "the keys are read once"},
      {"", "mend folder --backup-dir=x", "install DIR keeps the old ones"},
      {"", "mend folder --no-backup",
       "mend --run=DIR --in-place mends at once"},
      {"", "mend folder --out-dir=x", "writes the new filters to DIR/new"},
      {"", "mend --undo=x", "install DIR --undo puts the old filters back"},
      {"", "mend folder --run=x --dry-run", "install DIR --dry-run says what"},
  });
}

// Each fault of a file is tested in tests/filter_db/filter_db_file_test.cc.
TEST_F(BadLinesTest, FilesThatAreNoFilters) {
  const Line files[] = {
      {"missing", "nb-8-big-Filter.db",
       "nb-8-big-Filter.db: cannot open: No such file or directory"},
      {"k = 22", "nb-5-big-Filter.db",
       "nb-5-big-Filter.db: the number of probes (k) is 22, not 1 to 21"},
      {"no version in the name", "plain",
       "'plain' is not the name of an SSTable's component, such as "
       "nb-1-big-Filter.db, so the SSTable version must be given with --"},
      {"an unknown version", "zz-1-big-Filter.db",
       "zz-1-big-Filter.db: SSTable version 'zz' is unknown; known are ia, ib, "
       "ic, ja, jb, ka, la, lb, ma,"},
      {"a version before ia", "ks-cf-hc-1-Filter.db",
       "ks-cf-hc-1-Filter.db: SSTable version 'hc' is older than ia: its "
       "filters hash keys differently (Murmur2 or SHA) and cannot be used\n"},
  };
  for (const Line& file : files) {
    for (const std::string command : {"info ", "check --keys=abc.hex "}) {
      Expect({{file.what, command + file.arguments, file.message}});
    }
  }
}

TEST_F(BadLinesTest, Versions) {
  Expect({
      {"unknown", kInfo + "--sstable-version=zz",
       "--sstable-version=zz: SSTable version 'zz' is unknown; known are"},
      {"no version, build", kBuildAny + "--out=new",
       "'new' is not the name of an SSTable's component"},
      {"no version of the index", kCheck + "--index=Index.db",
       "'Index.db' is not the name of an SSTable's component, such as "
       "nb-1-big-Filter.db, so the SSTable version must be given with "
       "--sstable-version\n"},
      {"a device", "info /dev/null --sstable-version=nb",
       "/dev/null: not a regular file"},
  });
}

TEST_F(BadLinesTest, SizesOfFilters) {
  const std::string build = kBuild + "--keys=abc.hex ";
  std::vector<Line> lines = {
      {"neither", build, "[--bits,--fp-chance]"},
      {"both", build + "--bits=10 --fp-chance=0.01", "[--bits,--fp-chance]"},
  };
  for (const char* const bits :
       {"0", "-1", "0.999", "101", "nan", "inf", "1e400", "10x", "1,5"}) {
    lines.push_back(
        {"bits", build + "--bits=" + bits,
         std::string("--bits: '") + bits + "' is not a number from 1 to 100"});
  }
  for (const char* const chance :
       {"0", "1", "-0.5", "0.0000670", "nan", "1%"}) {
    lines.push_back({"chance", build + "--fp-chance=" + chance,
                     std::string("--fp-chance: '") + chance +
                         "' is not a number of at least 0.0000671 and less "
                         "than 1"});
  }
  ExpectUsage(lines);
}

TEST_F(BadLinesTest, Keys) {
  const Line keys[] = {
      {"neither", "", "[--keys,--index]"},
      {"both", "--keys=abc.hex --index=nb-2-big-Index.db", "[--keys,--index]"},
      {"missing", "--keys=none",
       "none: cannot open: No such file or directory"},
      {"an unknown format", "--keys=abc.hex --key-format=json",
       "--key-format: json not in {hex,text}"},
      {"an odd number of digits", "--keys=odd.hex",
       "odd.hex: line 2: 3 hexadecimal digits; a byte has two"},
      {"a missing index", "--index=nb-8-big-Index.db",
       "nb-8-big-Index.db: cannot open: No such file or directory"},
      {"a truncated index", "--index=nb-2-big-Index.db",
       "nb-2-big-Index.db: byte 14: ends inside the numbers after a key"},
  };
  for (const Line& line : keys) {
    const int exit_code =
        line.message[0] == '[' || line.message[0] == '-' ? 64 : 3;
    Expect({line.what, kCheck + line.arguments, line.message}, exit_code);
    Expect({line.what, kBuild + "--bits=10 " + line.arguments, line.message},
           exit_code);
  }
  Expect({
      {"no keys", kCheck + "--keys=/dev/null",
       "/dev/null: no keys, so there is nothing to ask the filter for\n"},
      {"no keys for a filter that has all",
       "check nb-3-big-Filter.db --keys=empty", "empty: no keys"},
  });
}

TEST_F(BadLinesTest, Outputs) {
  const std::string there = "exists; --force overwrites it";
  std::vector<Line> lines = {
      {"known before the keys are read",
       "build --out=nb-1-big-Filter.db --keys=letter.hex --bits=10",
       "nb-1-big-Filter.db: " + there},
      {"a full disk", kBuild + "--keys=- --key-format=text --bits=10",
       "nb-9-big-Filter.db: cannot write: File too large",
       "trap '' XFSZ; ulimit -f 1; seq 10000 |"},
      {"a name of another form",
       kBuildAny + "--sstable-version=nb --out=ma-9-big-Filter.db",
       "--sstable-version=nb is of the form na-and-later, but the name of "
       "ma-9-big-Filter.db says version ma"},
  };
  const Line outputs[] = {
      {"there", "nb-1-big-Filter.db", "nb-1-big-Filter.db: " + there},
      {"a folder, by force", "folder --force",
       "folder: is a folder, which is left alone; give a file\n"},
      {"a device", "/dev/null", "/dev/null: is a character device, which is"},
      {"a link to a folder", "link --force", "link: is a folder, which is"},
      {"in a missing folder", "none/nb-1-big-Filter.db",
       "none/nb-1-big-Filter.db: cannot create a temporary file"},
  };
  for (const Line& output : outputs) {
    lines.push_back(
        {output.what,
         kBuildAny + "--sstable-version=nb --out=" + output.arguments,
         output.message});
  }
  Expect(lines);
}

}  // namespace
}  // namespace cassandra_bloom::testing
