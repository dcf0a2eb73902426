// SPDX-License-Identifier: Apache-2.0

// The C interface must give the same results as the C++ interface.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cassandra_bloom/c.h"
#include "cassandra_bloom/filter_db.h"
#include "tests/support/random_keys.h"
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

}  // namespace
}  // namespace cassandra_bloom::testing
