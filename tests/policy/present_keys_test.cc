// SPDX-License-Identifier: Apache-2.0

// A filter must find all present keys, however the keys are added and looked
// up. The environment variable CASSANDRA_BLOOM_PRESENT_KEYS sets the number of
// look-ups.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_policy.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"
#include "tests/support/rocksdb/policy_filter.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::FilterPolicy;

constexpr uint64_t kKeysInFilter = 50'000;

// The numbers of keys in the first filters: around a batch of 32, and around a
// chunk of 4095 hashes.
constexpr uint64_t kNumKeys[] = {1,   2,   3,    10,   31,   32,   33,
                                 100, 999, 1000, 4094, 4095, 4096, 200'000};

uint64_t NumKeys(uint64_t filter, uint64_t* random) {
  return filter < std::size(kNumKeys) ? kNumKeys[filter]
                                      : 1 + NextRandom(random) % kKeysInFilter;
}

constexpr size_t kPrefixLength = 10;

uint64_t NumChecks() {
  const char* const given = std::getenv("CASSANDRA_BLOOM_PRESENT_KEYS");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 5'000'000;
}

enum class Held { kKeys, kKeysAndPrefixes, kPartitionKeys };

class PresentKeysTest : public ::testing::TestWithParam<Held> {
 protected:
  static std::unique_ptr<const FilterPolicy> NewPolicy(uint64_t* random) {
    rocksdb::CassandraBloomOptions options;
    options.bits_per_key =
        NextRandom(random) % 2 == 0
            ? static_cast<double>(1 + NextRandom(random) % 100)
            : 1 + static_cast<double>(NextRandom(random) % 24000) / 1000;
    if (GetParam() == Held::kPartitionKeys) {
      options.partition_key = "u16";
    }
    return std::unique_ptr<const FilterPolicy>(
        NewCassandraBloomPolicyFromOptions(options));
  }

  static std::vector<std::string> NewKeys(uint64_t* random, uint64_t count) {
    std::vector<std::string> keys(count);
    for (std::string& key : keys) {
      const bool is_long = NextRandom(random) % 16 == 0;
      const size_t size =
          kPrefixLength + 2 + NextRandom(random) % (is_long ? 290 : 30);
      while (key.size() < size) {
        key += BigEndian(NextRandom(random), 8);
      }
      key.resize(size);
      if (GetParam() == Held::kPartitionKeys) {
        key.replace(0, 2, BigEndian(size / 2, 2));
      }
    }
    return keys;
  }

  static void Add(const std::vector<std::string>& keys,
                  rocksdb::FilterBitsBuilder* builder) {
    for (const std::string& key : keys) {
      if (GetParam() == Held::kKeysAndPrefixes) {
        AddKeyAndPrefix(key, rocksdb::Slice(key.data(), kPrefixLength),
                        builder);
      } else {
        builder->AddKey(key);
      }
    }
  }

  static bool AllMatch(rocksdb::FilterBitsReader* reader,
                       const std::vector<std::string>& entries) {
    const std::vector<bool> in_batches = MayMatchBatch(reader, entries);
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!in_batches[i] || !reader->MayMatch(entries[i])) {
        return false;
      }
    }
    return true;
  }
};

TEST_P(PresentKeysTest, AllMatch) {
  uint64_t random = Seed() + static_cast<uint64_t>(GetParam());
  const uint64_t wanted = NumChecks() / 3;
  uint64_t checked = 0;
  for (uint64_t filters = 0; checked < wanted; ++filters) {
    const auto policy = NewPolicy(&random);
    const std::vector<std::string> keys =
        NewKeys(&random, NumKeys(filters, &random));
    const auto builder = NewBuilder(*policy);
    Add(keys, builder.get());
    const std::string block = FinishBlock(builder.get());
    const auto reader = NewReader(*policy, block);
    std::vector<std::string> entries = keys;
    if (GetParam() == Held::kKeysAndPrefixes) {
      for (const std::string& key : keys) {
        entries.push_back(key.substr(0, kPrefixLength));
      }
    }
    ASSERT_TRUE(AllMatch(reader.get(), entries))
        << policy->GetId() << ", filter " << filters;
    checked += entries.size();
  }
}

INSTANTIATE_TEST_SUITE_P(All, PresentKeysTest,
                         ::testing::Values(Held::kKeys, Held::kKeysAndPrefixes,
                                           Held::kPartitionKeys));

}  // namespace
}  // namespace cassandra_bloom::testing
