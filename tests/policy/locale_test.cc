// SPDX-License-Identifier: Apache-2.0

// Numbers must be written with a decimal point in every locale.

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/policy_probe.h"
#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::NewCassandraBloomPolicy;

void ExpectPoints() {
  RegisterInDefaultRegistry();
  EXPECT_EQ(IdOf(PolicyPtr(NewCassandraBloomPolicy(9.5))),
            "cassandra_bloom:9.5");
  const auto create = [](const char* text, PolicyPtr* policy) {
    return FilterPolicy::CreateFromString(ConfigOptions(), text, policy);
  };
  PolicyPtr chance;
  EXPECT_TRUE(create("cassandra_bloom:fp:0.01", &chance).ok());
  EXPECT_EQ(IdOf(chance), "cassandra_bloom:fp:0.01");
  PolicyPtr policy;
  EXPECT_TRUE(IsRefusal(create("cassandra_bloom:9,5", &policy),
                        {"", "'9,5'", "0 to 100"}));
}

// printf and strtod use the C locale. The test builds the locale from the
// sources in Debian's package `locales`.
TEST(LocaleTest, CommaInTheCLocale) {
  const TempDir dir;
  const ProcessResult made = RunProcess({"/usr/bin/localedef", "-i", "de_DE",
                                         "-f", "UTF-8", dir / "de_DE.UTF-8"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string before = std::setlocale(LC_ALL, nullptr);
  ASSERT_EQ(setenv("LOCPATH", dir.path().c_str(), /*overwrite=*/1), 0);
  ASSERT_NE(std::setlocale(LC_ALL, "de_DE.UTF-8"), nullptr);
  EXPECT_STREQ(std::localeconv()->decimal_point, ",");
  ExpectPoints();
  std::setlocale(LC_ALL, before.c_str());
  unsetenv("LOCPATH");
}

}  // namespace
}  // namespace cassandra_bloom::testing
