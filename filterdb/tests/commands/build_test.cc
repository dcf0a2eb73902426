// SPDX-License-Identifier: Apache-2.0

// Tests filterdb build with valid keys, from a list or from an index.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "filterdb/tests/commands/command_fixture.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::HasSubstr;

class BuildTest : public CommandFixture {};

TEST_F(BuildTest, EqualsTheReference) {
  struct Case {
    std::string size;
    int probes;
    uint64_t words;  // 0 if the number is not known here.
  };
  const Keys keys = RandomKeysOf(0, 2000);
  for (const Case& expected :
       {Case{"--bits=10", 7, (2000 * 10 + 20 + 63) / 64},
        Case{"--bits=10 --expected-keys=5000", 7, (5000 * 10 + 20 + 63) / 64},
        Case{"--fp-chance=0.01", 5, 0}}) {
    SCOPED_TRACE(expected.size);
    const Json built =
        Build(keys, "nb-1-big-Filter.db", expected.size + " --force");
    EXPECT_EQ(built["keys"], 2000);
    EXPECT_EQ(built["expected_keys"], expected.words > 400 ? 5000 : 2000);
    EXPECT_EQ(built["probes"], expected.probes);
    EXPECT_TRUE(expected.words == 0 || built["words"] == expected.words);
    EXPECT_EQ(Read("nb-1-big-Filter.db"), NaiveOf(keys, built).Serialize());
  }
}

// --expected-keys may be an estimate. But filterdb build must refuse a filter
// in which filterdb scan would find a fault.
TEST_F(BuildTest, RefusesATooFullFilter) {
  Write("keys", HexList(RandomKeysOf(0, 1000)));
  const std::string out = "nb-1-big-Filter.db";
  const std::string build =
      "build --keys=keys --bits=10 --out=" + out + " --expected-keys=";
  for (const std::string existing : {"", " --force"}) {
    const Ran ran = Exits(2, Run(build + "950" + existing));
    EXPECT_THAT(ran.err, HasSubstr(out + ": not written: 1000 keys, but sized "
                                         "for 950; give --expected-keys=1000"));
    EXPECT_EQ(std::filesystem::exists(dir_ / out), !existing.empty());
    EXPECT_TRUE(existing.empty() || Read(out) == "what was there");
    Write(out, "what was there");
  }
  Good(build + "960 --force");
  Good(build + "1000000 --force");
}

// The name of the index gives its version, whatever that of the filter is.
TEST_F(BuildTest, FilterAndIndexOfDifferentForms) {
  const Keys keys = RandomKeysOf(0, 2000);
  Write("keys", HexList(keys));
  Write("ks-cf-ka-1-Index.db", IndexDb(keys, /*before_ma=*/true));
  Write("index", IndexDb(keys, /*before_ma=*/false));
  Good("build --keys=keys --bits=10 --out=from_keys --sstable-version=nb");
  for (const char* const index : {"ks-cf-ka-1-Index.db", "index"}) {
    Good(std::string("build --bits=10 --force --sstable-version=nb "
                     "--out=from_index --index=") +
         index);
    EXPECT_EQ(Read("from_index"), Read("from_keys"));
  }
}

TEST_F(BuildTest, KeysFromStandardInput) {
  Build(RandomKeysOf(0, 2000), "nb-1-big-Filter.db");
  Good("build --bits=10 --keys=- --out=nb-2-big-Filter.db <keys");
  Good("build --bits=10 --keys=- --out=nb-3-big-Filter.db --expected-keys=2000",
       "cat keys |");
  EXPECT_EQ(Read("nb-2-big-Filter.db"), Read("nb-1-big-Filter.db"));
  EXPECT_EQ(Read("nb-3-big-Filter.db"), Read("nb-1-big-Filter.db"));
}

#ifndef CASSANDRA_BLOOM_SANITIZED  // A sanitizer needs memory of its own.

// filterdb must take at most 64 MB besides the filter. A second copy of the
// filter, or the keys, would take more.
TEST_F(BuildTest, TakesLittleMemoryBesidesTheFilter) {
  constexpr int64_t kFilterBytes = 100'000'000;
  constexpr int64_t kMaxBesides = 64'000'000;
  {
    // Writes one key at a time, because the child process begins with the
    // memory of this process.
    std::ofstream keys(dir_ / "keys");
    for (int i = 0; i < 3000; ++i) {
      keys << std::string(65535, 'k') << '\n';
    }
  }
  const pid_t pid = fork();
  if (pid == 0) {
    execl(CASSANDRA_BLOOM_FILTERDB, "filterdb", "build", "--key-format=text",
          ("--keys=" + dir_ / "keys").c_str(), "--expected-keys=80000000",
          "--bits=10", ("--out=" + dir_ / "nb-1-big-Filter.db").c_str(),
          nullptr);
    _exit(127);
  }
  int status = -1;
  struct rusage usage;
  ASSERT_EQ(wait4(pid, &status, 0, &usage), pid);
  EXPECT_EQ(status, 0);
  const int64_t peak = int64_t{usage.ru_maxrss} * 1024;
  EXPECT_GE(peak, kFilterBytes);
  EXPECT_LE(peak, kFilterBytes + kMaxBesides);
}

#endif

}  // namespace
}  // namespace cassandra_bloom::testing
