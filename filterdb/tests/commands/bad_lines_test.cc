// SPDX-License-Identifier: Apache-2.0

// Runs filterdb with broken files and wrong command lines.

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
  // Text that must be on stderr if the exit code is 2, otherwise on stdout.
  std::string message;
  int exit_code = 2;
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
  }

  // Runs filterdb in `dir_`. Expects that no file in `dir_` changes.
  void Expect(const Line& line) {
    SCOPED_TRACE(std::string(line.what) + ": filterdb " + line.arguments);
    const Ran ran =
        Filterdb(line.arguments, "cd " + dir_.path() + "; " + line.before);
    EXPECT_EQ(ran.exit_code, line.exit_code) << ran;
    if (line.exit_code == 2) {
      EXPECT_EQ(ran.out, "");
      EXPECT_THAT(ran.err, StartsWith("filterdb: "));
      EXPECT_THAT(ran.err, HasSubstr(line.message));
    } else {
      EXPECT_EQ(ran.err, "");
      EXPECT_THAT(ran.out, HasSubstr(line.message));
    }
    EXPECT_EQ(FilesNow(), files_);
  }

  void Expect(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
      Expect(line);
    }
  }

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
      {"nb-4-big-Filter.db", FilterDbBytes(7, 1, 16)},
      {"nb-5-big-Filter.db", FilterDbBytes(22, 1, 16)},
      {"nb-6-big-Filter.db", FilterDbBytes(7, 1, 8) + std::string(8, '\xff')},
      {"me-1-big-Filter.db", Half()},
      {"ks-cf-ka-1-Filter.db", Half()},
      {"zz-1-big-Filter.db", Half()},
      {"ks-cf-hc-1-Filter.db", Half()},
      {"plain", Half()},
      {"empty", ""},
      {"abc.hex", "61\n62\n63\n"},
      {"abc.text", "a\nb\nc\n"},
      {"odd.hex", "61\n626\n"},
      {"letter.hex", "61\n62\n6g\n"},
      {"blank.hex", "61\n\n62\n"},
      {"cr.text", "a\nb\r\n"},
      {"mark.text", "\xef\xbb\xbfkey\n"},
      {"mark.hex",
       "\xef\xbb\xbf"
       "61\n"},
      {"long.text", std::string(65536, 'a') + "\n"},
      {"half-length.bin", std::string("\0\1a\0", 4)},
      {"half-key.bin", std::string("\0\1a\0\5bc", 7)},
      {"nb-1-big-Index.db", std::string(kIndex, sizeof(kIndex) - 1)},
      {"nb-2-big-Index.db", std::string(kIndex, sizeof(kIndex) - 2)},
      {"nb-3-big-Index.db", ""},
      {"ks-cf-ka-1-Index.db", std::string(kIndex, sizeof(kIndex) - 1)},
      {"da-1-bti-Partitions.db", "trie"},
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
  Expect({
      {"no command", "",
       "no command; the commands are scan, mend, info, check, build, convert, "
       "diff\nsee filterdb --help"},
      {"an unknown command", "inof nb-1-big-Filter.db",
       "'inof' is no command; the commands are scan, mend, info, check,"},
      {"an unknown option instead of a command", "--nonsense",
       "'--nonsense' is no command; the commands are"},
      {"an option before the command", "--json info nb-1-big-Filter.db",
       "--json\nsee filterdb info --help"},
      {"info of nothing", "info", "FILE is required\nsee filterdb info --help"},
      {"check of nothing", "check", "FILE is required\nsee filterdb check"},
      {"build of nothing", "build", "--out is required\nsee filterdb build"},
      {"convert of nothing", "convert", "IN is required\nsee filterdb convert"},
      {"convert into nothing", "convert nb-1-big-Filter.db",
       "OUT is required\nsee filterdb convert"},
      {"diff of nothing", "diff", "A is required\nsee filterdb diff"},
      {"diff of one", "diff nb-1-big-Filter.db", "B is required"},
      {"diff of three",
       "diff nb-1-big-Filter.db nb-2-big-Filter.db nb-4-big-Filter.db",
       "nb-4-big-Filter.db"},
      {"an unknown option of info", kInfo + "--nonsense",
       "--nonsense\nsee filterdb info --help"},
      {"an unknown option of build", kBuildOfHex + "--nonsense",
       "--nonsense\nsee filterdb build --help"},
      {"surplus words of check", kCheck + "--keys=abc.hex more",
       "more\nsee filterdb check --help"},
      {"an option without its value", kCheck + "--keys", "--keys"},
      {"a full disk behind the output", kInfo + ">/dev/full",
       "cannot write to standard output"},
      {"a full disk behind JSON", kInfo + "--json >/dev/full",
       "cannot write to standard output"},
  });
}

// Returns all commands that read a filter, with `file` as the filter.
std::vector<std::string> CommandsOn(const std::string& file) {
  return {"info " + file, "check --keys=abc.hex " + file,
          "convert " + file + " me-9-big-Filter.db",
          "diff nb-1-big-Filter.db " + file,
          "diff " + file + " nb-1-big-Filter.db"};
}

TEST_F(BadLinesTest, FilesThatAreNoFilters) {
  const Line files[] = {
      {"missing", "nb-8-big-Filter.db",
       "nb-8-big-Filter.db: cannot open: No such file or directory"},
      {"in a missing folder", "none/nb-8-big-Filter.db",
       "none/nb-8-big-Filter.db: cannot open: No such file or directory"},
      {"in a file", "plain/nb-8-big-Filter.db",
       "plain/nb-8-big-Filter.db: cannot open: Not a directory"},
      {"k = 22", "nb-5-big-Filter.db",
       "nb-5-big-Filter.db: the number of probes (k) is 22, not 1 to 21"},
      {"no version in the name", "plain",
       "'plain' is not the name of an SSTable's component, such as "
       "nb-1-big-Filter.db, so the SSTable version must be given with --"},
      {"missing, no version in its name", "missing",
       "missing: cannot open: No such file or directory\n"},
      {"a folder", "folder", "folder: cannot open: Is a directory\n"},
      {"an unknown version", "zz-1-big-Filter.db",
       "zz-1-big-Filter.db: SSTable version 'zz' is unknown; known are ia, ib, "
       "ic, ja, jb, ka, la, lb, ma, mb, mc, md, me, ms, mt, na, nb, nc, oa, "
       "da; or name the form: before-ma, ma-to-me, na-and-later, with --"},
      {"a version before ia", "ks-cf-hc-1-Filter.db",
       "ks-cf-hc-1-Filter.db: SSTable version 'hc' is older than ia: its "
       "filters hash keys differently (Murmur2 or SHA) and cannot be used\n"},
  };
  for (const Line& file : files) {
    for (const std::string& arguments : CommandsOn(file.arguments)) {
      Expect({file.what, arguments, file.message});
    }
  }
}

TEST_F(BadLinesTest, BrokenFilters) {
  const TempDir broken;
  const std::string file = broken / "nb-1-big-Filter.db";
  for (const BadFilterDb& bad : kBadFilterDbs) {
    WriteFile(file, bad.Bytes());
    for (const std::string& arguments : CommandsOn(file)) {
      Expect({"broken", arguments, file + ": " + bad.fault});
    }
  }
}

// Cassandra treats every key as present if Filter.db is an empty file.
TEST_F(BadLinesTest, AnEmptyFilter) {
  const std::string check = "check nb-3-big-Filter.db --keys=abc.hex ";
  Expect({
      {"info", "info nb-3-big-Filter.db",
       "verdict          always present: every look-up reads the disk\n", 0},
      {"info, JSON", "info nb-3-big-Filter.db --json",
       "\"verdict\": \"always present: every look-up reads the disk\"", 0},
      {"check", check,
       "3 keys, 0 missing\n  an empty file: every key is present", 0},
      {"absent keys", check + "--absent=abc.hex",
       "3 of 3 absent keys pass: 100 %", 0},
      {"convert", "convert nb-3-big-Filter.db me-9-big-Filter.db",
       "nb-3-big-Filter.db: an empty file, which means that every key is "
       "present, is the same in every form; copy it"},
      {"convert across the swap of the hash",
       "convert nb-3-big-Filter.db ks-cf-ka-9-Filter.db", "copy it"},
      {"diff", "diff nb-3-big-Filter.db nb-3-big-Filter.db", "the same filter",
       0},
      {"diff in another form", "diff nb-3-big-Filter.db empty --version-b=ka",
       "the same filter", 0},
      {"diff with one that has bits",
       "diff nb-3-big-Filter.db nb-1-big-Filter.db", "different parameters", 1},
  });
}

TEST_F(BadLinesTest, Versions) {
  const char* const known = "known are ia, ib, ic, ja, jb, ka, la, lb, ma, mb,";
  Expect({
      {"unknown, info", kInfo + "--sstable-version=zz",
       "--sstable-version=zz: SSTable version 'zz' is unknown; known are"},
      {"unknown, check",
       kCheck + "--keys=abc.hex "
                "--sstable-version=n",
       known},
      {"unknown, build", kBuildOfHex + "--sstable-version=NB", known},
      {"unknown, convert from", "convert plain me-9-big-Filter.db --from=zz",
       "--from=zz: SSTable version 'zz' is unknown"},
      {"unknown, convert to", "convert nb-1-big-Filter.db new --to=zz",
       "--to=zz: SSTable version 'zz' is unknown"},
      {"unknown, convert to by name",
       "convert nb-1-big-Filter.db zz-9-big-Filter.db",
       "zz-9-big-Filter.db: SSTable version 'zz' is unknown; known are"},
      {"unknown, diff a", "diff plain nb-1-big-Filter.db --version-a=zz",
       "--version-a=zz: SSTable version 'zz' is unknown"},
      {"unknown, diff b", "diff nb-1-big-Filter.db plain --version-b=zz",
       "--version-b=zz: SSTable version 'zz' is unknown"},
      {"before ia", kInfo + "--sstable-version=hc",
       "SSTable version 'hc' is older than ia: its filters hash keys "
       "differently (Murmur2 or SHA) and cannot be used\n"},
      {"before ia by name, whatever the option says",
       "info ks-cf-hc-1-Filter.db --sstable-version=na-and-later",
       "ks-cf-hc-1-Filter.db: SSTable version 'hc' is older than ia: its "
       "filters hash keys differently (Murmur2 or SHA) and cannot be used\n"},
      {"before ia by name, check",
       "check ks-cf-hc-1-Filter.db --keys=abc.hex --sstable-version=ka",
       "'hc' is older than ia"},
      {"before ia by name, from",
       "convert ks-cf-hc-1-Filter.db me-9-big-Filter.db --from=nb",
       "'hc' is older than ia"},
      {"before ia by name, to",
       "convert nb-1-big-Filter.db ks-cf-tmp-hc-9-Filter.db --to=nb",
       "'hc' is older than ia"},
      {"before ia by name, b",
       "diff nb-1-big-Filter.db ks-cf-hc-1-Filter.db --version-b=nb",
       "'hc' is older than ia"},
      {"before ia by a name that is not quite one",
       "convert nb-1-big-Filter.db ks-cf-hc-1-Filter.db.old",
       "ks-cf-hc-1-Filter.db.old: SSTable version 'hc' is older than ia: its "
       "filters hash keys differently (Murmur2 or SHA) and cannot be used\n"},
      {"hyphens, but not a name before ia",
       "info a-filter-of-h-1-copy --sstable-version=nb",
       "a-filter-of-h-1-copy: cannot open: No such file or directory"},
      {"before ia, to", "convert nb-1-big-Filter.db new --to=f",
       "'f' is older than ia"},
      {"no version, check", "check plain --keys=abc.hex",
       "must be given with --sstable-version"},
      {"no version, build", kBuildAny + "--out=new",
       "'new' is not the name of an SSTable's component"},
      {"no version, from", "convert plain me-9-big-Filter.db",
       "must be given with --from"},
      {"no version, to", "convert nb-1-big-Filter.db new",
       "'new' is not the name of an SSTable's component, such as "
       "nb-1-big-Filter.db, so the SSTable version must be given with --to"},
      {"no version, a", "diff plain nb-1-big-Filter.db",
       "must be given with --version-a"},
      {"no version, b", "diff nb-1-big-Filter.db plain",
       "must be given with --version-b"},
      {"no version of the index", kCheck + "--index=Index.db",
       "'Index.db' is not the name of an SSTable's component, such as "
       "nb-1-big-Filter.db, so the SSTable version must be given with "
       "--sstable-version or --index-version\n"},
      {"an unknown version of the index",
       kCheck + "--index=Index.db --index-version=zz",
       "Index.db: SSTable version 'zz' is unknown; known are"},
      {"a version of no index", kCheck + "--keys=abc.hex --index-version=nb",
       "--index-version requires --index"},
      {"a folder", "info folder --sstable-version=nb",
       "folder: not a regular file"},
      {"a device", "info /dev/null --sstable-version=nb",
       "/dev/null: not a regular file"},
  });
}

TEST_F(BadLinesTest, SizesOfFilters) {
  const std::string build = kBuild + "--keys=abc.hex ";
  std::vector<Line> lines = {
      {"neither", build, "[--bits,--fp-chance]"},
      {"both", build + "--bits=10 --fp-chance=0.01", "[--bits,--fp-chance]"},
      {"more than 16 GiB", build + "--bits=10 --expected-keys=13743895346",
       "13743895346 keys need a filter of more than 16 GiB"},
  };
  for (const char* const bits : {"0", "-1", "0.999", "101", "nan", "inf",
                                 "1e400", "abc", "10x", "1,5"}) {
    lines.push_back(
        {"bits", build + "--bits=" + bits,
         std::string("--bits: '") + bits + "' is not a number from 1 to 100"});
  }
  for (const char* const chance :
       {"0", "1", "2", "-0.5", "0.00001", "0.0000670", "nan", "abc", "1%"}) {
    lines.push_back({"chance", build + "--fp-chance=" + chance,
                     std::string("--fp-chance: '") + chance +
                         "' is not a number of at least 0.0000671 and less "
                         "than 1"});
  }
  for (const char* const count :
       {"0", "-5", "-0", "1.5", "1e3", "garbage", "18446744073709551616"}) {
    const std::string fault =
        std::string(": '") + count + "' is not a whole number from 1";
    lines.push_back({"keys", build + "--bits=10 --expected-keys=" + count,
                     "--expected-keys" + fault});
    lines.push_back({"keys", kInfo + "--keys-expected=" + count,
                     "--keys-expected" + fault});
  }
  lines.push_back({"listed",
                   kCheck + "--keys=abc.hex "
                            "--max-listed=-1",
                   "--max-listed: '-1' is not a whole number from 0"});
  Expect(lines);
}

TEST_F(BadLinesTest, Keys) {
  const Line keys[] = {
      {"neither", "", "[--keys,--index]"},
      {"both", "--keys=abc.hex --index=nb-1-big-Index.db", "[--keys,--index]"},
      {"missing", "--keys=none",
       "none: cannot open: No such file or directory"},
      {"a folder", "--keys=folder", "folder: cannot open: Is a directory"},
      {"an unknown format", "--keys=abc.hex --key-format=json",
       "--key-format: json not in {hex,text,binary}"},
      {"an odd number of digits", "--keys=odd.hex",
       "odd.hex: line 2: 3 hexadecimal digits; a byte has two"},
      {"no digit", "--keys=letter.hex",
       "letter.hex: line 3: column 2: 'g' is not a hexadecimal digit"},
      {"text for hex", "--keys=abc.text",
       "abc.text: line 1: 1 hexadecimal digits"},
      {"an empty line", "--keys=blank.hex",
       "blank.hex: line 2: empty; the empty key is written as 0x"},
      {"CR LF in text", "--keys=cr.text --key-format=text",
       "cr.text: line 2: ends in CR; convert the file"},
      {"a byte order mark in text", "--keys=mark.text --key-format=text",
       "mark.text: line 1: begins with the byte order mark of UTF-8 (ef bb "
       "bf); remove it, as with tail -c +4 or, if it belongs to the key, give "
       "the keys in hexadecimal\n"},
      {"a byte order mark in hex", "--keys=mark.hex",
       "mark.hex: line 1: begins with the byte order mark of UTF-8 (ef bb bf), "
       "which is no hexadecimal digit; remove it"},
      {"a key too long", "--keys=long.text --key-format=text",
       "long.text: line 1: more than 65535 bytes"},
      {"half a length", "--keys=half-length.bin --key-format=binary",
       "half-length.bin: byte 3: ends inside the two bytes of a key's length"},
      {"half a key", "--keys=half-key.bin --key-format=binary",
       "half-key.bin: byte 3: ends inside a key: only 2 of its 5 bytes are "
       "there"},
      {"a missing index", "--index=nb-8-big-Index.db",
       "nb-8-big-Index.db: cannot open: No such file or directory"},
      {"a missing index, no version in its name", "--index=none",
       "none: cannot open: No such file or directory\n"},
      {"a folder for an index", "--index=folder",
       "folder: cannot open: Is a directory\n"},
      {"a truncated index", "--index=nb-2-big-Index.db",
       "nb-2-big-Index.db: byte 10: ends inside the numbers after a key"},
      {"an empty index", "--index=nb-3-big-Index.db",
       "nb-3-big-Index.db: empty, but an SSTable has at least one partition"},
      {"an index of another version", "--index=ks-cf-ka-1-Index.db",
       "ks-cf-ka-1-Index.db: byte 0: "},
      {"a filter for an index", "--index=nb-1-big-Filter.db",
       "the file is damaged or of another SSTable version"},
      {"an index of da", "--index=da-1-bti-Index.db",
       "da-1-bti-Index.db: an SSTable of version da has no Index.db but a trie "
       "(Partitions.db, Rows.db), which does not hold whole keys; give the "
       "keys in a file instead, or give Partitions.db to the command filterdb"},
      {"a trie that is too short", "--index=da-1-bti-Partitions.db",
       "da-1-bti-Partitions.db: byte 0: a Partitions.db has at least 24 bytes"},
      {"no Data.db beside a trie", "--index=da-2-bti-Partitions.db",
       "da-2-bti-Partitions.db: cannot open"},
      {"an index of a version before ia", "--index=ks-cf-hc-1-Index.db",
       "ks-cf-hc-1-Index.db: SSTable version 'hc' is older than ia"},
  };
  for (const Line& line : keys) {
    Expect({line.what, kCheck + line.arguments, line.message});
    Expect({line.what, kBuild + "--bits=10 " + line.arguments, line.message});
  }
  Expect({
      {"no keys", kCheck + "--keys=/dev/null",
       "/dev/null: no keys, so there is nothing to ask the filter for\n"},
      {"no keys in a file", kCheck + "--keys=empty --json", "empty: no keys"},
      {"no keys from a pipe", kCheck + "--keys=-", "standard input: no keys", 2,
       "true |"},
      {"no keys for a filter that has all",
       "check nb-3-big-Filter.db --keys=empty", "empty: no keys"},
      {"absent keys that are missing", kCheck + "--keys=abc.hex --absent=none",
       "none: cannot open"},
      {"absent keys that are broken",
       kCheck + "--keys=abc.hex --absent=letter.hex",
       "letter.hex: line 3: column 2: 'g'"},
      {"standard input twice", kCheck + "--keys=- --absent=-",
       "--absent=-: the keys are already read from standard input", 2,
       "cat abc.hex |"},
      {"broken keys from a pipe", kCheck + "--keys=-",
       "standard input: line 2: 3 hexadecimal digits", 2, "cat odd.hex |"},
      {"a pipe to be counted", kBuild + "--keys=- --bits=10",
       "standard input: cannot be read twice, as it is not a regular file; "
       "say with --expected-keys how many keys there are",
       2, "cat abc.hex |"},
      {"known before the keys are read", kBuild + "--keys=- --bits=10",
       "say with --expected-keys", 2, "cat letter.hex |"},
  });
}

TEST_F(BadLinesTest, Outputs) {
  const std::string convert = "convert me-1-big-Filter.db ";
  const std::string there = "exists; --force overwrites it";
  std::vector<Line> lines = {
      {"known before the keys are read",
       "build --out=nb-1-big-Filter.db --keys=letter.hex --bits=10",
       "nb-1-big-Filter.db: " + there},
      {"a full disk", kBuildOfHex + "--expected-keys=10000",
       "nb-9-big-Filter.db: cannot write: File too large", 2,
       "trap '' XFSZ; ulimit -f 1;"},
      {"over itself", convert + "me-1-big-Filter.db --to=nb", there},
  };
  const Line outputs[] = {
      {"there", "nb-1-big-Filter.db", "nb-1-big-Filter.db: " + there},
      {"a folder", "folder", "folder: is a folder, which is left alone"},
      {"a folder, by force", "folder --force",
       "folder: is a folder, which is left alone; give a file, a FIFO or a "
       "character device\n"},
      {"in a missing folder", "none/nb-1-big-Filter.db",
       "none/nb-1-big-Filter.db: cannot create a temporary file beside it: No "
       "such file or directory\n"},
      {"in a file", "plain/nb-1-big-Filter.db", "beside it: Not a directory\n"},
      // Even root cannot create a file in /proc.
      {"where nothing can be created", "/proc/nb-1-big-Filter.db",
       "/proc/nb-1-big-Filter.db: cannot create a temporary file beside it: "},
  };
  for (const Line& output : outputs) {
    lines.push_back(
        {output.what, convert + output.arguments + " --to=nb", output.message});
    lines.push_back(
        {output.what,
         kBuildAny + "--sstable-version=nb --out=" + output.arguments,
         output.message});
  }
  Expect(lines);
}

TEST_F(BadLinesTest, ConversionsThatCannotBe) {
  const char* const reason =
      "SSTable version ma swapped the halves of the hash, so every key has "
      "other bits, and a filter does not contain the keys themselves. Build "
      "it anew from the keys or from Index.db with 'filterdb build'";
  Expect({
      {"ka to nb", "convert ks-cf-ka-1-Filter.db nb-9-big-Filter.db",
       "ks-cf-ka-1-Filter.db: a filter of the form before-ma cannot become one "
       "of na-and-later: "},
      {"ka to me", "convert ks-cf-ka-1-Filter.db me-9-big-Filter.db", reason},
      {"nb to ka", "convert nb-1-big-Filter.db ks-cf-ka-9-Filter.db", reason},
      {"me to a form", "convert me-1-big-Filter.db new --to=before-ma", reason},
      {"a name of another form",
       "convert nb-1-big-Filter.db ma-9-big-Filter.db --to=nb",
       "--to=nb is of the form na-and-later, but the name of "
       "ma-9-big-Filter.db says version ma, which is of the form ma-to-me"},
      {"a name of another form, by force",
       "convert me-1-big-Filter.db me-1-big-Filter.db --to=nb --force",
       "the name of me-1-big-Filter.db says version me"},
  });
}

TEST_F(BadLinesTest, Verdicts) {
  Expect({
      {"info", "info nb-1-big-Filter.db", "verdict          ok", 0},
      {"a filter of nothing but bits", "info nb-6-big-Filter.db",
       "estimated keys   (all bits are set)\n  estimated rate   100 % of "
       "absent keys pass\n  verdict          saturated",
       1},
      {"one of two saturated", "info nb-1-big-Filter.db nb-6-big-Filter.db",
       "verdict          ok", 1},
      {"a rate not as planned", kInfo + "--keys-expected=60",
       "verdict          rate not as planned for 60 keys\n", 1},
      {"one key", "check nb-6-big-Filter.db --keys=- --absent=abc.hex",
       "nb-6-big-Filter.db: 1 key, 0 missing\n", 0, "echo 61 |"},
      {"one absent key", "check nb-6-big-Filter.db --keys=abc.hex --absent=-",
       "  1 of 1 absent key passes: 100 %\n", 0, "echo 61 |"},
      {"all keys there", "check nb-6-big-Filter.db --keys=abc.hex",
       "3 keys, 0 missing\n", 0},
      {"no key there", "check nb-4-big-Filter.db --keys=abc.hex",
       "3 keys, 3 missing\n  missing 61\n  missing 62\n  missing 63\n", 1},
      {"no key of an index there",
       "check nb-4-big-Filter.db --index=nb-1-big-Index.db",
       "3 keys, 3 missing\n  missing 61\n", 1},
      {"two of three listed",
       "check nb-4-big-Filter.db --keys=abc.hex --max-listed=2",
       "  missing 61\n  missing 62\n  ... and 1 more\n", 1},
      {"none listed", "check nb-4-big-Filter.db --keys=abc.hex --max-listed=0",
       "3 missing\n  ... and 3 more\n", 1},
      {"the wrong version",
       "check nb-1-big-Filter.db --keys=abc.hex --sstable-version=ka",
       "missing", 1},
      {"the same", "diff nb-1-big-Filter.db nb-1-big-Filter.db",
       "the same filter\n", 0},
      {"the same in another form", "diff nb-1-big-Filter.db me-1-big-Filter.db",
       "the same filter\n", 0},
      {"other probes", "diff nb-1-big-Filter.db nb-2-big-Filter.db",
       "different parameters, so the bits cannot be compared:\n"
       "  na-and-later  7 probes          1 words  nb-1-big-Filter.db\n"
       "  na-and-later  6 probes          1 words  nb-2-big-Filter.db\n",
       1},
      {"another hash", "diff nb-1-big-Filter.db ks-cf-ka-1-Filter.db",
       "different parameters, so the bits cannot be compared:\n", 1},
      {"other bits", "diff nb-1-big-Filter.db nb-6-big-Filter.db",
       "same parameters; 0 bits only in nb-1-big-Filter.db, 32 only in "
       "nb-6-big-Filter.db\n",
       1},
  });
}

}  // namespace
}  // namespace cassandra_bloom::testing
