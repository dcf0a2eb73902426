// What the shared libraries define for others and what they need from them.

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/run_process.h"

namespace cassandra_bloom::testing {
namespace {

// The names in the dynamic symbol table, sorted.
std::vector<std::string> Symbols(const std::string& library,
                                 const std::string& which) {
  const ProcessResult result =
      RunProcess({TEST_NM, "-D", "-C", "--format=posix", which, library});
  EXPECT_EQ(result.exit_code, 0) << result;
  std::vector<std::string> names;
  for (const std::string& line : Lines(result.out)) {
    // NAME[@VERSION] TYPE VALUE SIZE, and a demangled name may hold spaces.
    std::smatch match;
    if (std::regex_match(
            line, match,
            std::regex("([^@]*)(@.*)? [A-Za-z]( [0-9a-f]+)*\\s*"))) {
      names.push_back(match[1]);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Needed(const std::string& library) {
  const ProcessResult result = RunProcess({TEST_READELF, "-dW", library});
  EXPECT_EQ(result.exit_code, 0) << result;
  std::vector<std::string> names;
  const std::regex needed("\\(NEEDED\\).*\\[(.*)\\]");
  for (const std::string& line : Lines(result.out)) {
    std::smatch match;
    if (std::regex_search(line, match, needed)) {
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

TEST(ExportedSymbolsTest, ThePluginDefinesItsInterfaceOnly) {
  std::vector<std::string> names = Symbols(TEST_PLUGIN, "--defined-only");
  for (std::string& name : names) {
    name.erase(std::min(name.find('('), name.size()));
    name.erase(std::min(name.find('['), name.size()));
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "cassandra_bloom::GetFilterDbExportCounts",
                "cassandra_bloom::NewFilterDbExportListener",
                "cassandra_bloom::ReconcileFilterDbExports",
                "cassandra_bloom_register_default", "register_cassandra_bloom",
                "rocksdb::NewCassandraBloomPolicy",
                "rocksdb::NewCassandraBloomPolicyForFpChance"}));
}

TEST(ExportedSymbolsTest, ThePluginNeedsTheRocksdbItWasBuiltFor) {
  EXPECT_TRUE(
      AnyHolds(Needed(TEST_PLUGIN), "librocksdb.so." TEST_ROCKSDB_RELEASE));
}

TEST(ExportedSymbolsTest, TheLoaderDefinesNothing) {
  EXPECT_EQ(Symbols(TEST_LOADER, "--defined-only"), std::vector<std::string>{});
}

// It is loaded into programs that have neither.
TEST(ExportedSymbolsTest, TheLoaderNeedsNoRocksdbAndNoCppLibrary) {
  const std::vector<std::string> needed = Needed(TEST_LOADER);
  for (const char* const library : {"rocksdb", "libstdc++", "libgcc_s"}) {
    EXPECT_FALSE(AnyHolds(needed, library)) << ::testing::PrintToString(needed);
  }
  const std::vector<std::string> undefined =
      Symbols(TEST_LOADER, "--undefined-only");
  EXPECT_TRUE(AnyHolds(undefined, "dlopen")) << "the list is not what it seems";
  for (const char* const part : {"rocksdb", "std::", "__cxa_throw"}) {
    EXPECT_FALSE(AnyHolds(undefined, part)) << part;
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
