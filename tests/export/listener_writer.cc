// SPDX-License-Identifier: Apache-2.0

// Writes to a database with an export listener until the process is killed.
// Usage: listener_writer DB OUT_DIR SEED

#include <rocksdb/db.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "cassandra_bloom/filter_db_export_listener.h"
#include "tests/support/rocksdb/dataset.h"
#include "tests/support/rocksdb/opened_db.h"
#include "tests/support/rocksdb/test_db.h"

int main(int argc, char** argv) {
  using namespace cassandra_bloom;  // NOLINT
  if (argc != 4) {
    return 2;
  }
  std::string error;
  rocksdb::Options options = testing::DbOptions(testing::OurPolicy());
  options.listeners = {NewFilterDbExportListener(argv[2], "nb", &error)};
  options.disable_auto_compactions = false;
  options.level0_file_num_compaction_trigger = 2;
  options.write_buffer_size = size_t{64} << 10;
  options.target_file_size_base = size_t{64} << 10;
  testing::OpenedDb db{};
  const rocksdb::Status status = rocksdb::DB::Open(options, argv[1], &db);
  if (options.listeners[0] == nullptr || !status.ok()) {
    std::fprintf(stderr, "%s %s\n", error.c_str(), status.ToString().c_str());
    return 1;
  }
  for (uint32_t i = static_cast<uint32_t>(std::stoul(argv[3]));; i += 7919) {
    if (!db->Put(rocksdb::WriteOptions(), testing::NumberedKey(i % 1000000),
                 "value")
             .ok()) {
      return 1;
    }
  }
}
