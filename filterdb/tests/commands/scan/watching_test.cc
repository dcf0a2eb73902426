// SPDX-License-Identifier: Apache-2.0

// Runs examples/watching/watch_filters.sh, which a timer runs as root.

#include <filesystem>
#include <string>

#include "filterdb/tests/commands/scan/scan_fixture.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class WatchingTest : public ScanFixture {
 protected:
  WatchingTest() { fs::create_directories(dir_ / "data"); }

  void Write(FilterFault fault) {
    ScanFixture::Write(SpecOf("nb", fault), "data/ks/t1");
  }

  // With `filterdb` as the program of this name.
  int Watch(const std::string& filterdb) const {
    fs::create_directories(dir_ / "bin");
    WriteFile(dir_ / "bin/filterdb", "#!/bin/sh\n" + filterdb + "\n");
    fs::permissions(dir_ / "bin/filterdb", fs::perms(0755));
    return RunProcess({"/bin/sh", "-c",
                       "PATH=" +
                           dir_ / "bin:$PATH; export PATH; sed "
                                  "'s|^PATH=.*||' '" CASSANDRA_BLOOM_SOURCE
                                  "/examples/watching/watch_filters.sh' > " +
                           dir_ / "watch.sh; sh " + dir_ / "watch.sh " +
                           dir_ / "f.prom scan " + dir_ / "data"})
        .exit_code;
  }
  int Watch() const {
    return Watch("exec '" CASSANDRA_BLOOM_FILTERDB "' \"$@\"");
  }
  std::string Metrics() const { return ReadFile(dir_ / "f.prom"); }
};

TEST_F(WatchingTest, Metrics) {
  if (RunProcess({"/bin/sh", "-c", "jq --version"}).exit_code != 0) {
    GTEST_SKIP() << "jq is not there";
  }
  Write(FilterFault::kNone);
  EXPECT_EQ(Watch(), 0);
  EXPECT_THAT(Metrics(), HasSubstr("filterdb_scan_exit_status 0\n"
                                   "filterdb_sstables 1\n"));
  EXPECT_THAT(Metrics(), Not(HasSubstr("folder=")));
  Write(FilterFault::kKeysLeftOut);
  EXPECT_EQ(Watch(), 2);
  EXPECT_THAT(Metrics(), HasSubstr("filterdb_harm{harm=\"hides_rows\"} 1\n"));
  EXPECT_THAT(Metrics(), HasSubstr("filterdb_folder_harm{folder=\"" +
                                   dir_ / "data/ks/t1\",harm=\"hides_rows\"} "
                                          "1\n"));
}

// Nothing is then known but the status, which an alert sees.
TEST_F(WatchingTest, ACommandThatIsMissingOrKilled) {
  EXPECT_EQ(Watch("exit 127"), 127);
  EXPECT_EQ(Metrics(), "filterdb_scan_exit_status 127\n");
  EXPECT_EQ(Watch("echo '{\"sstable\":1}'; kill -9 $$"), 137);
  EXPECT_EQ(Metrics(), "filterdb_scan_exit_status 137\n");
}

// A report that jq cannot use is no good status.
TEST_F(WatchingTest, AReportThatCannotBeUsed) {
  EXPECT_EQ(Watch("echo '{\"summary\":'"), 3);
  EXPECT_EQ(Metrics(), "filterdb_scan_exit_status 3\n");
}

// Another user may put links into the folder, at any time.
TEST_F(WatchingTest, FollowsNoLink) {
  Write(FilterFault::kNone);
  WriteFile(dir_ / "precious", "precious");
  fs::create_symlink(dir_ / "precious", dir_ / "f.prom");
  fs::create_symlink(dir_ / "precious", dir_ / "f.prom.new");
  EXPECT_EQ(Watch("exit 1"), 1);
  EXPECT_EQ(ReadFile(dir_ / "precious"), "precious");
  EXPECT_FALSE(fs::is_symlink(dir_ / "f.prom"));
  // One to a folder, and while filterdb works.
  fs::remove(dir_ / "f.prom");
  fs::create_symlink("bin", dir_ / "f.prom");
  EXPECT_EQ(Watch("exit 1"), 1);
  EXPECT_FALSE(fs::is_symlink(dir_ / "f.prom"));
  EXPECT_EQ(Watch("for f in " + dir_ / "f.prom*; do ln -sf precious \"$f\"; "
                                       "done; exit 1"),
            1);
  EXPECT_EQ(ReadFile(dir_ / "precious"), "precious");
  EXPECT_EQ(fs::status(dir_ / "f.prom").permissions(), fs::perms(0644));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_.path()), {}), 6);
}

}  // namespace
}  // namespace cassandra_bloom::testing
