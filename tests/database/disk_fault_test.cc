// SPDX-License-Identifier: Apache-2.0

// The disk becomes full, or fails, after a number of written bytes. Afterwards,
// all acknowledged rows must still be in the database.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <tuple>

#include "tests/support/rocksdb/checks.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/faulty_env.h"
#include "tests/support/rocksdb/test_db.h"

namespace cassandra_bloom::testing {
namespace {

constexpr uint32_t kRound = 400;

class DiskFaultTest
    : public ::testing::TestWithParam<std::tuple<Layout, Fault, const char*>> {
 protected:
  struct Written {
    Rows rows;
    std::set<std::string> deleted;
  };

  static rocksdb::Options OptionsFor(FaultyEnv* env) {
    rocksdb::Options options =
        DbOptions(OurPolicy(), std::get<Layout>(GetParam()));
    options.env = env;
    // With a small write buffer, a write fails soon after the limit is reached.
    options.writable_file_max_buffer_size = 512;
    return options;
  }

  // Returns the acknowledged rows and deletions. Leaves out keys whose last
  // write failed, because this write may have taken effect.
  static Written WriteFlushAndCompact(TestDb* db) {
    const rocksdb::WriteOptions options;
    Written written;
    for (uint32_t round = 0; round < 3; ++round) {
      for (uint32_t i = 0; i < kRound; ++i) {
        const std::string key = NumberedKey(round * kRound + i);
        if ((*db)->Put(options, key, ValueOf(key)).ok()) {
          written.rows[key] = ValueOf(key);
        }
        const std::string old = NumberedKey(round * kRound + i - kRound / 2);
        if (i % 4 == 0 && written.rows.count(old) != 0) {
          written.rows.erase(old);
          if ((*db)->Delete(options, old).ok()) {
            written.deleted.insert(old);
          }
        }
      }
      (void)(*db)->Flush(rocksdb::FlushOptions());
      if (round > 0) {
        (void)CompactAll(db->source());
      }
    }
    return written;
  }

  static void ExpectThere(const TestDb& db, const Written& written) {
    Dataset dataset = NumberedDataset(3 * kRound, 500);
    dataset.rows = written.rows;
    dataset.absent.insert(dataset.absent.end(), written.deleted.begin(),
                          written.deleted.end());
    EXPECT_TRUE(GetsMatch(db.source(), dataset));
    EXPECT_TRUE(MultiGetsMatch(db.source(), dataset, /*sorted=*/true));
  }

  static int64_t MeasureBytes() {
    FaultyEnv env;
    TestDb db(OptionsFor(&env));
    env.FailAfter(std::numeric_limits<int64_t>::max(), Fault::kIoError,
                  std::get<const char*>(GetParam()));
    const Written written = WriteFlushAndCompact(&db);
    EXPECT_EQ(written.rows.size() + written.deleted.size(), 3 * kRound);
    ExpectThere(db, written);
    EXPECT_EQ(env.failures(), 0);
    return env.bytes_written();
  }
};

TEST_P(DiskFaultTest, WhatWasAcknowledgedIsThere) {
  const int64_t all = MeasureBytes();
  ASSERT_GT(all, 20000);
  constexpr int64_t kSteps = 24;
  for (int64_t step = 0; step < kSteps; ++step) {
    const int64_t bytes = all * step / kSteps;
    SCOPED_TRACE(std::to_string(bytes) + " of " + std::to_string(all) +
                 " bytes");
    FaultyEnv env;
    TestDb db(OptionsFor(&env));
    env.FailAfter(bytes, std::get<Fault>(GetParam()),
                  std::get<const char*>(GetParam()));
    const Written written = WriteFlushAndCompact(&db);
    EXPECT_GT(env.failures(), 0);
    db.Close();
    env.Lift();
    db.Reopen();
    ExpectThere(db, written);
    db.Compact();
    db.ResetStatistics();
    ExpectThere(db, written);
    EXPECT_TRUE(written.rows.size() < kRound || db.ReadsFiltered() > 0);
    if (HasFailure()) {
      break;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, DiskFaultTest,
    ::testing::Combine(::testing::Values(Layout::kFull,
                                         Layout::kPartitionedCached),
                       ::testing::Values(Fault::kNoSpace, Fault::kIoError),
                       ::testing::Values(".sst", "")),
    [](const auto& test) {
      return ToString(std::get<Layout>(test.param)) +
             (std::get<Fault>(test.param) == Fault::kNoSpace ? "_NoSpace"
                                                             : "_IoError") +
             (*std::get<const char*>(test.param) == '.' ? "_SstFiles"
                                                        : "_AllFiles");
    });

}  // namespace
}  // namespace cassandra_bloom::testing
