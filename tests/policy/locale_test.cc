// Numbers are written with a point, whatever the locale of the program.

#include <gtest/gtest.h>

#include <clocale>
#include <locale>
#include <string>

#include "cassandra_bloom/filter_policy.h"
#include "tests/policy/policy_probe.h"

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

// What streams use.
TEST(LocaleTest, CommaInTheCppLocale) {
  const std::locale before = std::locale::global(
      std::locale(std::locale::classic(), new CommaPunctuation));
  ExpectPoints();
  std::locale::global(before);
}

// What printf and strtod use.
TEST(LocaleTest, CommaInTheCLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* const name :
       {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE"}) {
    if (std::setlocale(LC_ALL, name) != nullptr &&
        std::localeconv()->decimal_point == std::string(",")) {
      ExpectPoints();
      std::setlocale(LC_ALL, before.c_str());
      return;
    }
  }
  std::setlocale(LC_ALL, before.c_str());
  GTEST_SKIP() << "no locale with a decimal comma is installed";
}

}  // namespace
}  // namespace cassandra_bloom::testing
