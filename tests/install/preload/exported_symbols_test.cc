// SPDX-License-Identifier: Apache-2.0

// Tests which symbols the shared libraries export and import.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;

// Returns sorted symbol names: NAME, or NAME@@VERSION for a versioned symbol.
std::vector<std::string> Symbols(const std::string& library,
                                 const std::string& which) {
  const ProcessResult result =
      RunProcess({TEST_NM, "-D", "-C", "--format=posix", which, library});
  EXPECT_EQ(result.exit_code, 0) << result;
  std::vector<std::string> names;
  for (const std::string& line : Lines(result.out)) {
    // A line of nm is NAME[@VERSION] TYPE VALUE SIZE. If the type is A, NAME is
    // the name of a version, not of a symbol.
    std::smatch match;
    if (std::regex_match(line, match,
                         std::regex("([^@]*?)([(\\[][^@]*)?(@[^ ]*)? "
                                    "([A-Za-z])( [0-9a-f]+)*\\s*")) &&
        match[4] != "A") {
      names.push_back(match[1].str() + match[3].str());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Returns what the dynamic section has of a kind: NEEDED or SONAME.
std::vector<std::string> Dynamic(const std::string& library,
                                 const std::string& kind) {
  const ProcessResult result = RunProcess({TEST_READELF, "-dW", library});
  EXPECT_EQ(result.exit_code, 0) << result;
  std::vector<std::string> names;
  const std::regex entry("\\(" + kind + "\\).*\\[(.*)\\]");
  for (const std::string& line : Lines(result.out)) {
    std::smatch match;
    if (std::regex_search(line, match, entry)) {
      names.push_back(match[1]);
    }
  }
  EXPECT_FALSE(names.empty()) << result;
  return names;
}

bool AnyHolds(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return text.find(part) != std::string::npos;
  });
}

// Returns the C functions that need no RocksDB. Reads the symbols file of the
// Debian package. Each line of this file is NAME@VERSION SINCE.
std::vector<std::string> CoreOfC() {
  std::vector<std::string> names;
  for (const std::string& line : Lines(ReadFile(TEST_SYMBOLS))) {
    std::smatch match;
    if (std::regex_match(
            line, match,
            std::regex(" ([a-z_]+)@CASSANDRA_BLOOM_0\\.1 [0-9.]+"))) {
      names.push_back(match[1]);
    }
  }
  EXPECT_FALSE(names.empty());
  return names;
}

const std::vector<std::string> kRocksdbOfC = {
    "cassandra_bloom_register_with_rocksdb"};

const std::vector<std::string> kCpp = {
    "cassandra_bloom::GetFilterDbExportCounts",
    "cassandra_bloom::NewFilterDbExportListener",
    "cassandra_bloom::NewMixInPlaceOf",
    "cassandra_bloom::NewOursInPlaceOf",
    "register_cassandra_bloom",
    "rocksdb::NewCassandraBloomPolicy",
    "rocksdb::NewCassandraBloomPolicyBesideRocksdb",
    "rocksdb::NewCassandraBloomMixPolicy",
    "rocksdb::NewCassandraBloomPolicyForFpChance",
    "rocksdb::NewCassandraBloomPolicyFromOptions",
    "rocksdb::NewCassandraPartitionTransform"};

void Append(const std::vector<std::string>& names, const std::string& version,
            std::vector<std::string>* symbols) {
  for (const std::string& name : names) {
    symbols->push_back(name + version);
  }
  std::sort(symbols->begin(), symbols->end());
}

TEST(ExportedSymbolsTest, ThePluginDefinesItsInterfaceOnly) {
  std::vector<std::string> expected;
  Append(CoreOfC(), "@@CASSANDRA_BLOOM_0.1", &expected);
  Append(kRocksdbOfC, "@@CASSANDRA_BLOOM_0.1", &expected);
  Append(kCpp, "@@CASSANDRA_BLOOM_CXX_" TEST_ABI, &expected);
  EXPECT_EQ(Symbols(TEST_PLUGIN, "--defined-only"), expected);
}

TEST(ExportedSymbolsTest, TheLibraryForFilesDefinesItsInterfaceOnly) {
  std::vector<std::string> expected;
  Append(CoreOfC(), "@@CASSANDRA_BLOOM_0.1", &expected);
  EXPECT_EQ(Symbols(TEST_FILES_LIBRARY, "--defined-only"), expected);
}

// A relocation with the name of one of our functions would be a call that a
// program can redirect by a function of the same name.
TEST(ExportedSymbolsTest, TheyCallTheirOwnFunctionsDirectly) {
  for (const char* const library : {TEST_PLUGIN, TEST_FILES_LIBRARY}) {
    SCOPED_TRACE(library);
    const ProcessResult result = RunProcess({TEST_READELF, "-rW", library});
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_NE(result.out.find(" free@"), std::string::npos)
        << "the relocations are wrong";
    for (const std::string& line : Lines(result.out)) {
      EXPECT_FALSE(std::regex_search(
          line, std::regex("cassandra_bloom_|Cassandra|FilterDb")))
          << line;
    }
  }
}

// With another TLS model, each look-up would call the dynamic linker. The
// relocations of that are DTPMOD or, on other CPUs, TLSDESC.
TEST(ExportedSymbolsTest, ThePluginReadsItsThreadLocalVariableWithoutACall) {
  const ProcessResult result = RunProcess({TEST_READELF, "-rW", TEST_PLUGIN});
  EXPECT_THAT(result.out, ContainsRegex("TPOFF|TPREL"));
  EXPECT_THAT(result.out, Not(ContainsRegex("DTPMOD|TLSDESC")));
}

TEST(ExportedSymbolsTest, TheHeaderDeclaresWhatIsDefined) {
  const std::string header = ReadFile(TEST_C_HEADER);
  std::vector<std::string> declared;
  const std::regex name("\\b(cassandra_bloom_[a-z_]+)\\(");
  for (std::sregex_iterator match(header.begin(), header.end(), name), end;
       match != end; ++match) {
    declared.push_back((*match)[1]);
  }
  std::sort(declared.begin(), declared.end());
  std::vector<std::string> expected;
  Append(CoreOfC(), "", &expected);
  Append(kRocksdbOfC, "", &expected);
  EXPECT_EQ(declared, expected);
}

TEST(ExportedSymbolsTest, TheLibraryForFilesNeedsNoRocksdb) {
  EXPECT_FALSE(AnyHolds(Dynamic(TEST_FILES_LIBRARY, "NEEDED"), "rocksdb"));
  EXPECT_FALSE(
      AnyHolds(Symbols(TEST_FILES_LIBRARY, "--undefined-only"), "rocksdb"));
}

TEST(ExportedSymbolsTest, TheSonameNamesRocksdbsReleaseAndOurs) {
  EXPECT_THAT(Dynamic(TEST_PLUGIN, "SONAME"),
              ElementsAre("librocksdb_cassandra_bloom.so." TEST_ROCKSDB_RELEASE
                          "-" TEST_ABI));
}

TEST(ExportedSymbolsTest, ThePluginNeedsTheRocksdbItWasBuiltFor) {
  EXPECT_THAT(Dynamic(TEST_PLUGIN, "NEEDED"),
              IsSupersetOf(Dynamic(TEST_ROCKSDB, "SONAME")));
}

TEST(ExportedSymbolsTest, TheLibrariesToPreloadDefineNothingElse) {
  EXPECT_THAT(Symbols(TEST_LOADER, "--defined-only"), ElementsAre());
  EXPECT_THAT(Symbols(TEST_REPLACE, "--defined-only"),
              ElementsAre("rocksdb::NewBloomFilterPolicy",
                          "rocksdb_filterpolicy_create_bloom",
                          "rocksdb_filterpolicy_create_bloom_full"));
}

// A program with these libraries preloaded may have neither RocksDB nor a C++
// library.
TEST(ExportedSymbolsTest, TheyNeedNoRocksdbAndNoCppLibrary) {
  for (const char* const preloaded : {TEST_LOADER, TEST_REPLACE}) {
    SCOPED_TRACE(preloaded);
    const std::vector<std::string> needed = Dynamic(preloaded, "NEEDED");
    for (const char* const library : {"rocksdb", "libstdc++", "libgcc_s"}) {
      EXPECT_FALSE(AnyHolds(needed, library))
          << ::testing::PrintToString(needed);
    }
    const std::vector<std::string> undefined =
        Symbols(preloaded, "--undefined-only");
    EXPECT_TRUE(AnyHolds(undefined, "dlopen")) << "the symbols are wrong";
    for (const char* const part : {"rocksdb", "std::", "__cxa_throw"}) {
      EXPECT_FALSE(AnyHolds(undefined, part)) << part;
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
