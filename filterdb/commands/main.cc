// SPDX-License-Identifier: Apache-2.0

// filterdb finds and mends the wrong Bloom filters of Cassandra and ScyllaDB
// nodes. It also works with single Filter.db files. It knows no RocksDB.
// Tested in filterdb/tests/commands/filter_files_test.cc.
// Tested in filterdb/tests/commands/bad_lines_test.cc.

#include <string>
#include <vector>

#include "filterdb/commands/command.h"
#include "filterdb/commands/console.h"

namespace cassandra_bloom::tools {
namespace {

struct Gone {
  const char* command;
  const char* word;  // The command itself, or an option.
  const char* instead;
};

constexpr Gone kWhatIsGone[] = {
    {"convert", "convert", "filterdb build makes a filter in any form"},
    {"diff", "diff", "cmp compares files, and filterdb info shows a filter"},
    {"check", "--absent",
     "filterdb info estimates the false positive rate from the filter alone"},
    {"build", "--expected-keys", "the keys are read once, also from a pipe"},
    {"mend", "--backup-dir",
     "mend --run=DIR builds the filters, and install DIR keeps the old ones in "
     "DIR/old"},
    {"mend", "--no-backup",
     "mend --run=DIR --in-place mends at once, and keeps the old filters in "
     "DIR/old"},
    {"mend", "--out-dir", "mend --run=DIR writes the new filters to DIR/new"},
    {"mend", "--undo", "install DIR --undo puts the old filters back"},
    {"mend", "--dry-run",
     "mend --run=DIR changes no SSTable, and install DIR --dry-run says what "
     "an install would do"},
};

std::string WhatTookItsPlaceIn(const std::vector<std::string>& words) {
  for (const Gone& gone : kWhatIsGone) {
    for (const std::string& word : words) {
      if (words[0] == gone.command &&
          word.substr(0, word.find('=')) == gone.word) {
        return gone.word +
               std::string(word[0] == '-' ? " is no option"
                                          : " is no command") +
               " any more: " + gone.instead;
      }
    }
  }
  return "";
}

}  // namespace
}  // namespace cassandra_bloom::tools

int main(int argc, char** argv) {
  using namespace cassandra_bloom::tools;
  return RunProgram(
      "filterdb",
      "Finds the wrong Bloom filters of a Cassandra or ScyllaDB node (scan), "
      "builds them\nanew while it runs (mend), and puts them in place while it "
      "is down (install).\nFinds a key in SSTables; shows, checks and builds "
      "Filter.db files.",
      "Exit status: 0 good, 1 reads or memory are wasted, 2 rows are hidden or "
      "an SSTable\nis damaged or refused, 3 not all could be read or is known "
      "(2 before 3 before 1),\n64 wrong usage.",
      [](CLI::App* app, Run* run) {
        AddScan(app, run);
        AddMend(app, run);
        AddInstall(app, run);
        AddFind(app, run);
        AddInfo(app, run);
        AddCheck(app, run);
        AddBuild(app, run);
      },
      argc, argv, WhatTookItsPlaceIn);
}
