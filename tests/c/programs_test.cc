// SPDX-License-Identifier: Apache-2.0

// Runs programs that use the C interface without RocksDB.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

TEST(CProgramsTest, TheTestInCPasses) {
  const TempDir folder;
  const ProcessResult result = RunProcess({TEST_C_TEST, folder.path()});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.err, "");
  // The files that it left equal those of the C++ interface.
  for (const char* const version : {"ka", "me", "nb", "na-and-later"}) {
    FilterForm form;
    std::string error;
    ASSERT_TRUE(FormOfSstableVersion(version, &form, &error)) << error;
    const auto builder =
        FilterDbBuilder::ForBitsPerKey(9.5, 1000, form, &error);
    for (int i = 0; i < 1000; ++i) {
      builder->Add("present-" + std::to_string(i));
    }
    ASSERT_TRUE(builder->Write(folder / "cpp", /*overwrite=*/true, &error));
    EXPECT_EQ(ReadFile(folder / version), ReadFile(folder / "cpp")) << version;
  }
}

TEST(CProgramsTest, TheExampleBuildsAndAsks) {
  const TempDir folder;
  const std::string path = folder / "nb-1-big-Filter.db";
  const ProcessResult result = RunProcess({TEST_C_EXAMPLE, path});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_EQ(result.out,
            "na-and-later: 5 probes, 1 words, about 3 keys\n"
            "alice  perhaps\n"
            "bob    perhaps\n"
            "carol  perhaps\n"
            "dave   no\n");
  const ProcessResult again = RunProcess({TEST_C_EXAMPLE, path});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_EQ(again.err,
            "filter_db: " + path + ": will not be overwritten: File exists\n");
}

#ifdef TEST_PYTHON
class PythonExampleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProcessResult result = RunProcess({TEST_C_EXAMPLE, filter_});
    ASSERT_EQ(result.exit_code, 0) << result;
  }

  ProcessResult Check(const std::string& keys,
                      const std::vector<std::string>& more = {}) {
    WriteFile(keys_, keys);
    std::vector<std::string> arguments = {
        TEST_PYTHON, "-B", TEST_PYTHON_EXAMPLE, "--library=" TEST_LIBRARY,
        filter_,     keys_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProcess(arguments);
  }

  void ExpectUnusable(const ProcessResult& result, const std::string& message) {
    EXPECT_EQ(result.exit_code, 3) << result;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "check_filter_db: " + message + "\n");
  }

  const TempDir folder_;
  const std::string filter_ = folder_ / "nb-1-big-Filter.db";
  const std::string keys_ = folder_ / "keys";
};

TEST_F(PythonExampleTest, AllKeysAreThere) {
  const ProcessResult text = Check("alice\nbob\ncarol", {"--text"});
  EXPECT_EQ(text.exit_code, 0) << text;
  EXPECT_EQ(text.out, filter_ + ": 3 keys, 0 missing\n");
  const ProcessResult hex = Check("616c696365\r\n0x626F62\n");
  EXPECT_EQ(hex.exit_code, 0) << hex;
  EXPECT_EQ(hex.out, filter_ + ": 2 keys, 0 missing\n");
}

TEST_F(PythonExampleTest, AKeyIsMissing) {
  const ProcessResult result = Check("alice\ndave\n\n", {"--text"});
  EXPECT_EQ(result.exit_code, 2) << result;
  EXPECT_EQ(result.out, "missing 64617665\nmissing (the empty key)\n" +
                            filter_ + ": 3 keys, 2 missing\n");
}

TEST_F(PythonExampleTest, WhatCannotBeReadIsNamed) {
  for (const char* const line : {"", "6", "zz", "0x6", " 61", "61 "}) {
    ExpectUnusable(
        Check(std::string("61\n") + line + "\n"),
        keys_ + ": line 2: expected an even number of hexadecimal digits");
  }
  ExpectUnusable(Check("alice\r\n", {"--text"}),
                 keys_ + ": line 1: expected a line that ends in LF alone");
  ExpectUnusable(Check(""), keys_ + ": no keys");
  const ProcessResult usage = Check("61\n", {"--nonsense"});
  EXPECT_EQ(usage.exit_code, 64) << usage;
  const ProcessResult version = Check("61\n", {"--sstable-version=zz"});
  EXPECT_EQ(version.exit_code, 3);
  EXPECT_NE(version.err.find("'zz' is unknown"), std::string::npos) << version;
  WriteFile(filter_, "not a filter");
  const ProcessResult filter = Check("61\n");
  EXPECT_EQ(filter.exit_code, 3);
  EXPECT_EQ(filter.err.rfind("check_filter_db: " + filter_ + ": ", 0), 0u)
      << filter;
  const ProcessResult library = Check("61\n", {"--library=/nonexistent.so"});
  EXPECT_EQ(library.exit_code, 3);
  EXPECT_NE(library.err.find("cannot load /nonexistent.so"), std::string::npos)
      << library;
}
#endif

}  // namespace
}  // namespace cassandra_bloom::testing
