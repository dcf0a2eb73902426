// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/transaction_logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "filterdb/tests/fake_sstable/checksums.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;
using cassandra_bloom::testing::LogRecord;
using cassandra_bloom::testing::TempDir;
using cassandra_bloom::testing::WriteFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kLogName[] = "nb_txn_compaction_7b1cd1d0.log";

TEST(TransactionLogsTest, Names) {
  for (const std::string_view name :
       {"nb_txn_compaction_7b1c.log", "bti-da_txn_flush_1.log",
        "txn_unknowncompactiontype_1.log", "ma_txn_a_b.log"}) {
    EXPECT_TRUE(IsTransactionLog(name)) << name;
  }
  for (const std::string_view name :
       {"nb_txn_compaction_1.log.tmp", "nb_txn_compaction_1", "debug.log",
        "nbtxn_compaction_1.log", "commit.log"}) {
    EXPECT_FALSE(IsTransactionLog(name)) << name;
  }
}

TransactionLogs LogsOf(std::string_view content) {
  TransactionLogs logs;
  AddTransactionLog("a.log", content, &logs);
  return logs;
}

const std::string kAdd = LogRecord("ADD", "/d/nb-2-big-", 0, 8);
const std::string kRemove =
    LogRecord("REMOVE", "/d/nb-1-big-", 1700000000000, 8);
const std::string kCommit = LogRecord("COMMIT");

// A running Cassandra node wrote this checksum.
TEST(TransactionLogsTest, WhatCassandraWrites) {
  EXPECT_EQ(kCommit, "COMMIT:[,0,0][2613697770]\n");
}

TEST(TransactionLogsTest, TypesInAnyCase) {
  std::string add = kAdd;
  add.replace(0, 3, "add");
  const auto logs = LogsOf(add + kRemove + kCommit);
  EXPECT_THAT(logs.being_written, IsEmpty());
  EXPECT_THAT(logs.obsolete, ElementsAre("nb-1-big-"));
  EXPECT_THAT(logs.with_times, ElementsAre("nb-1-big-"));
  EXPECT_THAT(logs.errors, IsEmpty());
}

TEST(TransactionLogsTest, LinesThatEndInCrLf) {
  std::string commit = kCommit;
  commit.insert(commit.size() - 1, "\r");
  const auto logs = LogsOf(kRemove + commit);
  EXPECT_THAT(logs.obsolete, ElementsAre("nb-1-big-"));
}

// Cassandra 3.0 and 3.11 leave out the last "-" of every path.
TEST(TransactionLogsTest, PathsOfCassandra3) {
  const std::string lines =
      LogRecord("ADD", "/d/mc-12-big", 0, 8) +
      LogRecord("REMOVE", "/d/mc-1-big", 1700000000000, 8) +
      LogRecord("REMOVE", "/d/ks-t-ka-1", 1700000000000, 8) +
      LogRecord("REMOVE", "/d/la-2-big", 1700000000000, 8);
  auto logs = LogsOf(lines);
  EXPECT_THAT(logs.being_written, ElementsAre("mc-12-big-"));
  EXPECT_THAT(logs.obsolete, IsEmpty());
  EXPECT_THAT(logs.with_times,
              ElementsAre("ks-t-ka-1-", "la-2-big-", "mc-1-big-"));
  logs = LogsOf(lines + kCommit);
  EXPECT_THAT(logs.being_written, IsEmpty());
  EXPECT_EQ(logs.obsolete, logs.with_times);
  EXPECT_THAT(logs.errors, IsEmpty());
}

TEST(TransactionLogsTest, PathsWithMarks) {
  for (const std::string folder : {"/a,b", "/a][b", "/a:[b", "/ADD:[", "/]"}) {
    const auto logs = LogsOf(LogRecord("ADD", folder + "/nb-1-big-", 0, 8));
    EXPECT_THAT(logs.being_written, ElementsAre("nb-1-big-")) << folder;
  }
}

TEST(TransactionLogsTest, LinesThatAreNoRecords) {
  for (const std::string line :
       {"", "ADD", "ADD:", "ADD:[", "ADD:[/d/nb-2-big-,0,8]",
        "ADD:[/d/nb-2-big-,0,8][1", "ADD:[/d/nb-2-big-,0,8][]",
        "ADD:[/d/nb-2-big-,0,8][one]", "ADD:[/d/nb-2-big-,8][1]",
        "ADD:[/d/nb-2-big-][1]", "UNKNOWN:[/d/nb-2-big-,0,8][1]", "][ADD:[",
        "]:[", ":[]", ":[][]", "ADD:[][", "ADD:[]["}) {
    auto logs = LogsOf(line);
    EXPECT_THAT(logs.being_written, IsEmpty()) << line;
    EXPECT_THAT(logs.obsolete, IsEmpty()) << line;
    // A damaged last line is no error, because it may be half written.
    EXPECT_THAT(logs.errors, IsEmpty()) << line;
    logs = LogsOf(line + "\n" + kCommit);
    EXPECT_THAT(logs.errors, ElementsAre("a.log: line 1 is damaged")) << line;
  }
}

TEST(TransactionLogsTest, CutAnywhere) {
  const std::string lines = kAdd + kRemove + kCommit;
  for (size_t size = 0; size <= lines.size(); ++size) {
    const auto logs = LogsOf(lines.substr(0, size));
    EXPECT_THAT(logs.errors, IsEmpty()) << size;
    // The line COMMIT is complete without the LF at its end.
    EXPECT_EQ(logs.obsolete.size(), size >= lines.size() - 1 ? 1U : 0U) << size;
  }
}

TEST(TransactionLogsTest, EveryByteIsChecked) {
  const std::string lines = kAdd + kRemove;
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    std::string damaged = lines;
    damaged[i] ^= 0x01;
    EXPECT_THAT(LogsOf(damaged + kCommit).errors, ::testing::SizeIs(1)) << i;
  }
  // A damaged COMMIT is none: Cassandra removes what was added.
  for (size_t i = 0; i + 1 < kCommit.size(); ++i) {
    std::string damaged = kCommit;
    damaged[i] ^= 0x01;
    const auto logs = LogsOf(lines + damaged);
    EXPECT_THAT(logs.obsolete, IsEmpty()) << i;
    EXPECT_THAT(logs.being_written, ElementsAre("nb-2-big-")) << i;
  }
}

// ---- ReadTransactionLogs ----

class LogFilesTest : public ::testing::Test {
 protected:
  TransactionLogs Read() const { return ReadTransactionLogs(dir_.path()); }

  const TempDir dir_;
  const std::string path_ = dir_ / kLogName;
};

TEST_F(LogFilesTest, NoneAndGood) {
  EXPECT_THAT(Read().errors, IsEmpty());
  WriteFile(path_, "");
  EXPECT_THAT(Read().errors, IsEmpty());
  WriteFile(path_, kAdd);
  EXPECT_THAT(Read().being_written, ElementsAre("nb-2-big-"));
  EXPECT_THAT(Read().errors, IsEmpty());
}

TEST_F(LogFilesTest, TooLarge) {
  WriteFile(path_, "");
  fs::resize_file(path_, (uint64_t{64} << 20) + 1);
  EXPECT_THAT(Read().errors,
              ElementsAre(path_ + ": cannot read: File too large"));
}

TEST_F(LogFilesTest, NoFiles) {
  fs::create_symlink(dir_ / "none", path_);
  EXPECT_THAT(Read().errors, ElementsAre(HasSubstr("cannot open")));
  fs::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(Read().errors, ElementsAre(HasSubstr("not a regular file")));
}

TEST_F(LogFilesTest, OfScyllaDb) {
  WriteFile(dir_ / "pending_delete", "no folder");
  EXPECT_THAT(Read().errors, IsEmpty());
  fs::remove(dir_ / "pending_delete");
  fs::create_directory(dir_ / "pending_delete");
  WriteFile(dir_ / "pending_delete/sstables-1-1.log", "me-1-big-TOC.txt\n");
  EXPECT_THAT(Read().obsolete, ElementsAre("me-1-big-"));
  fs::create_directory(dir_ / "pending_delete/sstables-2-2.log");
  EXPECT_THAT(Read().errors, ElementsAre(HasSubstr("not a regular file")));
}

}  // namespace
}  // namespace cassandra_bloom::tools
