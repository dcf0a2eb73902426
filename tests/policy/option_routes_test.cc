// SPDX-License-Identifier: Apache-2.0

// Every route into a database's options must give the policy of a string, or
// refuse the string at the latest in DB::Open. Which strings are right is
// tested in create_from_string_test.cc, on one route.

#include "tests/policy/option_routes.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::NewBloomFilterPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

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
  for (const OptionRoute& route : OptionRoutes()) {
    SCOPED_TRACE(route.name);
    for (const ConfigOptions& config : AllConfigOptions()) {
      SCOPED_TRACE(ToString(config));
      for (const Options& base : bases) {
        SCOPED_TRACE("over " + IdOf(FilterPolicyOf(base)));
        check(route, config, base);
      }
    }
  }
}

TEST(OptionRoutesTest, AcceptedStringsArrive) {
  OnEveryRoute([](const OptionRoute& route, const ConfigOptions& config,
                  const Options& base) {
    for (const auto& [text, id] :
         {std::pair("cassandra_bloom:fp:0.01", "cassandra_bloom:fp:0.01"),
          {"cassandra_bloom:mix:10", "cassandra_bloom:mix:10"},
          {"{id=cassandra_bloom;partition_key=skip:8,u16;bits_per_key=12}",
           "cassandra_bloom:12:partition_key:skip:8,u16"}}) {
      if (*text == '{' && !route.takes_braces) {
        continue;
      }
      Options options;
      const Status status = route.load(config, base, text, &options);
      EXPECT_TRUE(status.ok()) << text << ": " << status.ToString();
      EXPECT_EQ(IdOf(FilterPolicyOf(options)), id);
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
      if (*refused.text == '{' && !route.takes_braces) {
        continue;
      }
      SCOPED_TRACE(refused.text);
      Options options;
      Status status = route.load(config, base, refused.text, &options);
      if (status.ok()) {
        EXPECT_NE(FilterPolicyOf(options), nullptr) << "silently unfiltered";
        status = db.TryOpen(options);
      }
      EXPECT_TRUE(IsRefusal(status, refused));
    }
  });
}

}  // namespace
}  // namespace cassandra_bloom::testing
