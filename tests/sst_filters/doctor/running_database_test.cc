// SPDX-License-Identifier: Apache-2.0

// Tests `sst_filters doctor` on databases that are written to.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "tests/sst_filters/doctor/doctor_checks.h"
#include "tests/support/rocksdb/dataset.h"

namespace cassandra_bloom::testing {
namespace {

// Compactions remove files while doctor examines them.
TEST(DoctorRunningDatabaseTest, WithCompactions) {
  rocksdb::Options options = DbOptions(OurPolicy());
  options.disable_auto_compactions = false;
  options.write_buffer_size = 64 << 10;
  options.target_file_size_base = 16 << 10;
  options.max_bytes_for_level_base = 256 << 10;
  TestDb db(options);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (uint32_t i = 0; !stop; ++i) {
      Require(db->Put({}, NumberedKey(i * 7919 % 1000000), "value"));
    }
  });
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Exits(0, SstFilters("doctor --json --db=" + db.path())).err, "");
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace cassandra_bloom::testing
