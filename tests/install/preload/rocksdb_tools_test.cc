// SPDX-License-Identifier: Apache-2.0

// Tests RocksDB's own installed programs with the policy preloaded.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kNumKeys = 2000;

// ldb's text for an absent key changed in 9.0 (facebook/rocksdb#12332).
const char* const kLdbNotFound =
    std::atoi(TEST_ROCKSDB_RELEASE) >= 9 ? "Key not found" : "NotFound";

class RocksdbToolsTest : public ::testing::Test {
 protected:
  std::string OptionsFile(const std::string& policy) {
    const std::string path = folder_ / "options.ini";
    WriteFile(path,
              "[Version]\n"
              "  rocksdb_version=" TEST_ROCKSDB_RELEASE
              ".0\n"
              "  options_file_version=1.1\n"
              "[DBOptions]\n"
              "  create_if_missing=true\n"
              "[CFOptions \"default\"]\n"
              "  compression=kNoCompression\n"
              "[TableOptions/BlockBasedTable \"default\"]\n"
              "  filter_policy=" +
                  policy + "\n");
    return path;
  }

  ProcessResult DbBench(const std::string& policy, const std::string& preload,
                        const std::string& benchmarks,
                        const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {
        TEST_DB_BENCH,
        "--options_file=" + OptionsFile(policy),
        "--db=" + db_,
        "--benchmarks=" + benchmarks,
        "--num=" + std::to_string(kNumKeys),
        "--statistics"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (cpu_.empty()) {
      return RunProcess(arguments, preload);
    }
#if defined(TEST_QEMU)
    const std::vector<std::string> emulator = {TEST_QEMU, "-cpu", cpu_, "-E",
                                               "LD_PRELOAD=" + preload};
    arguments.insert(arguments.begin(), emulator.begin(), emulator.end());
#endif
    return RunProcess(arguments);
  }

  void MakeDatabase() {
    const ProcessResult result =
        DbBench("cassandra_bloom:10", TEST_LOADER, "fillseq,flush");
    ASSERT_EQ(result.exit_code, 0) << result;
    ASSERT_EQ(result.err.find("cassandra_bloom"), std::string::npos) << result;
  }

  ProcessResult Ldb(const std::vector<std::string>& command,
                    const std::string& preload) {
    std::vector<std::string> arguments = {TEST_LDB, "--db=" + db_,
                                          "--try_load_options", "--hex"};
    arguments.insert(arguments.end(), command.begin(), command.end());
    return RunProcess(arguments, preload);
  }

  std::string Newest(const std::string& name_pattern) {
    const std::regex pattern(name_pattern);
    std::string newest;
    for (const fs::directory_entry& entry : fs::directory_iterator(db_)) {
      const std::string name = entry.path().filename();
      if (std::regex_match(name, pattern)) {
        newest = std::max(newest, entry.path().string());
      }
    }
    EXPECT_NE(newest, "") << name_pattern;
    return newest;
  }

  bool NewestOptionsName(const std::string& policy) {
    return ReadFile(Newest("OPTIONS-[0-9]+"))
               .find("filter_policy=" + policy + "\n") != std::string::npos;
  }

  bool NewestSstNames(const std::string& policy) {
    return RunProcess({TEST_SST_DUMP, "--file=" + Newest("[0-9]+\\.sst"),
                       "--show_properties", "--command=none"})
               .out.find("filter policy name: " + policy + "\n") !=
           std::string::npos;
  }

  static uint64_t Ticker(const ProcessResult& result, const std::string& name) {
    std::smatch match;
    EXPECT_TRUE(std::regex_search(result.out, match,
                                  std::regex(name + " COUNT : ([0-9]+)")))
        << result;
    return match.empty() ? 0 : std::stoull(match[1]);
  }

  static std::string Found(const ProcessResult& result) {
    std::smatch match;
    EXPECT_TRUE(std::regex_search(result.out, match,
                                  std::regex("([0-9]+ of [0-9]+) found")))
        << result;
    return match.empty() ? "" : match[1].str();
  }

  // Returns key number `i` of db_bench in hexadecimal. The key has 8 big-endian
  // bytes and 8 characters '0'.
  static std::string HexKey(int i) {
    char text[64];
    std::snprintf(text, sizeof(text), "0x%016X3030303030303030", i);
    return text;
  }

  static std::string AbsentHexKey(int i) { return HexKey(i) + "78"; }

  const std::string all_found_ =
      std::to_string(kNumKeys) + " of " + std::to_string(kNumKeys);
  std::string cpu_;  // CPU that qemu emulates. No qemu if empty.
  TempDir folder_;
  const std::string db_ = folder_ / "db";
};

TEST_F(RocksdbToolsTest, DbBenchBuildsAndUsesTheFilter) {
  ASSERT_NO_FATAL_FAILURE(MakeDatabase());
  EXPECT_TRUE(NewestOptionsName("cassandra_bloom:10"));

  EXPECT_TRUE(NewestSstNames("cassandra_bloom"));

  const std::vector<std::string> existing = {"--use_existing_db"};
  const ProcessResult present = DbBench("cassandra_bloom:10", TEST_LOADER,
                                        "readseq,readrandom", existing);
  EXPECT_EQ(present.exit_code, 0) << present;
  EXPECT_EQ(Found(present), all_found_);
  const ProcessResult absent =
      DbBench("cassandra_bloom:10", TEST_LOADER, "readmissing", existing);
  EXPECT_EQ(absent.exit_code, 0) << absent;
  // 0.8 % of the reads pass the filter. The test allows 10 %.
  EXPECT_GT(Ticker(absent, "rocksdb.bloom.filter.useful"), kNumKeys * 9u / 10);
}

#if defined(TEST_QEMU)
// The plugin also runs on a CPU without AVX, and builds the same filters there.
TEST_F(RocksdbToolsTest, AnyCpu) {
  const std::string with_avx2 = "max";
  const std::string without_avx = "Nehalem";
  for (const std::string& writer : {with_avx2, without_avx}) {
    cpu_ = writer;
    ASSERT_NO_FATAL_FAILURE(MakeDatabase());
    std::set<uint64_t> useful;
    for (const std::string& reader : {with_avx2, without_avx}) {
      SCOPED_TRACE(writer + " writes, " + reader + " reads");
      cpu_ = reader;
      const ProcessResult read =
          DbBench("cassandra_bloom:10", TEST_LOADER,
                  "readrandom,resetstats,multireadrandom,readmissing",
                  {"--use_existing_db", "--seed=1", "--multiread_batched",
                   "--batch_size=32"});
      EXPECT_EQ(read.exit_code, 0) << read;
      EXPECT_EQ(Found(read), all_found_);
      useful.insert(Ticker(read, "rocksdb.bloom.filter.useful"));
    }
    EXPECT_EQ(useful.size(), 1) << ::testing::PrintToString(useful);
    EXPECT_GT(*useful.begin(), kNumKeys * 9u / 10);
  }
}
#endif

TEST_F(RocksdbToolsTest, LdbReadsWithAndWithoutUs) {
  ASSERT_NO_FATAL_FAILURE(MakeDatabase());
  const std::string with_us = TEST_LOADER;
  for (const std::string& preload : {with_us, std::string()}) {
    SCOPED_TRACE("preloaded: " + preload);
    for (const int i : {0, 1, 999, kNumKeys - 1}) {
      const ProcessResult present = Ldb({"get", HexKey(i)}, preload);
      EXPECT_EQ(present.exit_code, 0) << present;
      EXPECT_EQ(present.out.rfind("0x", 0), 0u) << present;
      const ProcessResult absent = Ldb({"get", AbsentHexKey(i)}, preload);
      EXPECT_NE((absent.out + absent.err).find(kLdbNotFound), std::string::npos)
          << absent;
    }
    const ProcessResult scan = Ldb({"scan"}, preload);
    EXPECT_EQ(scan.exit_code, 0) << scan;
    EXPECT_EQ(Lines(scan.out).size(), static_cast<size_t>(kNumKeys));

    const ProcessResult manifest =
        RunProcess({TEST_LDB, "--db=" + db_, "manifest_dump"}, preload);
    EXPECT_EQ(manifest.exit_code, 0) << manifest;
    EXPECT_NE(manifest.out.find("Column family"), std::string::npos);
    EXPECT_EQ(manifest.err, "");
  }
  // Without us, ldb ignores a policy that it does not know, and writes an
  // OPTIONS file without this policy.
  const ProcessResult compact = Ldb({"compact"}, "");
  EXPECT_EQ(compact.exit_code, 0) << compact;
  EXPECT_EQ(compact.err, "");
  EXPECT_TRUE(NewestOptionsName("nullptr"));
  EXPECT_TRUE(NewestSstNames("N/A"));
}

// db_bench and ldb make RocksDB's Bloom filter in their code, without an
// OPTIONS file.
TEST_F(RocksdbToolsTest, BloomBitsAreReplaced) {
  const ProcessResult db_bench =
      RunProcess({TEST_DB_BENCH, "--bloom_bits=12", "--db=" + db_,
                  "--benchmarks=fillseq,flush,readmissing",
                  "--num=" + std::to_string(kNumKeys), "--statistics"},
                 TEST_REPLACE);
  EXPECT_EQ(db_bench.exit_code, 0) << db_bench;
  EXPECT_TRUE(NewestOptionsName("cassandra_bloom:12:blocks:rocksdb"));
  EXPECT_GT(Ticker(db_bench, "rocksdb.bloom.filter.useful"),
            kNumKeys * 9u / 10);

  const ProcessResult put =
      RunProcess({TEST_LDB, "--db=" + db_, "--bloom_bits=14", "put", "a", "b"},
                 TEST_REPLACE);
  EXPECT_EQ(put.exit_code, 0) << put;
  EXPECT_TRUE(NewestOptionsName("cassandra_bloom:14:blocks:rocksdb"));
}

}  // namespace
}  // namespace cassandra_bloom::testing
