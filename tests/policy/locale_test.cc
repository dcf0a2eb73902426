// SPDX-License-Identifier: Apache-2.0

// Numbers must be written with a decimal point in every locale.

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <locale>
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

class CommaPunctuation : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
};

void ExpectPoints() {
  RegisterInDefaultRegistry();
  EXPECT_EQ(IdOf(PolicyPtr(NewCassandraBloomPolicy(9.5))),
            "cassandra_bloom:9.5");
  const auto create = [](const char* text, PolicyPtr* policy) {
    return FilterPolicy::CreateFromString(ConfigOptions(), text, policy);
  };
  for (const AcceptedString& accepted : AcceptedStrings()) {
    PolicyPtr policy;
    EXPECT_TRUE(create(accepted.text, &policy).ok()) << accepted.text;
    EXPECT_EQ(IdOf(policy), accepted.id);
  }
  PolicyPtr policy;
  EXPECT_TRUE(IsRefusal(create("cassandra_bloom:9,5", &policy),
                        {"", "'9,5'", "0 to 100"}));
}

// Streams use the C++ locale.
TEST(LocaleTest, CommaInTheCppLocale) {
  const std::locale before = std::locale::global(
      std::locale(std::locale::classic(), new CommaPunctuation));
  ExpectPoints();
  std::locale::global(before);
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
