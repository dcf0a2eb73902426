// SPDX-License-Identifier: Apache-2.0

// Walks over the one table of checks. Compares it with that of the page.

#include "filterdb/health/harm.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

using tools::Action;
using tools::Check;
using tools::Harm;
using tools::Harms;
using tools::InfoOf;
using tools::Reader;

std::string RowOfPage(Check check) {
  const tools::CheckInfo& info = InfoOf(check);
  std::string row = std::string("| `") + info.name + "` |";
  for (const Reader reader : {Reader::kCassandraBeforeNa,
                              Reader::kCassandraFromNa, Reader::kScylla}) {
    const Harm harm = HarmOf(check, {reader, true});
    row += harm == Harm::kNone ? " |" : std::string(" ") + NameOf(harm) + " |";
  }
  return row;
}

// The page has each check of the table, with the harm of each reader.
TEST(HarmTest, TheTableOfThePage) {
  const std::string page =
      ReadFile(std::string(CASSANDRA_BLOOM_SOURCE) + "/docs/filterdb.md");
  for (int i = 0; i < static_cast<int>(Check::kTimesLogged); ++i) {
    const std::string row = RowOfPage(static_cast<Check>(i));
    EXPECT_NE(page.find("\n" + row), std::string::npos)
        << "docs/filterdb.md lacks\n"
        << row;
  }
}

TEST(HarmTest, ExitStatuses) {
  const auto status_of = [](std::initializer_list<Harm> all) {
    Harms harms;
    for (const Harm harm : all) {
      harms.Add(harm);
    }
    return harms.exit_status();
  };
  EXPECT_EQ(status_of({}), 0);
  EXPECT_EQ(status_of({Harm::kNone}), 0);
  EXPECT_EQ(status_of({Harm::kWastesMemory}), 1);
  EXPECT_EQ(status_of({Harm::kWastesReads}), 1);
  EXPECT_EQ(status_of({Harm::kNotKnown}), 3);
  EXPECT_EQ(status_of({Harm::kWastesReads, Harm::kNotKnown}), 3);
  for (const Harm lost : {Harm::kDamaged, Harm::kHidesRows, Harm::kRefused}) {
    EXPECT_EQ(status_of({lost}), 2);
    EXPECT_EQ(status_of({lost, Harm::kNotKnown, Harm::kWastesReads}), 2);
  }
}

// What is left has a remedy, unless the text of the finding says all.
TEST(HarmTest, WhatIsLeftHasARemedy) {
  for (int i = 0; i < static_cast<int>(Check::kOk); ++i) {
    const tools::CheckInfo& info = InfoOf(static_cast<Check>(i));
    if (info.action == Action::kLeave && info.check != Check::kUnknownVersion &&
        info.check != Check::kNotSupported) {
      EXPECT_NE(*info.remedy, '\0') << info.name;
    }
    // What stands in the way of a mend does no harm itself.
    if (info.check >= Check::kTimesLogged) {
      for (const Harm harm : info.harms) {
        EXPECT_EQ(harm, Harm::kNone) << info.name;
      }
    }
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing
