// SPDX-License-Identifier: Apache-2.0

// Preloads the loader of the plugin into programs of every kind.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kPolicy[] = "cassandra_bloom:12\n";
constexpr char kPluginName[] =
    "librocksdb_cassandra_bloom.so." TEST_ROCKSDB_RELEASE "-" TEST_ABI;
constexpr char kNextName[] =
    "librocksdb_cassandra_bloom.so." TEST_ROCKSDB_RELEASE "-" TEST_NEXT_ABI;

// Expects success, the output `out`, and one line of the loader with all
// `parts`.
void ExpectRefused(const ProcessResult& result, const std::string& out,
                   const std::vector<std::string>& parts) {
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, out);
  ASSERT_EQ(Lines(result.err).size(), 1u) << result;
  EXPECT_EQ(result.err.rfind("cassandra_bloom: ", 0), 0u) << result;
  for (const std::string& part : parts) {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << "\n"
                                                        << result;
  }
}

constexpr const char* kLibraries[] = {TEST_LOADER, TEST_REPLACE};

TEST(LoaderTest, ProgramsWithoutRocksdbDoNotNotice) {
  const std::vector<std::string> programs[] = {
      {"/bin/true"},
      {"/bin/false"},
      {"/bin/echo", "some", "words"},
      {"/bin/ls", "/"},
      {"/bin/sh", "-c", "echo one two | cat | wc; exit 3"},
      {"/bin/sh", "-c", "cat /nonexistent 2>/dev/null || echo none"},
      {"/bin/bash", "-c", "ls / | wc -l"},
      {TEST_PYTHON, "-c", "import ctypes, ssl; print(6 * 7)"},
      {"/bin/mount", "--version"},  // mount has the setuid bit.
  };
  for (const std::vector<std::string>& program : programs) {
    SCOPED_TRACE(::testing::PrintToString(program));
    const ProcessResult without = RunProcess(program);
    for (const char* const libraries : kLibraries) {
      const ProcessResult with = RunProcess(program, libraries);
      EXPECT_GE(with.exit_code, 0);  // No signal.
      EXPECT_EQ(with.exit_code, without.exit_code);
      EXPECT_EQ(with.out, without.out);
      EXPECT_EQ(with.err, "");
    }
  }
}

TEST(LoaderTest, BringsThePolicyIntoAProgramWithRocksdb) {
  const ProcessResult without = RunProcess({TEST_ROCKSDB_HOST});
  EXPECT_EQ(without.out, "none\n") << without;
  const ProcessResult with = RunProcess({TEST_ROCKSDB_HOST}, TEST_LOADER);
  EXPECT_EQ(with.exit_code, 0) << with;
  EXPECT_EQ(with.out, kPolicy) << with;
  EXPECT_EQ(with.err, "");
}

// These tunables leave about 200 bytes of static TLS, the memory for
// thread-local variables (tls_static_surplus in glibc's elf/dl-tls.c). The
// plugin needs less.
TEST(LoaderTest, ThereIsNoStaticTls) {
  const std::vector<std::string> command = {
      "/usr/bin/env",
      "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=0:glibc.rtld.nns=1"};
  const auto run = [&command](const std::string& preload) {
    std::vector<std::string> arguments = command;
    arguments.push_back("LD_PRELOAD=" + preload);
    arguments.push_back(TEST_ROCKSDB_HOST);
    return RunProcess(arguments);
  };
  const ProcessResult enough = run(TEST_LOADER);
  EXPECT_EQ(enough.out, kPolicy) << enough;
  EXPECT_EQ(enough.err, "");
  // The library that is preloaded last is initialised first. So TEST_STATIC_TLS
  // takes all static TLS before the loader needs it.
  ExpectRefused(run(TEST_LOADER ":" TEST_STATIC_TLS), "none\n",
                {"static TLS block"});
}

// The loader must refuse a plugin that would load a second RocksDB.
TEST(LoaderTest, OtherRocksdbs) {
  const std::string linked = "host of " TEST_ROCKSDB_RELEASE ".9\n";
  const std::vector<std::string> not_shared = {"not a shared library",
                                               TEST_ROCKSDB_RELEASE};
  const struct {
    const char* host;
    std::string out;
    std::vector<std::string> parts;
  } refusals[] = {
      {TEST_HOST_OF_9_9,
       "host of 9.9.9\n",
       {"no plugin for RocksDB 9.9: "
        "librocksdb_cassandra_bloom.so.9.9-" TEST_ABI
        ": cannot open shared object file"}},
      // RocksDB is linked into the program: alone, beside a shared one of
      // another release, and beside one of the same release.
      {TEST_STATIC_HOST, linked, not_shared},
      {TEST_TWO_ROCKSDBS_HOST, linked, not_shared},
      {TEST_TWICE_ROCKSDB_HOST, linked, not_shared},
      // Another library of this release.
      {TEST_OTHER_ROCKSDB_HOST,
       linked,
       {"RocksDB " TEST_ROCKSDB_RELEASE " is " TEST_OTHER_ROCKSDB
        " in this program, not the librocksdb.so",
        kPluginName + std::string(" needs")}},
  };
  for (const auto& refusal : refusals) {
    for (const char* const library : kLibraries) {
      SCOPED_TRACE(std::string(library) + " in " + refusal.host);
      ExpectRefused(RunProcess({refusal.host}, library), refusal.out,
                    refusal.parts);
    }
  }
}

// LD_DEBUG=files makes the dynamic linker print a line for each library that it
// loads. A refused plugin must not have brought its RocksDB into the process,
// not even for a moment, because RocksDB's constructors would have run.
TEST(LoaderTest, NoSecondRocksdbIsLoaded) {
  const auto loads_rocksdb = [](const std::string& host) {
    const ProcessResult result =
        RunProcess({"/usr/bin/env", "LD_DEBUG=files",
                    "LD_PRELOAD=" TEST_LOADER ":" TEST_REPLACE, host});
    EXPECT_EQ(result.exit_code, 0) << result;
    return std::regex_search(
        result.err,
        std::regex("file=librocksdb\\.so\\.[^;]*; *generating link map"));
  };
  EXPECT_TRUE(loads_rocksdb(TEST_ROCKSDB_HOST));
  EXPECT_FALSE(loads_rocksdb(TEST_STATIC_HOST));
  EXPECT_FALSE(loads_rocksdb(TEST_OTHER_ROCKSDB_HOST));
}

// A preloaded stub of RocksDB reports another release.
TEST(LoaderTest, APluginThatIsLinkedChecksTheReleaseToo) {
  const ProcessResult right = RunProcess({TEST_LINKED_HOST});
  EXPECT_EQ(right.out, "cassandra_bloom:12 cassandra_bloom:fp:0.1 5\n");
  EXPECT_EQ(right.err, "");
  ExpectRefused(RunProcess({TEST_LINKED_HOST}, TEST_STUB_9_9), "none none 0\n",
                {"built for RocksDB " TEST_ROCKSDB_RELEASE,
                 "not for the 9.9 of this process; build cassandra_bloom for "
                 "RocksDB 9.9"});
}

TEST(LoaderTest, ThePluginCanBePreloadedItself) {
  for (const char* const libraries :
       {TEST_PLUGIN, TEST_PLUGIN ":" TEST_LOADER}) {
    const ProcessResult result = RunProcess({TEST_ROCKSDB_HOST}, libraries);
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_EQ(result.out, kPolicy) << result;
    EXPECT_EQ(result.err, "");
  }
  EXPECT_EQ(RunProcess({"/bin/true"}, TEST_PLUGIN).exit_code, 0);
}

// Its name is the one that somebody guesses.
TEST(LoaderTest, TheLibraryForFilesSaysWhatToPreload) {
  const ProcessResult preloaded =
      RunProcess({TEST_ROCKSDB_HOST}, TEST_FILES_LIBRARY);
  EXPECT_EQ(preloaded.exit_code, 0);
  EXPECT_EQ(preloaded.out, "none\n");
  EXPECT_EQ(preloaded.err,
            "cassandra_bloom: libcassandra_bloom.so has no filter policy: "
            "preload libcassandra_bloom_preload.so or "
            "libcassandra_bloom_replace.so\n");
  EXPECT_EQ(RunProcess({"/bin/true"}, TEST_FILES_LIBRARY).err, "");
  // Python loads it, beside a RocksDB, and the right library is preloaded.
  const ProcessResult loaded =
      RunProcess({TEST_PYTHON, "-c",
                  "import ctypes\n"
                  "ctypes.CDLL('" TEST_STUB_9_9 "', ctypes.RTLD_GLOBAL)\n"
                  "ctypes.CDLL('" TEST_FILES_LIBRARY "')"},
                 TEST_LOADER);
  EXPECT_EQ(loaded.exit_code, 0) << loaded;
  EXPECT_EQ(loaded.err, "");
}

// A copy of the loader in another folder.
TEST(LoaderTest, FindsThePluginBesideIt) {
  ASSERT_FALSE(fs::exists(fs::path(TEST_INSTALLED_PLUGIN_FOLDER) / kPluginName))
      << "the loader would find this installed plugin: remove it";
  const TempDir folder;
  const std::string loader = folder / "libcassandra_bloom_preload.so";
  fs::copy_file(TEST_LOADER, loader);
  ExpectRefused(
      RunProcess({TEST_ROCKSDB_HOST}, loader), "none\n",
      {"no plugin for RocksDB " TEST_ROCKSDB_RELEASE ": ", kPluginName});
  fs::copy_file(TEST_PLUGIN, folder / kPluginName);
  // The dynamic linker searches LD_LIBRARY_PATH for a name without a slash.
  ASSERT_EQ(setenv("LD_LIBRARY_PATH", folder.path().c_str(), 1), 0);
  for (const std::string& preload :
       {loader, fs::path(loader).filename().string()}) {
    const ProcessResult result = RunProcess({TEST_ROCKSDB_HOST}, preload);
    EXPECT_EQ(result.out, kPolicy) << result;
    EXPECT_EQ(result.err, "");
  }
  unsetenv("LD_LIBRARY_PATH");
}

// A program that was built with this version's plugin, where the next version's
// plugin is installed. CassandraBloomOptions may be larger there, so the
// program must not start with it.
TEST(PluginVersionTest, TheProgramStartsWithItsOwnVersionAlone) {
  ASSERT_FALSE(fs::exists(fs::path(TEST_INSTALLED_PLUGIN_FOLDER) / kPluginName))
      << "the program would find this installed plugin: remove it";
  struct Copy {
    const char* plugin;
    const char* name;
  };
  const struct {
    std::vector<Copy> copies;  // In the folder where the program looks.
    std::string error;         // Empty if the program starts.
  } cases[] = {
      {{{TEST_PLUGIN, kPluginName}}, ""},
      {{{TEST_PLUGIN, kPluginName}, {TEST_NEXT_PLUGIN, kNextName}}, ""},
      {{{TEST_NEXT_PLUGIN, kNextName}},
       std::string(kPluginName) + ": cannot open shared object"},
      {{{TEST_NEXT_PLUGIN, kPluginName}},
       "version `CASSANDRA_BLOOM_CXX_" TEST_ABI "' not found"},
  };
  for (const auto& [copies, error] : cases) {
    const TempDir libraries;
    for (const Copy& copy : copies) {
      fs::copy_file(copy.plugin, libraries / copy.name);
    }
    const ProcessResult result = RunProcess(
        {"/usr/bin/env",
         "LD_LIBRARY_PATH=" + libraries.path() + ":" TEST_ROCKSDB_FOLDER,
         TEST_VERSION_HOST});
    EXPECT_EQ(result.exit_code == 0, error.empty()) << result;
    EXPECT_EQ(result.out, error.empty()
                              ? "cassandra_bloom:12 cassandra_bloom:fp:0.1 5\n"
                              : "");
    EXPECT_EQ(result.err.empty(), error.empty()) << result;
    EXPECT_NE(result.err.find(error), std::string::npos) << result;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
