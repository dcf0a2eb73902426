// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb mend" on SSTables whose Scylla.db has digests (checksums) of
// the other files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "filterdb/tests/commands/mend/mend_fixture.h"
#include "tests/support/fake_sstable/fake_scylla_db.h"
#include "tests/support/stop_at_changes.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kRewrite[] = "--in-place --rewrite-digests --no-backup";

class MendDigestsTest : public MendFixture {
 protected:
  using MendFixture::MendFixture;

  // Writes an SSTable with a Scylla.db, which has digests of the other files.
  // If `rotten` is true, the digests are computed before the filter gets its
  // fault.
  WrittenSstable WriteScylla(SstableSpec spec, bool rotten = false) {
    if (spec.version == "nb") {
      spec.version = "me";
    }
    const FilterFault fault = spec.fault;
    if (rotten) {
      spec.fault = FilterFault::kNone;
    }
    const WrittenSstable one = Write(spec);
    WriteScyllaDb(one.prefix);
    if (rotten && fault == FilterFault::kMissing) {
      fs::remove(one.Path("Filter.db"));
    } else if (rotten) {
      spec.fault = fault;
      Write(spec);
    }
    return one;
  }
  WrittenSstable WriteScylla(FilterFault fault, bool rotten = false) {
    SstableSpec spec;
    spec.fault = fault;
    return WriteScylla(spec, rotten);
  }

  void ExpectDigestsAreRight() const {
    const std::string suffix = "Scylla.db";
    int num_checked = 0;
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / "ks")) {
      const std::string path = entry.path();
      const size_t at = path.size() - suffix.size();
      if (path.compare(at, suffix.size(), suffix) == 0) {
        EXPECT_THAT(WrongDigests(path.substr(0, at)), IsEmpty()) << path;
        ++num_checked;
      }
    }
    EXPECT_GT(num_checked, 0);
  }
  void ExpectWell() const {
    ExpectDigestsAreRight();
    const Ran scan = Scan();
    EXPECT_EQ(scan.exit_code, 0) << scan;
  }
  Json Verdicts() const { return Scan().json()["sstables"][0]["verdicts"]; }

  // Removes Filter.db from TOC.txt, and corrects the digest of TOC.txt.
  static void LeaveOutOfToc(const WrittenSstable& one) {
    std::string toc = ReadFile(one.Path("TOC.txt"));
    toc.erase(toc.find("Filter.db\n"), 10);
    WriteFile(one.Path("TOC.txt"), toc);
    WriteScyllaDb(one.prefix);
  }

  std::string InFolder() const {
    return "--rewrite-digests --in-place --backup-dir=" + dir_ / "old";
  }
};

TEST_F(MendDigestsTest, LeftWithoutTheOption) {
  const WrittenSstable one = WriteScylla(FilterFault::kBitsCleared);
  for (const std::string backup : {"--no-backup", "--dry-run"}) {
    ExpectLeft("--in-place " + backup, "give --rewrite-digests");
  }
  EXPECT_EQ(Mend("--out-dir=" + dir_ / "out").exit_code, 0);
}

TEST_F(MendDigestsTest, EachFault) {
  for (const char* version : {"me", "ms"}) {
    for (const FilterFault fault :
         {FilterFault::kBitsCleared, FilterFault::kTruncated,
          FilterFault::kEmpty, FilterFault::kSaturated, FilterFault::kProbes0,
          FilterFault::kMissing}) {
      for (const bool rotten : {false, true}) {
        SCOPED_TRACE(std::string(version) + NameOf(fault));
        fs::remove_all(dir_ / "ks");
        SstableSpec spec;
        spec.version = version;
        spec.fault = fault;
        WriteScylla(spec, rotten);
        const Ran ran = Mend(kRewrite);
        EXPECT_EQ(ran.exit_code, 0) << ran;
        ExpectWell();
      }
    }
  }
}

TEST_F(MendDigestsTest, OnlyTheDigestsChange) {
  const WrittenSstable one = WriteScylla(FilterFault::kBitsCleared);
  chmod(one.Path("Scylla.db").c_str(), 0604);
  const std::string before = ReadFile(one.Path("Scylla.db"));
  EXPECT_EQ(Mend(kRewrite).exit_code, 0);
  EXPECT_EQ(StatusOf(one.Path("Scylla.db")).st_mode & 07777, 0604U);
  const std::string after = ReadFile(one.Path("Scylla.db"));
  ASSERT_EQ(after.size(), before.size());
  size_t num_changed = 0;
  for (size_t i = 0; i < after.size(); ++i) {
    num_changed += after[i] != before[i] ? 1 : 0;
  }
  EXPECT_LE(num_changed, 8U);
  ExpectWell();
}

TEST_F(MendDigestsTest, TheDigestOfACompletedToc) {
  const WrittenSstable one = WriteScylla(FilterFault::kNone);
  LeaveOutOfToc(one);
  EXPECT_THAT(Verdicts(), ElementsAre("not loaded"));
  ExpectLeft("--in-place", "give --rewrite-digests");
  EXPECT_EQ(Mend("--in-place --rewrite-digests").exit_code, 0);
  ExpectWell();
}

// The filter has all keys, but its digest is not the one in Scylla.db. ScyllaDB
// refuses such a filter.
TEST_F(MendDigestsTest, ScanSeesADigestThatDiffers) {
  const WrittenSstable one = WriteScylla(FilterFault::kNone);
  const std::string good = ReadFile(one.Path("Filter.db"));
  ExpectWell();
  std::string rotten = good;
  rotten.back() = '\xff';
  WriteFile(one.Path("Filter.db"), rotten);
  EXPECT_THAT(Verdicts(), ElementsAre("digest differs"));
  const Ran text = Filterdb("scan " + dir_ / "ks");
  EXPECT_THAT(text.out, HasSubstr(" as in Scylla.db\n"));
  ExpectLeft("--in-place --no-backup", "give --rewrite-digests");
  EXPECT_EQ(Mend(kRewrite).exit_code, 0);
  EXPECT_EQ(ReadFile(one.Path("Filter.db")), good);
  ExpectWell();
}

// TOC.txt is damaged. If filterdb mend made its digest anew, that would hide
// the damage.
TEST_F(MendDigestsTest, ATocThatDiffersIsLeft) {
  for (const FilterFault fault :
       {FilterFault::kNone, FilterFault::kBitsCleared}) {
    const WrittenSstable one = WriteScylla(fault);
    std::string toc = ReadFile(one.Path("TOC.txt"));
    toc.erase(toc.find("Statistics.db\n"), 14);
    WriteFile(one.Path("TOC.txt"), toc);
    EXPECT_EQ(Verdicts().back(), "digest differs");
    ExpectLeft(kRewrite, "its TOC.txt is not the one whose checksum is in");
  }
}

TEST_F(MendDigestsTest, DigestsOfOtherFilesAlone) {
  const WrittenSstable one = WriteScylla(FilterFault::kBitsCleared);
  const std::string scylla =
      ScyllaDbContent({DigestsPart({{8, 1}})}, /*has_crc=*/true);
  WriteFile(one.Path("Scylla.db"), scylla);
  EXPECT_EQ(Mend("--in-place --no-backup").exit_code, 0);
  EXPECT_EQ(ReadFile(one.Path("Scylla.db")), scylla);
}

TEST_F(MendDigestsTest, ADamagedScyllaDb) {
  const WrittenSstable one = WriteScylla(FilterFault::kBitsCleared);
  std::string scylla = ReadFile(one.Path("Scylla.db"));
  scylla[13] = 'X';  // A byte outside the digests.
  WriteFile(one.Path("Scylla.db"), scylla);
  for (const std::string& damaged :
       {scylla, scylla.substr(0, 9), scylla + "x", std::string()}) {
    WriteFile(one.Path("Scylla.db"), damaged);
    EXPECT_THAT(Verdicts(), ElementsAre("keys missing", "Scylla.db damaged"));
    ExpectLeft(kRewrite, "ignore_component_digest_mismatch");
  }
  const WrittenSstable good = WriteScylla(FilterFault::kNone);
  fs::remove(good.Path("Scylla.db"));
  fs::create_symlink("nowhere", good.Path("Scylla.db"));
  EXPECT_THAT(Verdicts(), ElementsAre("Scylla.db damaged"));
  ExpectLeft(kRewrite, "its Scylla.db is damaged or has an unknown layout");
}

TEST_F(MendDigestsTest, NoDigests) {
  const WrittenSstable one = WriteScylla(FilterFault::kBitsCleared);
  WriteFile(one.Path("Scylla.db"),
            ScyllaDbContent({{2, "features"}, {7, "build"}}, false));
  // With --in-place alone, the backup would be beside the SSTable. ScyllaDB
  // does not remove this backup when it removes the SSTable.
  ExpectLeft("--in-place", "give --backup-dir or --no-backup");
  EXPECT_EQ(Mend("--in-place --backup-dir=" + dir_ / "old").exit_code, 0);
  EXPECT_EQ(Scan().exit_code, 0);
}

TEST_F(MendDigestsTest, Undo) {
  for (const bool rotten : {false, true}) {
    fs::remove_all(dir_ / "old");
    WriteScylla(FilterFault::kBitsCleared, rotten);
    const auto before = Files();
    EXPECT_EQ(Mend(InFolder()).exit_code, 0);
    ExpectWell();
    // A second mend with another --fp-chance must keep the first backup.
    EXPECT_EQ(Mend(InFolder() + " --oversized --fp-chance=0.02").exit_code, 0);
    const Ran ran = Mend("--undo --backup-dir=" + dir_ / "old");
    EXPECT_EQ(ran.exit_code, 0) << ran;
    fs::remove_all(dir_ / "old");
    EXPECT_TRUE(Files() == before);
  }
}

// Writes an earlier Scylla.db after each mend, as if filterdb mend had been
// killed before it changed Scylla.db.
TEST_F(MendDigestsTest, UndoAfterSeveralKills) {
  const WrittenSstable one = WriteScylla(FilterFault::kBitsCleared);
  const auto before = Files();
  const std::string old_scylla = ReadFile(one.Path("Scylla.db"));
  EXPECT_EQ(Mend(InFolder()).exit_code, 0);
  const std::string first_scylla = ReadFile(one.Path("Scylla.db"));
  const std::string first = ReadFile(one.Path("Filter.db"));
  WriteFile(one.Path("Scylla.db"), old_scylla);
  for (int i = 0; i < 2; ++i) {
    const Ran ran = Mend(InFolder() + " --fp-chance=0.015");
    EXPECT_EQ(ran.exit_code, 0) << ran;
    EXPECT_NE(ReadFile(one.Path("Filter.db")), first);
    WriteFile(one.Path("Scylla.db"), first_scylla);
  }
  const Ran ran = Mend("--undo --backup-dir=" + dir_ / "old");
  EXPECT_EQ(ran.exit_code, 0) << ran;
  fs::remove_all(dir_ / "old");
  EXPECT_TRUE(Files() == before);
}

TEST_F(MendDigestsTest, UndoLeavesWhatOthersHaveChanged) {
  const WrittenSstable one = WriteScylla(FilterFault::kBitsCleared);
  EXPECT_EQ(Mend(InFolder()).exit_code, 0);
  const std::string filter = ReadFile(one.Path("Filter.db"));
  WriteFile(one.Path("Filter.db"), "other");
  WriteScyllaDb(one.prefix);
  WriteFile(one.Path("Filter.db"), filter);
  const auto before = Files();
  const Ran ran = Mend("--undo --backup-dir=" + dir_ / "old");
  EXPECT_EQ(ran.exit_code, 1) << ran;
  EXPECT_THAT(ran.out, HasSubstr("has changed since it was mended"));
  EXPECT_TRUE(Files() == before);
}

TEST_F(MendDigestsTest, NoBackupBeside) {
  WriteScylla(FilterFault::kMissing);
  ExpectLeft("--in-place --rewrite-digests",
             "give --backup-dir or --no-backup");
}

// Returns a folder in memory, if there is one. A killed program leaves on a
// disk just what it leaves there, and fsync() takes long on a busy disk.
fs::path FolderInMemory() {
  const fs::path memory = "/dev/shm";
  return access(memory.c_str(), W_OK | X_OK) == 0 ? memory
                                                  : fs::temp_directory_path();
}

// SSTables with different faults of the filter, with and without Filter.db in
// TOC.txt.
class MendDigestsKillTest : public MendDigestsTest {
 protected:
  MendDigestsKillTest() : MendDigestsTest(FolderInMemory()) {
    Make(FilterFault::kBitsCleared);
    Make(FilterFault::kMissing);
    LeaveOutOfToc(Make(FilterFault::kNone));
    LeaveOutOfToc(Make(FilterFault::kBitsCleared));
    fs::remove(Make(FilterFault::kNone).Path("Filter.db"));
    old_ = Filters();
  }

  WrittenSstable Make(FilterFault fault) {
    SstableSpec spec;
    spec.version = "me";
    spec.generation = std::to_string(++generation_);
    spec.fault = fault;
    const WrittenSstable one = Write(spec);
    WriteScyllaDb(one.prefix);
    return one;
  }

  // Copies the SSTables and the backups.
  void CopyState(const std::string& from, const std::string& to) const {
    for (const std::string name : {"ks", "old"}) {
      fs::remove_all(to + "/" + name);
      if (fs::exists(from + "/" + name)) {
        fs::create_directory(to);
        fs::copy(from + "/" + name, to + "/" + name,
                 fs::copy_options::recursive);
      }
    }
  }

  // Returns the filters of the SSTables that had a filter at the start.
  std::vector<std::string> Filters() const {
    std::vector<std::string> filters;
    for (const int generation : {1, 3, 4}) {
      filters.push_back(ReadFile(
          dir_ / "ks/t1/me-" + std::to_string(generation) + "-big-Filter.db"));
    }
    return filters;
  }

  void ExpectNoLeftOvers() const {
    for (const std::string& name : dir_.Names()) {
      if (name.rfind("killed/", 0) != 0) {
        EXPECT_THAT(name, Not(HasSubstr(".cassandra_bloom-")));
      }
    }
  }

  // Runs filterdb mend with these options, and copies the files before each
  // change to them. They are as a kill there would leave them. Then calls each
  // of `afters` on each copy.
  void KillAtEach(const std::vector<std::string>& options,
                  const std::vector<std::function<void()>>& afters) const {
    std::vector<std::string> words = {CASSANDRA_BLOOM_FILTERDB, "mend",
                                      "--ignore-unseen-processes", "--jobs=1"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(dir_ / "ks");
    fs::create_directory(dir_ / "killed");
    int num_kills = 0;
    const auto copy = [&](int kill) {
      return dir_ / ("killed/" + std::to_string(kill));
    };
    StopAtChanges(words, [&] { CopyState(dir_.path(), copy(++num_kills)); });
    for (int kill = 1; kill <= num_kills && !HasFailure(); ++kill) {
      SCOPED_TRACE(kill);
      for (const auto& after : afters) {
        CopyState(copy(kill), dir_.path());
        after();
        ExpectNoLeftOvers();
      }
    }
    std::printf("%d kills\n", num_kills);
    EXPECT_GT(num_kills, 20);
  }

  std::vector<std::string> WithBackups() const {
    return {"--rewrite-digests", "--in-place", "--backup-dir=" + dir_ / "old"};
  }

  void ExpectMended(const std::string& options) const {
    const Ran ran = Mend(options);
    EXPECT_EQ(ran.exit_code, 0) << ran;
    ExpectWell();
  }

  void ExpectUndone() const {
    fs::create_directory(dir_ / "old");
    const Ran ran = Mend("--undo --backup-dir=" + dir_ / "old");
    // If filterdb mend was killed before the first backup, there is nothing to
    // undo.
    EXPECT_TRUE(ran.exit_code == 0 ||
                ran.out.find("holds no backups of") != std::string::npos)
        << ran;
    EXPECT_EQ(Filters(), old_);
    ExpectDigestsAreRight();
  }

  int generation_ = 0;
  std::vector<std::string> old_;
};

TEST_F(MendDigestsKillTest, MendWithBackups) {
  KillAtEach(WithBackups(), {[&] { ExpectMended(InFolder()); }});
}

TEST_F(MendDigestsKillTest, MendWithBackupsThenUndo) {
  KillAtEach(WithBackups(), {[&] { ExpectUndone(); }});
}

TEST_F(MendDigestsKillTest, MendWithoutBackups) {
  KillAtEach({"--rewrite-digests", "--in-place", "--no-backup"},
             {[&] { ExpectMended(kRewrite); }});
}

TEST_F(MendDigestsKillTest, Undo) {
  EXPECT_EQ(Mend(InFolder()).exit_code, 0);
  KillAtEach({"--undo", "--backup-dir=" + dir_ / "old"},
             {[&] { ExpectMended(InFolder()); }, [&] { ExpectUndone(); }});
}

}  // namespace
}  // namespace cassandra_bloom::testing
