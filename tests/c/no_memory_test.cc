// SPDX-License-Identifier: Apache-2.0

// Makes every memory allocation of every C function fail, one after the other.
// The function must then return an error and leave no partial result.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <new>
#include <string>

#include "cassandra_bloom/c.h"
#include "tests/support/temp_dir.h"

namespace {

// The number of allocations that will still succeed.
int64_t allocations_left = INT64_MAX;

}  // namespace

// Uses malloc(), because the operator delete of libstdc++ calls free().
void* operator new(size_t size) {
  if (allocations_left-- <= 0) {
    throw std::bad_alloc();
  }
  void* const memory = std::malloc(size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

class CNoMemoryTest : public ::testing::Test {
 protected:
  // Calls `call` with 0, 1, 2 and more allowed allocations, until `call`
  // succeeds. After each failure, the folder must contain `files_before` files.
  void FailsUntilItSucceeds(const std::function<bool(char**)>& call,
                            std::ptrdiff_t files_before = 0,
                            std::ptrdiff_t files_after = 0) {
    int64_t num_failures = 0;
    for (; num_failures < 1000 && !HasFailure(); ++num_failures) {
      char* error = nullptr;
      allocations_left = num_failures;
      const bool done = call(&error);
      allocations_left = INT64_MAX;
      if (done) {
        EXPECT_EQ(error, nullptr);
        break;
      }
      EXPECT_STREQ(error, "out of memory");
      cassandra_bloom_free(error);
      EXPECT_EQ(NumFiles(), files_before);
    }
    EXPECT_GT(num_failures, 0);
    EXPECT_EQ(NumFiles(), files_after);
  }

  std::ptrdiff_t NumFiles() const {
    return std::distance(fs::directory_iterator(folder_.path()), {});
  }

  const TempDir folder_;
  const std::string path_ = folder_ / "filter-with-a-name-that-is-not-short";
};

TEST_F(CNoMemoryTest, Building) {
  for (const char* const version : {"me", "na-and-later"}) {
    cassandra_bloom_builder_t* builder;
    FailsUntilItSucceeds([&](char** error) {
      builder = cassandra_bloom_builder_new_for_bits_per_key(10, 1000, version,
                                                             error);
      return builder != nullptr;
    });
    // Adding a key must not allocate memory.
    allocations_left = 0;
    for (uint64_t i = 0; i < 1000; ++i) {
      char key[sizeof(i)];
      std::memcpy(key, &i, sizeof(i));
      cassandra_bloom_builder_add(builder, key, sizeof(key));
    }
    allocations_left = INT64_MAX;
    FailsUntilItSucceeds(
        [&](char** error) {
          return cassandra_bloom_builder_write(builder, path_.c_str(), false,
                                               error);
        },
        0, 1);
    fs::remove(path_);
    cassandra_bloom_builder_destroy(builder);
  }
  FailsUntilItSucceeds([&](char** error) {
    auto* const builder =
        cassandra_bloom_builder_new_for_fp_chance(0.01, 1000, "nb", error);
    cassandra_bloom_builder_destroy(builder);
    return builder != nullptr;
  });
}

TEST_F(CNoMemoryTest, Reading) {
  auto* const builder =
      cassandra_bloom_builder_new_for_bits_per_key(10, 1000, "me", nullptr);
  cassandra_bloom_builder_add(builder, "key", 3);
  ASSERT_TRUE(
      cassandra_bloom_builder_write(builder, path_.c_str(), false, nullptr));
  cassandra_bloom_builder_destroy(builder);

  cassandra_bloom_filter_t* filter;
  FailsUntilItSucceeds(
      [&](char** error) {
        filter = cassandra_bloom_filter_open(path_.c_str(), "me", error);
        return filter != nullptr;
      },
      1, 1);
  // A query must not allocate memory.
  const char* const key = "key";
  const size_t size = 3;
  bool may_contain = false;
  allocations_left = 0;
  cassandra_bloom_filter_may_contain_many(filter, &key, &size, 1, &may_contain);
  const bool alone = cassandra_bloom_filter_may_contain(filter, key, size);
  allocations_left = INT64_MAX;
  EXPECT_TRUE(may_contain && alone);
  cassandra_bloom_filter_destroy(filter);
}

}  // namespace
}  // namespace cassandra_bloom::testing
