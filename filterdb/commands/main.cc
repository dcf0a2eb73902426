// SPDX-License-Identifier: Apache-2.0

// filterdb finds and mends the wrong Bloom filters of Cassandra and ScyllaDB
// nodes. It also works with single Filter.db files. It knows no RocksDB.
// Tested in filterdb/tests/commands/answers_test.cc.

#include "filterdb/commands/command.h"
#include "filterdb/commands/console.h"

int main(int argc, char** argv) {
  using namespace cassandra_bloom::tools;
  return RunProgram(
      "filterdb",
      "Finds the wrong filters of a Cassandra or ScyllaDB node (scan), and "
      "makes them anew\n(mend). Shows, checks, builds, converts and compares "
      "Filter.db files.",
      [](CLI::App* app, Run* run) {
        AddScan(app, run);
        AddMend(app, run);
        AddInfo(app, run);
        AddCheck(app, run);
        AddBuild(app, run);
        AddConvert(app, run);
        AddDiff(app, run);
      },
      argc, argv);
}
