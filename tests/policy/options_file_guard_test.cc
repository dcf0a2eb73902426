// SPDX-License-Identifier: Apache-2.0

// Tests the mark that keeps programs without cassandra_bloom from loading an
// OPTIONS file.

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/utilities/object_registry.h>

#include <memory>
#include <string>

#include "cassandra_bloom/filter_policy.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::GetColumnFamilyOptionsFromString;
using ROCKSDB_NAMESPACE::MemTableRepFactory;
using ROCKSDB_NAMESPACE::ObjectRegistry;
using ROCKSDB_NAMESPACE::Status;

constexpr char kMark[] = "{id=SkipListFactory:00;cassandra_bloom=required}";

// Returns a configuration that knows the names of RocksDB and cassandra_bloom
// only.
ConfigOptions KnowingConfig() {
  ConfigOptions config;
  config.registry = ObjectRegistry::NewInstance();
  config.registry->AddLibrary("test", register_cassandra_bloom, "");
  return config;
}

std::string IdOfMemtable(const std::string& text) {
  std::unique_ptr<MemTableRepFactory> factory;
  const Status status =
      MemTableRepFactory::CreateFromString(KnowingConfig(), text, &factory);
  return status.ok() ? factory->GetId() : status.ToString();
}

Status ParseFamily(const ConfigOptions& config, const std::string& text,
                   ColumnFamilyOptions* family) {
  return GetColumnFamilyOptionsFromString(config, ColumnFamilyOptions(), text,
                                          family);
}

TEST(OptionsFileGuardTest, IsASkipList) {
  std::unique_ptr<MemTableRepFactory> factory;
  ASSERT_TRUE(
      MemTableRepFactory::CreateFromString(KnowingConfig(), kMark, &factory)
          .ok());
  EXPECT_STREQ(factory->Name(), "SkipListFactory");
  EXPECT_TRUE(factory->IsInsertConcurrentlySupported());
  EXPECT_TRUE(factory->CanHandleDuplicatedKey());
}

TEST(OptionsFileGuardTest, TakesNoOtherSpelling) {
  EXPECT_EQ(IdOfMemtable("SkipListFactory"), "SkipListFactory");
  EXPECT_EQ(IdOfMemtable("skip_list"), "SkipListFactory");
  EXPECT_EQ(IdOfMemtable("SkipListFactory:0"), "SkipListFactory");
  EXPECT_EQ(IdOfMemtable("SkipListFactory:000"), "SkipListFactory");
  EXPECT_EQ(IdOfMemtable("skip_list:16"), "SkipListFactory:16");
}

TEST(OptionsFileGuardTest, AWrongMarkIsAnError) {
  ColumnFamilyOptions family;
  const Status status = ParseFamily(
      KnowingConfig(),
      "memtable_factory={id=SkipListFactory:00;cassandra_bloom=requierd}",
      &family);
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find(
                "cassandra_bloom='requierd'; the only value is required"),
            std::string::npos)
      << status.ToString();
}

// Nothing registers cassandra_bloom in the default registry of this program.
TEST(OptionsFileGuardTest, IsRefusedWhereNobodyHasRegisteredUs) {
  ColumnFamilyOptions family;
  const Status status = ParseFamily(
      ConfigOptions(), "memtable_factory=" + std::string(kMark), &family);
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_NE(status.ToString().find("memtable_factory"), std::string::npos)
      << status.ToString();
}

}  // namespace
}  // namespace cassandra_bloom::testing
