// SPDX-License-Identifier: Apache-2.0

// An accepted filter_policy string must reach the policy on every route. A
// refused string must never give a database without filters.

#include "tests/policy/option_routes.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/policy_probe.h"
#include "tests/policy/temp_db.h"
#include "tests/support/rocksdb/opened_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::NewBloomFilterPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicyForFpChance;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

class OptionRoutesTest : public ::testing::Test {
 protected:
  void SetUp() override { RegisterInDefaultRegistry(); }

  static Options With(PolicyPtr policy) {
    Options options;
    options.create_if_missing = true;
    SetFilterPolicy(std::move(policy), &options);
    return options;
  }

  static std::vector<Options> Bases() {
    return {With(nullptr), With(PolicyPtr(NewCassandraBloomPolicy(7))),
            With(PolicyPtr(NewCassandraBloomPolicyForFpChance(0.1))),
            With(PolicyPtr(NewBloomFilterPolicy(7)))};
  }

  template <typename Text, typename Check>
  static void OnEveryRoute(const std::vector<Text>& texts, Check check) {
    const std::vector<ConfigOptions> all_configs = AllConfigOptions();
    const std::vector<ConfigOptions> default_config = {ConfigOptions()};
    const std::vector<Options> all_bases = Bases();
    const std::vector<Options> fresh_base = {all_bases.front()};
    for (const OptionRoute& route : OptionRoutes()) {
      SCOPED_TRACE(route.name);
      for (const ConfigOptions& config :
           route.is_old_api ? default_config : all_configs) {
        SCOPED_TRACE(ToString(config));
        for (const Options& base :
             route.builds_on_base ? all_bases : fresh_base) {
          SCOPED_TRACE("over " + IdOf(FilterPolicyOf(base)));
          for (const Text& text : texts) {
            if (route.takes_braces || !IsInBraces(text.text)) {
              SCOPED_TRACE(text.text);
              check(route, config, base, text);
            }
          }
          if (HasFailure()) {
            // Thousands of further failures would say the same.
            return;
          }
        }
      }
    }
  }
};

TEST_F(OptionRoutesTest, AcceptedStringsArrive) {
  int num_checked = 0;
  OnEveryRoute(AcceptedStrings(),
               [&](const OptionRoute& route, const ConfigOptions& config,
                   const Options& base, const AcceptedString& accepted) {
                 Options options;
                 const Status status =
                     route.load(config, base, accepted.text, &options);
                 EXPECT_TRUE(status.ok()) << status.ToString();
                 EXPECT_EQ(IdOf(FilterPolicyOf(options)), accepted.id);
                 ++num_checked;
               });
  EXPECT_GT(num_checked, 5000);
}

TEST_F(OptionRoutesTest, RefusedStringsAreRefusedAtTheLatestByOpen) {
  const TempDir folder;
  const std::string path = folder.path() + "/db";
  int num_refused_by_open = 0;
  int num_refused_before = 0;
  OnEveryRoute(
      RefusedStrings(),
      [&](const OptionRoute& route, const ConfigOptions& config,
          const Options& base, const RefusedString& refused) {
        Options options;
        Status status = route.load(config, base, refused.text, &options);
        if (!status.ok()) {
          EXPECT_TRUE(IsRefusal(status, refused));
          ++num_refused_before;
          return;
        }
        EXPECT_NE(FilterPolicyOf(options), nullptr) << "silently unfiltered";
        OpenedDb db{};
        status = DB::Open(options, path, &db);
        const std::unique_ptr<DB> opened = Own(std::move(db));
        EXPECT_TRUE(IsRefusal(status, refused));
        ++num_refused_by_open;
      });
  EXPECT_GT(num_refused_by_open, 1000);
  EXPECT_GT(num_refused_before, 1000);
}

}  // namespace
}  // namespace cassandra_bloom::testing
