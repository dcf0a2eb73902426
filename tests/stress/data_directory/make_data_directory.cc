// SPDX-License-Identifier: Apache-2.0

// Makes a data directory of Cassandra with thousands of SSTables, some with
// faulty filters:
//
//   make_data_directory --tables=100 --sstables=2000 --keys=40000000 DIR
//
// DIR/expected.json lists the faults (write_directory.h). The same options make
// the same files.

#include <gflags/gflags.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include "tests/stress/data_directory/write_directory.h"
#include "tests/support/temp_dir.h"

DEFINE_uint64(tables, 100, "number of tables");
DEFINE_uint64(sstables, 2000, "number of SSTables");
DEFINE_uint64(keys, 40000000, "number of keys in all SSTables together");
DEFINE_uint64(key_bytes, 16, "bytes of each key, which are random");
DEFINE_uint64(seed, 1, "seed of all random choices");
DEFINE_uint64(threads, 2, "number of threads that write");
DEFINE_string(expected, "",
              "where to say what is in DIR; default: "
              "DIR/expected.json");

namespace cassandra_bloom::testing {
namespace {

void Make(const std::string& folder) {
  const auto begin = std::chrono::steady_clock::now();
  DirectoryOptions options;
  options.tables = FLAGS_tables;
  options.sstables = FLAGS_sstables;
  options.keys = FLAGS_keys;
  options.key_bytes = FLAGS_key_bytes;
  options.seed = FLAGS_seed;
  const std::string expected =
      WriteDirectory(folder, options, std::max<size_t>(1, FLAGS_threads));
  WriteFile(FLAGS_expected.empty() ? folder + "/expected.json" : FLAGS_expected,
            expected);
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  std::printf("%s: %llu SSTables in %.1f s\n", folder.c_str(),
              static_cast<unsigned long long>(FLAGS_sstables), seconds.count());
}

}  // namespace
}  // namespace cassandra_bloom::testing

int main(int argc, char** argv) {
  gflags::SetUsageMessage("[--tables=N] [--sstables=N] [--keys=N] DIR");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_data_directory [OPTIONS] DIR\n");
    return 2;
  }
  try {
    cassandra_bloom::testing::Make(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "make_data_directory: %s\n", e.what());
    return 1;
  }
  return 0;
}
