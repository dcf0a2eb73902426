// SPDX-License-Identifier: Apache-2.0

// Tests to which kinds of files filterdb writes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <ostream>
#include <string>

#include "tests/support/filterdb_command.h"
#include "tests/support/special_files.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A command that writes a filter. OUT in `arguments` stands for the output
// file.
struct Writer {
  const char* name;
  const char* arguments;
  const char* option;   // The option that names the file.
  const char* message;  // What follows the file's name in the message.
};

std::ostream& operator<<(std::ostream& stream, const Writer& writer) {
  return stream << writer.name;
}

constexpr Writer kWriters[] = {
    {"build", "build --keys=keys --bits=10 --sstable-version=nb --out=OUT",
     "--out", ": 1000 keys, 7 probes, 157 words\n"},
    {"convert", "convert me-1-big-Filter.db OUT --to=nb", "OUT",
     ": na-and-later, from ma-to-me\n"},
};

class OutputsTest : public ::testing::TestWithParam<Writer> {
 protected:
  OutputsTest() {
    std::string keys;
    for (int i = 1000; i < 2000; ++i) {
      keys += std::to_string(i) + "\n";
    }
    WriteFile(dir_ / "keys", keys);
    Run("build --keys=keys --bits=10 --out=me-1-big-Filter.db");
    Run("build --keys=keys --bits=10 --out=nb-1-big-Filter.db");
    filter_ = Read("nb-1-big-Filter.db");
    fs::remove(dir_ / "nb-1-big-Filter.db");
  }

  Ran Write(const std::string& out, const std::string& more = "",
            const std::string& before = "") {
    std::string arguments = GetParam().arguments;
    arguments.replace(arguments.find("OUT"), 3, out);
    return Run(arguments + " " + more, before);
  }

  Ran WriteMuch(const std::string& out, const std::string& more,
                const std::string& before) {
    const std::string much = "--expected-keys=1000000 ";
    if (GetParam().name == std::string("build")) {
      return Write(out, much + more, before);
    }
    Run("build --keys=keys --bits=10 --force --out=me-1-big-Filter.db " + much);
    return Write(out, more, before);
  }

  Ran Run(const std::string& arguments, const std::string& before = "") {
    return Filterdb(arguments, "cd " + dir_.path() + "; " + before);
  }

  std::string Read(const std::string& name) const {
    return ReadFile(dir_ / name);
  }

  const TempDir dir_;
  std::string filter_;
};

INSTANTIATE_TEST_SUITE_P(All, OutputsTest, ::testing::ValuesIn(kWriters),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

// Returns shell text that copies the FIFO into `file` in the background. kWait,
// at the end of the command, waits until the copy is complete.
std::string CatInto(const std::string& file) {
  return "timeout 20 cat fifo > " + file + " & ";
}
constexpr char kWait[] = "; code=$?; wait; exit $code";

TEST_P(OutputsTest, AFifoIsWrittenThrough) {
  MakeFifo(dir_ / "fifo");
  fs::create_symlink("fifo", dir_ / "link");
  const auto names = dir_.Names();
  for (const std::string out : {"fifo", "link"}) {
    for (const std::string force : {"", " --force"}) {
      const Ran ran = Exits(0, Write(out, force + kWait, CatInto("got")));
      EXPECT_EQ(ran.out, out + GetParam().message);
      EXPECT_EQ(ran.err, "");
      EXPECT_EQ(Read("got"), filter_);
      fs::remove(dir_ / "got");
      EXPECT_EQ(TypeOf(dir_ / "fifo"), mode_t{S_IFIFO});
      EXPECT_EQ(TypeOf(dir_ / "link"), mode_t{S_IFLNK});
      EXPECT_EQ(dir_.Names(), names);
    }
  }
}

TEST_P(OutputsTest, StandardOutput) {
  const auto names = dir_.Names();
  const Ran ran = Exits(0, Write("-"));
  EXPECT_EQ(ran.out, filter_);
  EXPECT_EQ(ran.err, std::string("standard output") + GetParam().message);
  EXPECT_EQ(dir_.Names(), names);
}

TEST_P(OutputsTest, StandardOutputThatCannotTakeIt) {
  EXPECT_EQ(Exits(2, Write("-", ">/dev/full")).err,
            "filterdb: standard output: cannot write: No space left on "
            "device\n");
  EXPECT_EQ(Exits(2, Write("-", ">&-")).err,
            "filterdb: standard output: cannot write: Bad file descriptor\n");
  const Ran piped = WriteMuch("-", "; echo $? >code; } | head -c 1 >got", "{ ");
  EXPECT_EQ(piped.err,
            "filterdb: standard output: cannot write: Broken pipe\n");
  EXPECT_EQ(Read("code"), "2\n");
}

// /dev/stdout is a pipe in this test.
TEST_P(OutputsTest, ThePipeThatIsStandardOutput) {
  const Ran ran = Write("/dev/stdout", "| cat");
  EXPECT_EQ(ran.out, filter_);
  EXPECT_EQ(ran.err, std::string("/dev/stdout") + GetParam().message);
}

TEST_P(OutputsTest, StandardOutputCannotHaveJsonToo) {
  const std::string message =
      std::string("filterdb: ") + GetParam().option +
      ": the JSON goes to standard output already; give a file, or leave out "
      "--json\n";
  const Ran ran = Exits(2, Write("-", "--json"));
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, message);
  const Ran piped = Write("/dev/stdout", "--json | cat");
  EXPECT_EQ(piped.out, "");
  EXPECT_EQ(piped.err, message);
}

TEST_P(OutputsTest, AFifoWithoutAReader) {
  MakeFifo(dir_ / "fifo");
  const Ran ran =
      Exits(2, WriteMuch("fifo", "", "timeout 20 head -c 1 fifo > got & "));
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "filterdb: fifo: cannot write: Broken pipe\n");
}

TEST_P(OutputsTest, ADeviceStaysOne) {
  const std::string device = dir_ / "null";
  const bool is_own = MakeNullDevice(device);
  for (const std::string force : {"", "--force"}) {
    if (!is_own && !force.empty()) {
      continue;  // Never use --force on the machine's own device.
    }
    const std::string out = is_own ? device : "/dev/null";
    EXPECT_EQ(Exits(0, Write(out, force)).out, out + GetParam().message);
    EXPECT_EQ(TypeOf(out), mode_t{S_IFCHR});
  }
  EXPECT_EQ(Exits(2, Write("/dev/full")).err,
            "filterdb: /dev/full: cannot write: No space left on device\n");
}

TEST_P(OutputsTest, WhatIsNoFileIsLeftAlone) {
  fs::create_directory(dir_ / "folder");
  fs::create_directory_symlink("folder", dir_ / "link");
  MakeSocket(dir_ / "socket");
  const bool has_block_device = MakeBlockDevice(dir_ / "disk");
  struct Refused {
    const char* name;
    mode_t type;
    const char* what;
  };
  const auto names = dir_.Names();
  for (const Refused& refused : {Refused{"folder", S_IFDIR, "a folder"},
                                 Refused{"link", S_IFLNK, "a folder"},
                                 Refused{"socket", S_IFSOCK, "a socket"},
                                 Refused{"disk", S_IFBLK, "a block device"}}) {
    if (refused.type == S_IFBLK && !has_block_device) {
      continue;
    }
    for (const char* const force : {"", "--force"}) {
      const Ran ran = Exits(2, Write(refused.name, force));
      EXPECT_EQ(ran.out, "");
      EXPECT_EQ(ran.err, std::string("filterdb: ") + refused.name + ": is " +
                             refused.what +
                             ", which is left alone; give a file, a FIFO or a "
                             "character device\n");
      EXPECT_EQ(TypeOf(dir_ / refused.name), refused.type);
    }
  }
  EXPECT_EQ(dir_.Names(), names);
}

// ---- Symbolic links ----

TEST_P(OutputsTest, ALinkStaysAndItsFileIsReplaced) {
  fs::create_directory(dir_ / "folder");
  fs::create_directory(dir_ / "other");
  WriteFile(dir_ / "folder/file", "old");
  fs::create_symlink("../folder/file", dir_ / "other/link");
  fs::create_symlink(dir_ / "other/link", dir_ / "link");
  const auto names = dir_.Names();
  EXPECT_EQ(Exits(2, Write("link")).err,
            "filterdb: link: exists; --force overwrites it\n");
  EXPECT_EQ(Read("folder/file"), "old");

  Exits(0, Write("link", "--force"));
  EXPECT_EQ(TypeOf(dir_ / "link"), mode_t{S_IFLNK});
  EXPECT_EQ(TypeOf(dir_ / "other/link"), mode_t{S_IFLNK});
  EXPECT_EQ(TypeOf(dir_ / "folder/file"), mode_t{S_IFREG});
  EXPECT_EQ(Read("folder/file"), filter_);
  EXPECT_EQ(dir_.Names(), names);
}

TEST_P(OutputsTest, ALinkToNothingCreatesIt) {
  fs::create_directory(dir_ / "folder");
  fs::create_symlink("folder/file", dir_ / "link");
  Exits(0, Write("link"));
  EXPECT_EQ(TypeOf(dir_ / "link"), mode_t{S_IFLNK});
  EXPECT_EQ(Read("folder/file"), filter_);
  EXPECT_EQ(TypeOf(dir_ / "folder/file"), mode_t{S_IFREG});

  fs::create_symlink("none/file", dir_ / "lost");
  EXPECT_EQ(Exits(2, Write("lost")).err,
            "filterdb: none/file: cannot create a temporary file beside it: No "
            "such file or directory\n");
}

TEST_P(OutputsTest, LinksInACircle) {
  fs::create_symlink("b", dir_ / "a");
  fs::create_symlink("a", dir_ / "b");
  for (const char* const force : {"", "--force"}) {
    EXPECT_EQ(Exits(2, Write("a", force)).err,
              "filterdb: a: cannot follow the symbolic link: Too many levels "
              "of symbolic links\n");
    EXPECT_EQ(TypeOf(dir_ / "a"), mode_t{S_IFLNK});
  }
}

class HelpTest : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(All, HelpTest,
                         ::testing::Values("--help", "--version", "--help-all",
                                           "build --help"));

TEST_P(HelpTest, ThatCannotBeWritten) {
  const std::string arguments = GetParam();
  EXPECT_EQ(Filterdb(arguments).exit_code, 0);
  for (const char* const to : {" >/dev/full", " >&-"}) {
    EXPECT_EQ(Exits(2, Filterdb(arguments + to)).err,
              "filterdb: cannot write to standard output\n");
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
