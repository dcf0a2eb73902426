// SPDX-License-Identifier: Apache-2.0

// Every route into a database's options must give the policy of a string, or
// refuse the string at the latest in DB::Open. Which strings are right is
// tested in create_from_string_test.cc, on one route.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <string>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/test_db.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::NewBloomFilterPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

// ---- The routes ----

Status FamilyString(const ConfigOptions& config, const Options& base,
                    const std::string& text, Options* result) {
  ColumnFamilyOptions family;
  const Status status = GetColumnFamilyOptionsFromString(
      config, ColumnFamilyOptions(base), text, &family);
  *result = Options(DBOptions(base), family);
  return status;
}

Status OptionsString(const ConfigOptions& config, const Options& base,
                     const std::string& text, Options* result) {
  return GetOptionsFromString(config, base, text, result);
}

Status TableString(const ConfigOptions& config, const Options& base,
                   const std::string& text, Options* result) {
  BlockBasedTableOptions table_options;
  const Status status = GetBlockBasedTableOptionsFromString(
      config, *base.table_factory->GetOptions<BlockBasedTableOptions>(), text,
      &table_options);
  *result = base;
  result->table_factory.reset(NewBlockBasedTableFactory(table_options));
  return status;
}

Status OptionsFile(const ConfigOptions& config, const Options& base,
                   const std::string& text, Options* result) {
  const TempDir folder;
  WriteFile(folder / "OPTIONS-000007", OptionsFileText(text));
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  const Status status = LoadOptionsFromFile(config, folder / "OPTIONS-000007",
                                            &db_options, &families);
  db_options.create_if_missing = true;
  *result =
      families.empty() ? base : Options(db_options, families.front().options);
  return status;
}

struct OptionRoute {
  const char* before;  // What stands before the policy, and behind it.
  const char* behind;
  Status (*load)(const ConfigOptions& config, const Options& base,
                 const std::string& text, Options* result);
};

// RocksDB's functions for a map of options and for the newest OPTIONS file
// share the code of these.
constexpr OptionRoute kRoutes[] = {
    {"block_based_table_factory={block_size=8192;filter_policy=", "}",
     FamilyString},
    // block_based_table_factory is an alias of `table_factory`.
    {"table_factory={id=BlockBasedTable;filter_policy=", "}", FamilyString},
    {"block_based_table_factory={filter_policy.id=", "}", FamilyString},
    {"max_open_files=100;block_based_table_factory={filter_policy=", "}",
     OptionsString},
    {"filter_policy=", "", TableString},
    {"", "", OptionsFile},
};

// A policy in braces, such as {id=cassandra_bloom}, is no id.
bool Takes(const OptionRoute& route, const std::string& policy) {
  return policy[0] != '{' ||
         std::string(route.before).find(".id=") == std::string::npos;
}

Status Load(const OptionRoute& route, const ConfigOptions& config,
            const Options& base, const std::string& policy, Options* result) {
  return route.load(config, base, route.before + policy + route.behind, result);
}

Options WithPolicy(PolicyPtr policy) {
  Options options;
  options.create_if_missing = true;
  SetFilterPolicy(std::move(policy), &options);
  return options;
}

// Calls check(route, config, base) for each route, each setting of RocksDB's
// parser, and options with each kind of policy.
template <typename Check>
void OnEveryRoute(Check check) {
  RegisterInDefaultRegistry();
  const std::vector<Options> bases = {
      WithPolicy(nullptr), WithPolicy(PolicyPtr(NewCassandraBloomPolicy(7))),
      WithPolicy(PolicyPtr(NewBloomFilterPolicy(7)))};
  for (const OptionRoute& route : kRoutes) {
    SCOPED_TRACE(std::string("on the route ") + route.before);
    for (const ConfigOptions& config : AllConfigOptions()) {
      SCOPED_TRACE(ToString(config));
      for (const Options& base : bases) {
        SCOPED_TRACE("over " + IdOf(FilterPolicyOf(base)));
        check(route, config, base);
      }
    }
  }
}

// ---- The strings ----

TEST(OptionRoutesTest, AcceptedStringsArrive) {
  OnEveryRoute([](const OptionRoute& route, const ConfigOptions& config,
                  const Options& base) {
    for (const auto& [text, id] :
         {std::pair("cassandra_bloom:fp:0.01", "cassandra_bloom:fp:0.01"),
          {"cassandra_bloom:mix:10", "cassandra_bloom:mix:10"},
          {"{id=cassandra_bloom;partition_key=skip:8,u16;bits_per_key=12}",
           "cassandra_bloom:12:partition_key:skip:8,u16"}}) {
      if (Takes(route, text)) {
        Options options;
        const Status status = Load(route, config, base, text, &options);
        EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
        EXPECT_EQ(IdOf(FilterPolicyOf(options)), id);
      }
    }
  });
}

TEST(OptionRoutesTest, RefusedStringsAreRefusedAtTheLatestByOpen) {
  TestDb db;
  OnEveryRoute([&](const OptionRoute& route, const ConfigOptions& config,
                   const Options& base) {
    for (const RefusedString& refused :
         {RefusedString{"cassandra_bloom:abc", "'abc'", "from 0 to 100"},
          {"Cassandra_bloom:10", "'Cassandra_bloom:10'",
           "; write cassandra_bloom:10;"},
          {"{id=cassandra_bloom;bits=10}", "'bits=10'", "bits_per_key"}}) {
      if (!Takes(route, refused.text)) {
        continue;
      }
      SCOPED_TRACE(refused.text);
      Options options;
      Status status = Load(route, config, base, refused.text, &options);
      if (status.ok()) {
        EXPECT_NE(FilterPolicyOf(options), nullptr) << "silently unfiltered";
        status = db.TryOpen(options);
      }
      EXPECT_TRUE(IsRefusal(status, refused));
    }
  });
}

// cassandra_bloom must claim these misspelt names. Otherwise RocksDB would find
// no policy, and would continue without one.
TEST(OptionRoutesTest, AMisspeltPolicyIsNotSilentlyNone) {
  RegisterInDefaultRegistry();
  for (const char* const text :
       {"{cassandra_bloom:10}", "{cassandra_bloom:abc}",
        "{cassandra_bloom:10;foo=bar}", "{cassandra_bloom=12}",
        "{cassandra_bloom;bits_per_key=12}",
        "{id=cassandra_bloom;bits_per_key=12", "\"cassandra_bloom:10\"",
        "{id=cassandra_bloom;bits_per_key=12;junk}"}) {
    SCOPED_TRACE(text);
    PolicyPtr policy;
    ROCKSDB_NAMESPACE::FilterPolicy::CreateFromString(ConfigOptions(), text,
                                                      &policy)
        .PermitUncheckedError();
    EXPECT_NE(policy, nullptr);
    for (const OptionRoute& route : kRoutes) {
      SCOPED_TRACE(route.before);
      Options options;
      if (Takes(route, text) &&
          Load(route, ConfigOptions(), WithPolicy(nullptr), text, &options)
              .ok()) {
        EXPECT_NE(FilterPolicyOf(options), nullptr);
      }
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
