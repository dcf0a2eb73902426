// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/witness.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <utility>

#include "plugin/policy/filter_bits_api.h"
#include "tests/support/rocksdb/forwarding_builder.h"

namespace cassandra_bloom::testing {
namespace {

using rocksdb::FilterBitsBuilder;
using rocksdb::FilterBitsReader;
using rocksdb::FilterPolicy;
using rocksdb::Slice;
using rocksdb::Status;

using Keys = std::set<std::string>;

bool IsOurs(const std::string& policy) {
  return Slice(policy).starts_with("cassandra_bloom");
}

struct Built {
  std::string policy;
  Keys keys;
};

// Records the keys that each filter of this process was given.
class Given {
 public:
  // `policy` is the id of the policy that has built the filter.
  void Add(const std::string& id, const std::string& policy, Keys keys) {
    const std::lock_guard<std::shared_mutex> lock(mutex_);
    Built& built = built_[id];
    built.policy = policy;
    built.keys.merge(keys);
  }

  // Records a denial if the filter was given `key`. `policy` is the id of the
  // policy that reads the filter. Ignores the denial if RocksDB's own policies
  // have built the filter and read it.
  void Judge(const std::string& id, const std::string& policy, const Slice& key,
             bool may_match) {
    if (may_match) {
      return;
    }
    std::string denial;
    {
      // Readers do not wait for each other: a thread sanitizer would take what
      // they do before and after it for ordered.
      const std::shared_lock<std::shared_mutex> lock(mutex_);
      const auto found = built_.find(id);
      if (found == built_.end()) {
        return;
      }
      const Built& built = found->second;
      if (built.keys.count(key.ToString()) == 0 ||
          !(IsOurs(policy) || IsOurs(built.policy))) {
        return;
      }
      denial = key.ToString(/*hex=*/true) + " in a filter of " +
               std::to_string(built.keys.size()) + " keys, built by " +
               built.policy + ", read by " + policy;
    }
    const std::lock_guard<std::shared_mutex> lock(mutex_);
    if (denial_.empty()) {
      denial_ = std::move(denial);
    }
  }

  std::string denial() const {
    const std::lock_guard<std::shared_mutex> lock(mutex_);
    return denial_;
  }

  // Filters with the same bits and the same name have one id, because they must
  // give the same answers.
  static std::string IdOf(const FilterPolicy& policy, const Slice& block) {
    return std::string(policy.CompatibilityName()) + " " +
           std::to_string(block.size()) + " " +
           std::to_string(std::hash<std::string>()(block.ToString()));
  }

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, Built> built_;
  std::string denial_;
};

Given& AllGiven() {
  static Given* const given = new Given;
  return *given;
}

std::atomic<bool> filters_are_missed{false};

class WitnessBuilder final : public ForwardingBuilder {
 public:
  // `policy` must outlive this object.
  WitnessBuilder(FilterBitsBuilder* builder, const FilterPolicy& policy)
      : ForwardingBuilder(builder), policy_(policy) {}

  void AddKey(const Slice& key) override {
    keys_.insert(key.ToString());
    ForwardingBuilder::AddKey(key);
  }
#if CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    keys_.insert(key.ToString());
    keys_.insert(alt.ToString());
    ForwardingBuilder::AddKeyAndAlt(key, alt);
  }
#endif
  using ForwardingBuilder::Finish;
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    const Slice block = ForwardingBuilder::Finish(buf, status);
    AllGiven().Add(Given::IdOf(policy_, block), policy_.GetId(),
                   std::exchange(keys_, Keys()));
    return block;
  }

 private:
  const FilterPolicy& policy_;
  Keys keys_;
};

class WitnessReader final : public FilterBitsReader {
 public:
  WitnessReader(FilterBitsReader* reader, std::string id, std::string policy)
      : reader_(reader), id_(std::move(id)), policy_(std::move(policy)) {}

  bool MayMatch(const Slice& key) override {
    const bool may_match = reader_->MayMatch(key);
    AllGiven().Judge(id_, policy_, key, may_match);
    return may_match;
  }
  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    reader_->MayMatch(num_keys, keys, may_match);
    for (int i = 0; i < num_keys; ++i) {
      AllGiven().Judge(id_, policy_, *keys[i], may_match[i]);
    }
  }

 private:
  const std::unique_ptr<FilterBitsReader> reader_;
  const std::string id_;
  const std::string policy_;
};

class WitnessPolicy final : public FilterPolicy {
 public:
  explicit WitnessPolicy(std::shared_ptr<const FilterPolicy> policy)
      : policy_(std::move(policy)) {}

  const char* Name() const override { return policy_->Name(); }
  const char* CompatibilityName() const override {
    return policy_->CompatibilityName();
  }
  std::string GetId() const override { return policy_->GetId(); }
  Status ValidateOptions(
      const rocksdb::DBOptions& db_options,
      const rocksdb::ColumnFamilyOptions& cf_options) const override {
    return policy_->ValidateOptions(db_options, cf_options);
  }
  FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    FilterBitsBuilder* const builder = policy_->GetBuilderWithContext(context);
    return builder == nullptr ? nullptr : new WitnessBuilder(builder, *policy_);
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& block) const override {
    return new WitnessReader(policy_->GetFilterBitsReader(block),
                             Given::IdOf(*policy_, block), policy_->GetId());
  }

 private:
  const std::shared_ptr<const FilterPolicy> policy_;
};

}  // namespace

void Watch(rocksdb::ColumnFamilyOptions* options) {
  auto& policy =
      options->table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
          ->filter_policy;
  if (policy != nullptr) {
    policy = std::make_shared<WitnessPolicy>(policy);
  }
}

void FiltersAreMissed() { filters_are_missed = true; }

bool SawAllFilters() { return !filters_are_missed; }

std::string WrongDenial() { return AllGiven().denial(); }

}  // namespace cassandra_bloom::testing
