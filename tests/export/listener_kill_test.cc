// SPDX-License-Identifier: Apache-2.0

// Kills a program with a listener, and an export, at each change of the folder.

#include <stdlib.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "filterdb/tests/commands/mend/stop_at_changes.h"
#include "plugin/export/export_folder.h"
#include "plugin/filter_db/read_file.h"
#include "tests/export/export_fixture.h"
#include "tests/support/rocksdb/releases.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

// Tells the program that is killed where its database is.
constexpr char kFolder[] = "CASSANDRA_BLOOM_TEST_FOLDER";

// A database and a folder beside it.
struct Place {
  explicit Place(std::string parent)
      : db(parent + "/db"), out(parent + "/out") {}
  const std::string db;
  const std::string out;
};

std::unique_ptr<rocksdb::DB> OpenDb(const Place& place, bool listen) {
  rocksdb::Options options = DbOptions(OurPolicy());
  options.create_if_missing = true;
  if (listen) {
    options.listeners = {NewListener(place.out)};
  }
  OpenedDb opened{};
  Require(rocksdb::DB::Open(options, place.db, &opened));
  return Own(std::move(opened));
}

void AddRows(rocksdb::DB* db, uint32_t first) {
  for (const auto& row : NumberedRows(first, first + 100)) {
    Require(db->Put(kWrite, row.first, row.second));
  }
}

void AddFile(rocksdb::DB* db, uint32_t first) {
  AddRows(db, first);
  Require(db->Flush(rocksdb::FlushOptions()));
}

void Export(rocksdb::DB* db, const Place& place) {
  ExportReport report;
  std::string error;
  EXPECT_TRUE(Reconcile(
      *PlanExport({}, &error), place.out, [db] { return LiveSstsOf(db); },
      &report, &error))
      << error;
}

// Files that never change get hard links, so that they keep their stamps.
void CopyPlace(const Place& from, const Place& to) {
  const std::pair<std::string, std::string> folders[] = {{from.db, to.db},
                                                         {from.out, to.out}};
  for (const auto& [source, copy] : folders) {
    fs::remove_all(copy);
    fs::create_directories(copy);
    std::error_code ignored;  // There may be no folder yet.
    for (const auto& entry : fs::directory_iterator(source, ignored)) {
      const std::string name = entry.path().filename();
      const bool is_final = EndsWith(name, ".sst") || EndsWith(name, ".db");
      fs::copy(entry.path(), copy + "/" + name,
               is_final ? fs::copy_options::create_hard_links
                        : fs::copy_options::none);
    }
  }
}

class ListenerKillTest : public ::testing::Test {
 protected:
  // Runs the current test in a process of its own, where it is the program that
  // is killed. Copies the place before each change of the folder: the files are
  // as a kill there would leave them. Then calls `after` with each copy in the
  // place.
  void KillAtEach(const std::function<void()>& after) const {
    setenv(kFolder, dir_.path().c_str(), /*overwrite=*/1);
    int num_kills = 0;
    const auto copy = [&](int kill) {
      return Place(dir_ / ("killed/" + std::to_string(kill)));
    };
    std::map<std::string, std::string> last;
    const auto stopped = [&] {
      auto now = fs::exists(place_.out) ? StateOf(place_.out)
                                        : std::map<std::string, std::string>();
      if (now != last) {
        CopyPlace(place_, copy(++num_kills));
        last = std::move(now);
      }
    };
    const std::string test =
        ::testing::UnitTest::GetInstance()->current_test_info()->name();
    EXPECT_EQ(StopAtChanges({fs::read_symlink("/proc/self/exe"),
                             "--gtest_filter=ListenerKillTest." + test},
                            stopped),
              0);
    unsetenv(kFolder);
    for (int kill = 1; kill <= num_kills && !HasFailure(); ++kill) {
      SCOPED_TRACE(kill);
      CopyPlace(copy(kill), place_);
      after();
    }
    EXPECT_GT(num_kills, 10);
  }

  const char* const killed_in_ = getenv(kFolder);
  const TempDir dir_{FolderInMemory()};
  const Place place_{killed_in_ == nullptr ? dir_.path() : killed_in_};
};

// Creates filters by recovery, flush, compaction and ingestion.
TEST_F(ListenerKillTest, AListener) {
  if (killed_in_ != nullptr) {
    const auto db = OpenDb(place_, /*listen=*/true);
    AddFile(db.get(), 100);
    AddFile(db.get(), 200);
    Require(CompactAll({db.get(), db->DefaultColumnFamily()}));
    Ingest(db.get(), DbOptions(OurPolicy()), {{"key", "value"}});
    return;
  }
  {
    const auto db = OpenDb(place_, /*listen=*/true);
    AddFile(db.get(), 0);
    AddRows(db.get(), 50);  // Are flushed when the database is opened again.
  }
  KillAtEach([this] {
    EXPECT_EQ(WrongFilter(place_.db, place_.out), "");
    const auto db = OpenDb(place_, /*listen=*/true);
    AddFile(db.get(), 500);
    EXPECT_EQ(WrongFilter(place_.db, place_.out), "");
    Require(CompactAll({db.get(), db->DefaultColumnFamily()}));
    EXPECT_EQ(WrongFilter(place_.db, place_.out), "");
    Export(db.get(), place_);
    EXPECT_EQ(WrongExports(db.get(), place_.out), "");
  });
}

// The folder has filters of other files, of these and of other numbers.
TEST_F(ListenerKillTest, AnExport) {
  if (killed_in_ != nullptr) {
    Export(OpenDb(place_, /*listen=*/false).get(), place_);
    return;
  }
  {
    const auto db = OpenDb(place_, /*listen=*/false);
    for (const uint32_t first : {0u, 100u, 200u}) {
      AddFile(db.get(), first);
    }
    Export(db.get(), place_);
    for (const std::string& name : NamesIn(place_.out)) {
      WriteFile(place_.out + "/" + name, "a wrong filter");
    }
    WriteFile(place_.out + "/" + FilterDbName("nb", 1000), "of no file");
  }
  KillAtEach([this] {
    const auto db = OpenDb(place_, /*listen=*/false);
    Export(db.get(), place_);
    EXPECT_EQ(WrongExports(db.get(), place_.out), "");
  });
}

}  // namespace
}  // namespace cassandra_bloom::testing
