// SPDX-License-Identifier: Apache-2.0

// A filter with its planned number of keys must be rated as planned, even if it
// has few keys. A filter with many more or far fewer keys must not be rated as
// planned.

#include "filterdb/commands/rate_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;
using namespace cassandra_bloom::testing;

constexpr double kFpChances[] = {0.0000671, 0.0005, 0.001, 0.005, 0.01, 0.02,
                                 0.05,      0.1,    0.2,   0.35,  0.5};
constexpr double kBitsPerKey[] = {1, 2, 5, 10, 16, 20, 33.5, 100};

std::unique_ptr<FilterDbBuilder> ByFpChance(double fp_chance, uint64_t keys) {
  std::string error;
  return FilterDbBuilder::ForFpChance(fp_chance, keys, kNaAndLater, &error);
}
std::unique_ptr<FilterDbBuilder> ByBits(double bits, uint64_t keys) {
  std::string error;
  return FilterDbBuilder::ForBitsPerKey(bits, keys, kNaAndLater, &error);
}

class PlannedRateTest : public ::testing::Test {
 protected:
  void AddKeys(uint64_t num_keys, FilterDbBuilder* builder) {
    for (uint64_t i = 0; i < num_keys; ++i) {
      builder->Add(random_[next_key_] + BigEndian(next_key_));
      ++next_key_;
    }
  }

  // Adds random keys to the filter. Returns whether the filter is as planned
  // for `planned` keys.
  bool IsAsPlannedWith(uint64_t num_keys, uint64_t planned,
                       FilterDbBuilder* builder) {
    AddKeys(num_keys, builder);
    return HasExpectedFill(FillOf(*builder), planned);
  }

  // Makes `rounds` filters of each size for each number of keys. Expects that
  // nearly all of them are as planned.
  void ExpectFewFaults(const std::vector<uint64_t>& nums_of_keys, int rounds) {
    uint64_t filters = 0;
    uint64_t faults = 0;
    std::map<uint64_t, uint64_t> faults_of;
    const auto judge = [&](uint64_t keys,
                           const std::unique_ptr<FilterDbBuilder>& builder) {
      ++filters;
      const bool fault = !IsAsPlannedWith(keys, keys, builder.get());
      faults += fault;
      faults_of[keys] += fault;
    };
    for (const uint64_t keys : nums_of_keys) {
      for (int round = 0; round < rounds; ++round) {
        for (const double fp_chance : kFpChances) {
          judge(keys, ByFpChance(fp_chance, keys));
        }
        for (const double bits : kBitsPerKey) {
          judge(keys, ByBits(bits, keys));
        }
      }
    }
    EXPECT_LT(1000 * faults, filters) << faults << " of " << filters;
    for (const auto& [keys, of_keys] : faults_of) {
      EXPECT_LE(200 * of_keys, filters / nums_of_keys.size())
          << "with " << keys << " keys";
    }
  }

 private:
  static std::string BigEndian(uint64_t number) {
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(number >> shift & 255);
    }
    return bytes;
  }

  const ::testing::ScopedTrace trace_ =
      ::testing::ScopedTrace(__FILE__, __LINE__, Seed());
  const RandomKeys random_ = RandomKeys(Seed(), 30);
  uint64_t next_key_ = 0;
};

TEST_F(PlannedRateTest, FiltersWithExactlyTheirKeys) {
  std::vector<uint64_t> nums_of_keys;
  for (uint64_t keys = 1; keys <= 100; ++keys) {
    nums_of_keys.push_back(keys);
  }
  ExpectFewFaults(nums_of_keys, 30);
}

TEST_F(PlannedRateTest, LargerFiltersWithExactlyTheirKeys) {
  ExpectFewFaults({200, 1000, 5000}, 20);
}

TEST_F(PlannedRateTest, ThreeTimesTheKeysAreAFault) {
  for (const uint64_t keys : {50U, 60U, 75U, 100U, 300U, 1000U, 10000U}) {
    for (const double fp_chance : kFpChances) {
      EXPECT_FALSE(
          IsAsPlannedWith(3 * keys, keys, ByFpChance(fp_chance, keys).get()))
          << fp_chance << ", " << keys << " keys";
    }
    for (const double bits : kBitsPerKey) {
      EXPECT_FALSE(IsAsPlannedWith(3 * keys, keys, ByBits(bits, keys).get()))
          << bits << " bits, " << keys << " keys";
    }
  }
}

TEST_F(PlannedRateTest, HalfOfTheKeysAreAFault) {
  for (const uint64_t keys : {200U, 1000U, 10000U}) {
    for (const double fp_chance : {0.001, 0.01, 0.1}) {
      EXPECT_FALSE(
          IsAsPlannedWith(keys / 2, keys, ByFpChance(fp_chance, keys).get()))
          << fp_chance << ", " << keys << " keys";
    }
  }
}

TEST_F(PlannedRateTest, NoBitsAndAllBitsAreAFault) {
  for (const uint64_t keys : {1U, 3U, 20U, 1000U}) {
    const auto builder = ByFpChance(0.01, keys);
    FilterFill fill = FillOf(*builder);
    for (const uint64_t set_bits : {uint64_t{0}, fill.capacity_bits}) {
      fill.set_bits = set_bits;
      EXPECT_FALSE(HasExpectedFill(fill, keys)) << keys << ", " << set_bits;
    }
  }
}

// A key sets at most one bit for each probe.
TEST_F(PlannedRateTest, OneBitTooManyForOneKey) {
  EXPECT_TRUE(HasExpectedFill({7, 7, 64}, 1));
  EXPECT_TRUE(HasExpectedFill({7, 1, 64}, 1));
  EXPECT_FALSE(HasExpectedFill({7, 8, 64}, 1));
}

TEST_F(PlannedRateTest, ManyKeysHaveAQuarterOfTheRateOnEitherSide) {
  constexpr uint64_t kCapacityBits = uint64_t{64} * 1000 * 1000;
  constexpr uint64_t kKeys = kCapacityBits / 10;
  const auto as_planned = [](double of_design_rate) {
    // With 7 probes and 10 bits per key, a share of 0.503 of the bits is set.
    const double fill = 0.503414696 * std::pow(of_design_rate, 1 / 7.0);
    return HasExpectedFill(
        {7, static_cast<uint64_t>(fill * kCapacityBits), kCapacityBits}, kKeys);
  };
  EXPECT_FALSE(as_planned(0.74));
  EXPECT_TRUE(as_planned(0.76));
  EXPECT_TRUE(as_planned(1.24));
  EXPECT_FALSE(as_planned(1.26));
}

TEST_F(PlannedRateTest, RangesOfAllSizes) {
  for (const int k : {1, 2, 7, 14, 21}) {
    for (const uint64_t words :
         {1ULL, 2ULL, 100ULL, 1ULL << 20, (1ULL << 31) - 1}) {
      for (const uint64_t keys : {uint64_t{1}, uint64_t{2}, uint64_t{1000},
                                  uint64_t{1} << 33, ~uint64_t{0}}) {
        const SetBitsRange range = SetBitsOf(k, keys, 64 * words);
        EXPECT_GE(range.fewest, 1);
        EXPECT_LE(range.fewest, range.most);
      }
    }
  }
}

TEST_F(PlannedRateTest, Verdicts) {
  constexpr char kAlwaysPresent[] =
      "always present: every look-up reads the disk";
  struct Case {
    FilterFill fill;
    uint64_t num_keys;  // 0 if the number is not known.
    std::string verdict;
    bool is_fault;
  };
  const Case cases[] = {
      {{7, 32, 64}, 0, "ok", false},
      {{7, 32, 64}, 6, "ok", false},
      {{7, 32, 64}, 60, "rate not as planned for 60 keys", true},
      {{7, 64, 64}, 0, "saturated", true},
      {{7, 483, 576}, 50, "saturated, rate not as planned for 50 keys", true},
      {{7, 0, 64}, 0, "nearly empty", false},
      {{7, 0, 64}, 1, "nearly empty, rate not as planned for 1 key", true},
      // In the smallest filter, all probes of a key may hit the same bit.
      {{3, 1, 64}, 0, "nearly empty", false},
      {{3, 1, 64}, 1, "ok", false},
      {{3, 1, 64}, 9, "nearly empty, rate not as planned for 9 keys", true},
      {{}, 0, kAlwaysPresent, false},
      {{},
       5,
       std::string(kAlwaysPresent) + ", rate not as planned for 5 keys",
       true},
  };
  for (const auto& [fill, num_keys, verdict, is_fault] : cases) {
    const FilterRating rating = RateFilter(fill, num_keys);
    EXPECT_EQ(rating.verdict, verdict);
    EXPECT_EQ(rating.is_fault, is_fault) << verdict;
  }
}

TEST_F(PlannedRateTest, FewKeysAreOk) {
  for (uint64_t keys = 1; keys <= 12; ++keys) {
    for (const double fp_chance : {0.1, 0.01, 0.0001}) {
      const auto builder = ByFpChance(fp_chance, keys);
      AddKeys(keys, builder.get());
      EXPECT_EQ(RateFilter(FillOf(*builder), keys).verdict, "ok")
          << keys << " keys, " << fp_chance;
    }
  }
}

uint64_t CountLines(const std::string& path) {
  std::ifstream file(path);
  uint64_t lines = 0;
  for (std::string line; std::getline(file, line);) {
    ++lines;
  }
  return lines;
}

void ExpectAsPlanned(const std::string& path, FilterForm form,
                     uint64_t num_keys) {
  SCOPED_TRACE(path);
  std::string error;
  const auto filter = FilterDbFile::Open(path, form, &error);
  ASSERT_NE(filter, nullptr) << error;
  EXPECT_TRUE(HasExpectedFill(FillOf(*filter), num_keys))
      << num_keys << " keys, " << filter->CountSetBits() << " bits set of "
      << filter->capacity_bits();
}

TEST(PlannedRateOfCassandraTest, OwnSstables) {
  const std::vector<std::string> folders = CassandraSstables();
  ASSERT_FALSE(folders.empty());
  for (const fs::path folder : folders) {
    ExpectAsPlanned(folder / "da-1-bti-Filter.db", kNaAndLater,
                    CountLines(folder / "keys.txt"));
  }
}

TEST(PlannedRateOfCassandraTest, SstablesOfOthers) {
  const std::vector<std::string> folders = CorpusSstables();
  SKIP_WITHOUT_CORPUS(folders);
  for (const fs::path folder : folders) {
    const auto meta = nlohmann::json::parse(ReadFile(folder / "meta.json"));
    FilterForm form;
    std::string error;
    ASSERT_TRUE(
        FormOfSstableVersion(meta["form"].get<std::string>(), &form, &error))
        << error;
    ExpectAsPlanned(folder / "Filter.db", form, meta["keys"].get<uint64_t>());
  }
}

}  // namespace
}  // namespace cassandra_bloom::tools
