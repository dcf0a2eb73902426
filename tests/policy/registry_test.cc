// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/version.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectLibrary;
using ROCKSDB_NAMESPACE::ObjectRegistry;

// Returns a configuration that knows only RocksDB's own names and the names of
// `library`.
ConfigOptions ConfigWith(const std::shared_ptr<ObjectLibrary>& library) {
  ConfigOptions config;
  config.registry = ObjectRegistry::NewInstance();
  config.registry->AddLibrary(library);
  config.ignore_unsupported_options = false;
  return config;
}

PolicyPtr Create(const ConfigOptions& config, const std::string& text) {
  PolicyPtr policy;
  FilterPolicy::CreateFromString(config, text, &policy).PermitUncheckedError();
  return policy;
}

TEST(RegistryTest, FactoriesUnderTheFrozenName) {
  const auto library = std::make_shared<ObjectLibrary>("test");
  EXPECT_EQ(register_cassandra_bloom(*library, "ignored"), 5);
  std::vector<std::string> names;
  library->GetFactoryNames(FilterPolicy::Type(), &names);
  EXPECT_EQ(names, std::vector<std::string>{"cassandra_bloom"});
  // RocksDB joins the names of several listeners to one id. The two factories
  // without a name match ids that begin with another listener.
  names.clear();
  library->GetFactoryNames(ROCKSDB_NAMESPACE::EventListener::Type(), &names);
  EXPECT_EQ(names, (std::vector<std::string>{"cassandra_bloom", "", ""}));
  names.clear();
  library->GetFactoryNames(ROCKSDB_NAMESPACE::SliceTransform::Type(), &names);
  EXPECT_EQ(names, std::vector<std::string>{"cassandra_partition"});
  size_t num_types = 0;
  EXPECT_EQ(library->GetFactoryCount(&num_types), 5u);
  EXPECT_EQ(num_types, 3u);
}

TEST(RegistryTest, RegisteringTwiceDoesNoHarm) {
  const auto library = std::make_shared<ObjectLibrary>("test");
  EXPECT_GT(register_cassandra_bloom(*library, ""), 0);
  EXPECT_GT(register_cassandra_bloom(*library, ""), 0);
  const ConfigOptions config = ConfigWith(library);
  EXPECT_EQ(IdOf(Create(config, "cassandra_bloom:12")), "cassandra_bloom:12");
}

// cassandra_bloom claims names that begin with "cassandra_bloom" and some
// misspellings of this name, but no other names.
TEST(RegistryTest, LeavesOtherPoliciesAlone) {
  const auto library = std::make_shared<ObjectLibrary>("test");
  register_cassandra_bloom(*library, "");
  const ConfigOptions config = ConfigWith(library);
  for (const char* const text : {"bloomfilter:10", "ribbonfilter:10"}) {
    const PolicyPtr policy = Create(config, text);
    ASSERT_NE(policy, nullptr) << text;
    EXPECT_STREQ(policy->CompatibilityName(), "rocksdb.BuiltinBloomFilter");
  }
  EXPECT_EQ(Create(config, "nullptr"), nullptr);
  for (const char* const text :
       {"casandra_bloom:10", "CASSANDRA_BLOOM:10", "cassandra:10", "cassandra",
        "my_cassandra_bloom:10", "rocksdb.cassandra_bloom:10", "cassandra_bloo",
        "bits_per_key=12"}) {
    SCOPED_TRACE(text);
    PolicyPtr policy;
    EXPECT_TRUE(
        FilterPolicy::CreateFromString(config, text, &policy).IsNotSupported());
    EXPECT_EQ(policy, nullptr);
  }
}

// A program may use a policy without registering its name. RocksDB then writes
// an OPTIONS file with a name that RocksDB does not know.
TEST(RegistryTest, APolicyWorksUnregistered) {
  const Dataset dataset = NumberedDataset(100, 100);
  rocksdb::Options options = DbOptions(OurPolicy());
// Since 10.2, RocksDB fails at an error of the OPTIONS file even without this
// option.
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR < 1002
  options.fail_if_options_file_error = true;
#endif
  TestDb db(options, dataset.rows);
  db.Reopen();
  EXPECT_TRUE(GetsMatch(db.source(), dataset));
  EXPECT_GT(db.ReadsFiltered(), 0u);
  db.Close();

  ConfigOptions config;
  config.registry = ObjectRegistry::NewInstance();
  config.registry->AddLibrary("test", register_cassandra_bloom, "");
  for (const auto& [known, id] :
       {std::pair(true, "cassandra_bloom:10"), std::pair(false, "(none)")}) {
    EXPECT_EQ(IdOf(FilterPolicyOf(
                  LatestOptions(known ? config : ConfigOptions(), db))),
              id);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
