// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb mend" on SSTables whose Scylla.db has digests (checksums) of
// the other files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "filterdb/tests/commands/mend/mend_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr char kRewrite[] = "--rewrite-digests";

class DigestsTest : public ScyllaFixture {
 protected:
  // Expects filterdb mend to change no file, and to print `reason`.
  void ExpectLeft(const std::string& options, const std::string& reason) {
    const auto before = Files();
    NextRun();
    const Ran mend = Mend(options);
    EXPECT_TRUE(mend.exit_code == 1 || mend.exit_code == 2) << mend;
    EXPECT_THAT(mend.out, HasSubstr(reason));
    EXPECT_NE(Install().exit_code, 0);
    EXPECT_TRUE(Files() == before);
  }

  void ExpectMended() {
    NextRun();
    Exits(0, MendInPlace(kRewrite));
  }
};

// With `is_rotten`, the digests are those of a good filter, and the filter got
// its fault later.
TEST_F(DigestsTest, EachFault) {
  for (const char* version : {"me", "ms"}) {
    for (const FilterFault fault :
         {FilterFault::kBitsCleared, FilterFault::kTruncated,
          FilterFault::kEmpty, FilterFault::kSaturated, FilterFault::kProbes0,
          FilterFault::kMissing}) {
      for (const bool is_rotten : {false, true}) {
        SCOPED_TRACE(std::string(version) + ", fault " +
                     std::to_string(static_cast<int>(fault)));
        fs::remove_all(dir_ / "ks");
        WriteScylla(fault, is_rotten, version);
        ExpectMended();
        ExpectWell();
      }
    }
  }
}

TEST_F(DigestsTest, TheDigestOfACompletedToc) {
  LeaveOutOfToc(WriteScylla(FilterFault::kNone));
  EXPECT_EQ(TheOne()["verdict"], "not in TOC.txt");
  ExpectLeft("", "give --rewrite-digests");
  ExpectMended();
  ExpectWell();
  WriteScylla(FilterFault::kMissing);  // Its TOC.txt lacks it, too.
  EXPECT_EQ(TheOne()["verdict"], "missing");
  ExpectLeft("", "give --rewrite-digests");
  ExpectMended();
  ExpectWell();
}

// Left, if it was to be mended. The install says so, too.
TEST_F(DigestsTest, AnOversizedFilter) {
  WriteScyllaDb(
      Write(SpecOf("me", FilterFault::kNone, 0.01, /*expected_keys=*/10000))
          .prefix);
  ExpectLeft("--oversized", "give --rewrite-digests");
  NextRun();
  Exits(0, Mend());
  Exits(0, Install());
}

// Tables with tablets are repaired by another command.
TEST_F(DigestsTest, TheRepairOfTablets) {
  WriteScylla(FilterFault::kBitsCleared);
  EXPECT_THAT(Exits(0, MendInPlace(kRewrite)).out,
              HasSubstr("tablets: nodetool cluster repair instead of nodetool "
                        "repair --full.\n"));
  EXPECT_EQ(Install("--json").report()["summary"]["tables_to_repair"],
            (Json{{{"folder", dir_ / "ks/t1"},
                   {"command", "nodetool repair --full ks t1"}}}));
}

// The filter has all keys, but its digest is not the one in Scylla.db. ScyllaDB
// refuses such a filter.
TEST_F(DigestsTest, ADigestThatDiffers) {
  const WrittenSstable one = WriteScylla(FilterFault::kNone);
  const std::string good = ReadFile(one.Path("Filter.db"));
  std::string rotten = good;
  rotten.back() = '\xff';
  WriteFile(one.Path("Filter.db"), rotten);
  EXPECT_EQ(TheOne()["verdict"], "digest differs");
  ExpectMended();
  EXPECT_EQ(ReadFile(one.Path("Filter.db")), good);
  ExpectWell();
}

// TOC.txt is damaged. If filterdb mend made its digest anew, that would hide
// the damage.
TEST_F(DigestsTest, ATocThatDiffersIsLeft) {
  for (const FilterFault fault :
       {FilterFault::kNone, FilterFault::kBitsCleared}) {
    const WrittenSstable one = WriteScylla(fault);
    std::string toc = ReadFile(one.Path("TOC.txt"));
    toc.erase(toc.find("Statistics.db\n"), 14);
    WriteFile(one.Path("TOC.txt"), toc);
    ExpectLeft(kRewrite, "restore the TOC.txt whose checksum is in Scylla.db");
  }
}

TEST_F(DigestsTest, DigestsOfOtherFilesAlone) {
  const WrittenSstable one = WriteScylla(FilterFault::kBitsCleared);
  for (const std::string& scylla :
       {ScyllaDbContent({DigestsPart({{8, 1}})}, /*has_crc=*/true),
        ScyllaDbContent({{2, "features"}, {7, "build"}}, /*has_crc=*/false)}) {
    WriteFile(one.Path("Scylla.db"), scylla);
    fs::remove(one.Path("Filter.db"));
    NextRun();
    Exits(0, MendInPlace());
    EXPECT_EQ(ReadFile(one.Path("Scylla.db")), scylla);
  }
}

TEST_F(DigestsTest, ADamagedScyllaDb) {
  const WrittenSstable one = WriteScylla(FilterFault::kBitsCleared);
  std::string scylla = ReadFile(one.Path("Scylla.db"));
  scylla[13] = 'X';  // A byte outside the digests.
  WriteFile(one.Path("Scylla.db"), scylla);
  ExpectLeft(kRewrite, "restore Scylla.db from a backup");
  WriteFile(one.Path("Scylla.db"), scylla + "x");  // An unknown layout.
  ExpectLeft(kRewrite, one.Path("Scylla.db"));
  fs::resize_file(one.Path("Scylla.db"), 17 << 20);  // Not read into memory.
  ExpectLeft(kRewrite, "restore Scylla.db from a backup");
  fs::remove(one.Path("Scylla.db"));
  fs::create_symlink("nowhere", one.Path("Scylla.db"));
  ExpectLeft(kRewrite, "restore Scylla.db from a backup");
}

}  // namespace
}  // namespace cassandra_bloom::testing
