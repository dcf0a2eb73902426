// SPDX-License-Identifier: Apache-2.0

// Writes SSTables with chosen faults, and runs "filterdb mend" and "filterdb
// install" on them.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_

#include <filesystem>
#include <map>
#include <string>

#include "filterdb/tests/commands/scan/scan_fixture.h"
#include "filterdb/tests/fake_sstable/fake_scylla_db.h"
#include "plugin/filter_db/read_file.h"
#include "tests/support/safe_folder.h"

namespace cassandra_bloom::testing {

class MendFixture : public ScanFixture {
 protected:
  MendFixture() : ScanFixture(FolderInMemory()), runs_(SafeFolder()) {}

  // `before` is shell text before the command.
  Ran Mend(const std::string& options = "",
           const std::string& before = "") const {
    return Filterdb("mend " + dir_ / "ks" + " --run=" + run() + " " + options,
                    before);
  }
  Ran Install(const std::string& options = "",
              const std::string& before = "") const {
    return Filterdb("install " + run() + " " + options, before);
  }
  Ran Undo(const std::string& options = "") const {
    return Install("--undo " + options);
  }
  // Mends and installs in one.
  Ran MendInPlace(const std::string& options = "",
                  const std::string& before = "") const {
    return Mend("--in-place " + options, before);
  }
  Ran Scan() const { return Filterdb("scan --json " + dir_ / "ks"); }

  // The folder of the present run.
  std::string run() const {
    return runs_ / ("run" + std::to_string(run_number_));
  }
  void NextRun() { ++run_number_; }

  // Returns the names of all files, and the bytes of each file below ks that
  // has less than 16 MiB.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const std::string& name : dir_.Names()) {
      files[name] = "";
    }
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(dir_ / "ks")) {
      if (std::filesystem::is_regular_file(entry.path()) &&
          std::filesystem::file_size(entry.path()) < (1 << 24)) {
        files[entry.path()] = ReadFile(entry.path());
      }
    }
    return files;
  }

  const TempDir runs_;
  int run_number_ = 1;
};

// Writes SSTables whose Scylla.db has digests of the other files.
class ScyllaFixture : public MendFixture {
 protected:
  // If `is_rotten`, the digests are computed before the filter gets its fault.
  WrittenSstable WriteScylla(FilterFault fault, bool is_rotten = false,
                             const std::string& version = "me",
                             const std::string& generation = "1") {
    SstableSpec spec = SpecOf(version, is_rotten ? FilterFault::kNone : fault);
    spec.generation = generation;
    const WrittenSstable one = Write(spec);
    WriteScyllaDb(one.prefix);
    if (is_rotten && fault == FilterFault::kMissing) {
      std::filesystem::remove(one.Path("Filter.db"));
    } else if (is_rotten) {
      spec.fault = fault;
      Write(spec);
    }
    return one;
  }

  // Corrects the digest of TOC.txt, too.
  static void LeaveOutOfToc(const WrittenSstable& one) {
    testing::LeaveOutOfToc(one);
    WriteScyllaDb(one.prefix);
  }

  void ExpectDigestsAreRight() const {
    const std::string scylla = "Scylla.db";
    int num_checked = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(dir_ / "ks")) {
      const std::string path = entry.path();
      if (EndsWith(path, scylla)) {
        const std::string prefix = path.substr(0, path.size() - scylla.size());
        EXPECT_EQ(ReadFile(path), RightScyllaDb(prefix)) << path;
        ++num_checked;
      }
    }
    EXPECT_GT(num_checked, 0);
  }

  void ExpectWell() const {
    ExpectDigestsAreRight();
    Exits(0, Scan());
  }
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_MEND_FIXTURE_H_
