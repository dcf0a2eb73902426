// SPDX-License-Identifier: Apache-2.0

// Writes SSTables whose Scylla.db has digests of the other files.

#ifndef CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_SCYLLA_FIXTURE_H_
#define CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_SCYLLA_FIXTURE_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "filterdb/tests/commands/mend/mend_fixture.h"
#include "filterdb/tests/fake_sstable/fake_scylla_db.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::testing {

class ScyllaFixture : public MendFixture {
 protected:
  // If `is_rotten`, the digests are computed before the filter gets its fault.
  WrittenSstable WriteScylla(FilterFault fault, bool is_rotten = false,
                             const std::string& version = "me",
                             const std::string& generation = "1") {
    SstableSpec spec;
    spec.version = version;
    spec.generation = generation;
    spec.fault = is_rotten ? FilterFault::kNone : fault;
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

  // Removes Filter.db from TOC.txt, and corrects the digest of TOC.txt.
  static void LeaveOutOfToc(const WrittenSstable& one) {
    std::string toc = ReadFile(one.Path("TOC.txt"));
    toc.erase(toc.find("Filter.db\n"), 10);
    WriteFile(one.Path("TOC.txt"), toc);
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

#endif  // CASSANDRA_BLOOM_FILTERDB_TESTS_COMMANDS_MEND_SCYLLA_FIXTURE_H_
