// SPDX-License-Identifier: Apache-2.0

// Stand-ins for the comparators, filter policies and prefix extractors of a
// program, which are not known to this process.
//
// Tested in tests/sst_filters/doctor/not_asked_test.cc.

#include <rocksdb/comparator.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/utilities/object_registry.h>

#include <map>
#include <string>
#include <utility>

#include "cassandra_bloom/filter_policy.h"
#include "filterdb/commands/output.h"
#include "plugin/policy/filter_bits_api.h"
#include "tools/sst_filters/database/open_database.h"

namespace cassandra_bloom::tools {
namespace {

// The name is the text in the OPTIONS file.
template <typename Base>
class UnknownObject : public Base {
 public:
  explicit UnknownObject(std::string name) : name_(std::move(name)) {}

  const char* Name() const override { return name_.c_str(); }

 protected:
  const char* NickName() const override { return kUnknownHere; }

 private:
  const std::string name_;
};

class UnknownPolicy final : public UnknownObject<rocksdb::FilterPolicy> {
 public:
  using UnknownObject::UnknownObject;

  const char* CompatibilityName() const override { return kUnknownHere; }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& /*context*/) const override {
    return nullptr;
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(
      const rocksdb::Slice& /*contents*/) const override {
    return nullptr;
  }
};

class UnknownTransform final : public UnknownObject<rocksdb::SliceTransform> {
 public:
  using UnknownObject::UnknownObject;

  rocksdb::Slice Transform(const rocksdb::Slice& key) const override {
    return key;
  }
  bool InDomain(const rocksdb::Slice& /*key*/) const override { return false; }
};

// Must not be used to search for a key. To list files, RocksDB needs only the
// comparator's name.
//
// Builds with assertions also check that the files of a level do not overlap
// (VersionBuilder::CheckConsistencyDetails). This class compares keys by their
// bytes, so the check succeeds if the real order is bytewise or its reverse.
class UnknownComparator final : public UnknownObject<rocksdb::Comparator> {
 public:
  using UnknownObject::UnknownObject;

  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string* /*start*/,
                             const rocksdb::Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}
};

rocksdb::ObjectLibrary::PatternEntry EveryName() {
  return rocksdb::ObjectLibrary::PatternEntry("").AddSeparator(
      "", /*at_least_one=*/false);
}

template <typename Base, typename Unknown>
void AddUnknown(rocksdb::ObjectLibrary* library) {
  library->AddFactory<const Base>(
      EveryName(),
      [](const std::string& name, std::unique_ptr<const Base>* guard,
         std::string* /*error*/) -> const Base* {
        guard->reset(new Unknown(name));
        return guard->get();
      });
}

// RocksDB finds its own comparators without a factory
// (Comparator::CreateFromString), and never destroys a comparator.
void AddUnknownComparators(rocksdb::ObjectLibrary* library) {
  library->AddFactory<const rocksdb::Comparator>(
      EveryName(),
      [](const std::string& name,
         std::unique_ptr<const rocksdb::Comparator>* /*guard*/,
         std::string* /*error*/) -> const rocksdb::Comparator* {
        static auto* const comparators =
            new std::map<std::string, UnknownComparator>;
        return &comparators->try_emplace(name, name).first->second;
      });
}

}  // namespace

rocksdb::ConfigOptions ConfigWithStandIns(rocksdb::Env* env) {
  rocksdb::ConfigOptions config;
  config.env = env;
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  // Otherwise a policy that refuses its settings would make the load fail.
  config.invoke_prepare_options = false;
  config.registry = rocksdb::ObjectRegistry::NewInstance();
  // RocksDB searches the library first that was added last. Its own comes
  // before the stand-ins, which create an object for every name.
  const auto unknown = config.registry->AddLibrary("unknown");
  AddUnknown<rocksdb::FilterPolicy, UnknownPolicy>(unknown.get());
  AddUnknown<rocksdb::SliceTransform, UnknownTransform>(unknown.get());
  AddUnknownComparators(unknown.get());
  config.registry->AddLibrary(rocksdb::ObjectLibrary::Default());
  config.registry->AddLibrary("cassandra_bloom", register_cassandra_bloom, "");
  return config;
}

std::shared_ptr<const rocksdb::FilterPolicy> PolicyOf(const std::string& text) {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  const rocksdb::Status status = rocksdb::FilterPolicy::CreateFromString(
      ConfigWithStandIns(rocksdb::Env::Default()), text, &policy);
  if (!status.ok() || policy == nullptr) {
    throw Unusable("RocksDB does not make the filter policy " + text + ": " +
                   status.ToString());
  }
  return policy;
}

}  // namespace cassandra_bloom::tools
