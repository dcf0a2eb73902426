// SPDX-License-Identifier: Apache-2.0

// The C interface must give the same results as the C++ interface.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cassandra_bloom/c.h"
#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/endian.h"
#include "plugin/filter/murmur3.h"
#include "tests/support/broken_filters.h"
#include "tests/support/random_keys.h"
#include "tests/support/sha256.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using Builder = std::unique_ptr<cassandra_bloom_builder_t,
                                decltype(&cassandra_bloom_builder_destroy)>;
using Filter = std::unique_ptr<cassandra_bloom_filter_t,
                               decltype(&cassandra_bloom_filter_destroy)>;

// The content of the Filter.db.
std::string Written(cassandra_bloom_builder_t* builder) {
  const TempDir folder;
  const std::string path = folder / "filter";
  EXPECT_TRUE(cassandra_bloom_builder_write(builder, path.c_str(),
                                            /*overwrite=*/false, nullptr));
  return ReadFile(path);
}

// The filter is BloomFilter1000 from Cassandra's own tests, written for the
// SSTable versions `na` and `ma`.
TEST(CEqualityTest, BuildsCassandrasFixture) {
  struct Fixture {
    const char* version;
    const char* sha256;
  };
  for (const Fixture& fixture : {
           Fixture{"na",
                   "4e47232c8a222f8315dc9fd931756f76d530177a8933412abdcf0"
                   "cadfe57a235"},
           Fixture{"ma",
                   "73bb8f360143e0a9f0c1116f0e17bee74e9d383c68c792d88cc5a"
                   "9a0a2ca510f"},
       }) {
    const Builder builder(cassandra_bloom_builder_new_for_fp_chance(
                              0.0001, 1000000, fixture.version, nullptr),
                          cassandra_bloom_builder_destroy);
    ASSERT_NE(builder, nullptr);
    for (int32_t i = 0; i < 1000; ++i) {
      char key[4];
      StoreBigEndian32(i, key);
      cassandra_bloom_builder_add(builder.get(), key, sizeof(key));
    }
    EXPECT_EQ(Sha256(Written(builder.get())), fixture.sha256);
  }
}

TEST(CEqualityTest, FilesAndAnswersEqualThoseOfCpp) {
  SCOPED_TRACE(Seed());
  constexpr size_t kNumKeys = 3000;
  const RandomKeys random(Seed(), 30);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < 2 * kNumKeys; ++i) {
    keys.push_back(random[i].substr(0, 1 + i % 30) + std::to_string(i));
  }
  const TempDir folder;
  const std::string path = folder / "filter";
  std::string error;
  for (const char* const version : {"ka", "mc", "oa"}) {
    FilterForm form;
    ASSERT_TRUE(FormOfSstableVersion(version, &form, &error));
    const auto expected =
        FilterDbBuilder::ForBitsPerKey(9.5, kNumKeys, form, &error);
    const Builder builder(cassandra_bloom_builder_new_for_bits_per_key(
                              9.5, kNumKeys, version, nullptr),
                          cassandra_bloom_builder_destroy);
    ASSERT_NE(builder, nullptr);
    for (size_t i = 0; i < kNumKeys; ++i) {
      expected->Add(keys[i]);
      cassandra_bloom_builder_add(builder.get(), keys[i].data(),
                                  keys[i].size());
    }
    ASSERT_TRUE(expected->Write(path, /*overwrite=*/true, &error)) << error;
    EXPECT_EQ(Written(builder.get()), ReadFile(path));

    const auto expected_filter = FilterDbFile::Open(path, form, &error);
    const Filter filter(
        cassandra_bloom_filter_open(path.c_str(), version, nullptr),
        cassandra_bloom_filter_destroy);
    ASSERT_NE(filter, nullptr);
    // The batches are smaller and larger than 128 keys, because the C library
    // passes at most 128 keys at once to the filter.
    for (const size_t batch : {1u, 31u, 128u, 129u, 1000u}) {
      for (size_t begin = 0; begin + batch <= keys.size(); begin += batch) {
        std::vector<const char*> pointers;
        std::vector<size_t> sizes;
        for (size_t i = begin; i < begin + batch; ++i) {
          pointers.push_back(keys[i].data());
          sizes.push_back(keys[i].size());
        }
        const auto may_contain = std::make_unique<bool[]>(batch);
        cassandra_bloom_filter_may_contain_many(filter.get(), pointers.data(),
                                                sizes.data(), batch,
                                                may_contain.get());
        for (size_t i = 0; i < batch; ++i) {
          ASSERT_EQ(may_contain[i],
                    expected_filter->MayContain(keys[begin + i]));
        }
      }
    }
  }
}

TEST(CEqualityTest, BrokenFilesAreRefusedInEveryForm) {
  const TempDir folder;
  const std::string path = folder / "filter";
  for (const BadFilterDb& bad : kBadFilterDbs) {
    WriteFile(path, bad.Bytes());
    for (const char* const form : {"before-ma", "ma-to-me", "na-and-later"}) {
      char* error = nullptr;
      EXPECT_EQ(cassandra_bloom_filter_open(path.c_str(), form, &error),
                nullptr);
      ASSERT_NE(error, nullptr);
      EXPECT_NE(std::string(error).find(bad.fault), std::string::npos) << error;
      cassandra_bloom_free(error);
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
