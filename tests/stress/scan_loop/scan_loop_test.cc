// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb scan" while a LiveTable writes, compacts and removes SSTables.
// The scan must not report a fault for an SSTable that is only partly written
// or partly removed.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

#include "tests/stress/scan_loop/live_table.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

constexpr LogForm kForms[] = {{"3.0 and 3.11", "mc", "mc", false, false},
                              {"4.0 and 4.1", "nb", "nb", true, false},
                              {"5.0, big", "oa", "oa", true, true},
                              {"5.0, bti", "da", "bti-da", true, true}};

int NumScans() {
  const char* const given = std::getenv("CASSANDRA_BLOOM_SCANS");
  return given == nullptr ? 25 : std::stoi(given);
}

class ScanLoopTest : public ::testing::TestWithParam<LogForm> {
 protected:
  ScanLoopTest()
      : table_(dir_.path(), GetParam(), Seed()), node_([this] {
          while (!has_ended_) {
            table_.RunTransaction();
          }
        }) {}
  ~ScanLoopTest() override { End(); }

  void End() {
    has_ended_ = true;
    if (node_.joinable()) {
      node_.join();
    }
  }

  void Scan() {
    const Ran ran = Filterdb("scan --json " + dir_.path());
    const Json json = ran.report();
    EXPECT_EQ(ran.exit_code, 0) << ran;
    EXPECT_EQ(ran.err, "");
    for (const Json& sstable : json["sstables"]) {
      ++states_[sstable["state"]];
      num_faults_ += sstable["harm"] != "none" ? 1 : 0;
    }
  }

  const TempDir dir_;
  LiveTable table_;
  std::atomic<bool> has_ended_{false};
  std::thread node_;
  std::map<std::string, size_t> states_;
  size_t num_faults_ = 0;
};

TEST_P(ScanLoopTest, NoFalseFault) {
  const int num_scans = NumScans();
  // A test that saw no SSTable being written would have tested nothing. Nearly
  // every scan sees one, so many more are never needed.
  const int most_scans = num_scans + 100;
  int i = 0;
  while ((i < num_scans || (states_["being written"] == 0 && i < most_scans)) &&
         num_faults_ == 0) {
    Scan();
    ++i;
  }
  End();
  EXPECT_EQ(num_faults_, 0U);
  EXPECT_GT(states_["being written"], 0U);
  std::printf("Cassandra %s: %d scans beside %zu transactions: %zu faults\n",
              GetParam().cassandra, i, table_.num_transactions(), num_faults_);
  for (const auto& [state, count] : states_) {
    std::printf("  %s: %zu\n", state.c_str(), count);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, ScanLoopTest, ::testing::ValuesIn(kForms),
                         [](const auto& form) {
                           return std::string(form.param.version);
                         });

}  // namespace
}  // namespace cassandra_bloom::testing
