// SPDX-License-Identifier: Apache-2.0

// sst_filters works with the filters in the SST files of RocksDB databases.
//
// Tested in tests/sst_filters/command_line_test.cc.

#include "tools/sst_filters/subcommands.h"

namespace cassandra_bloom::tools {

void AddDatabase(CLI::App* command, DatabaseOnDisk* database) {
  // Without the name that CLI11 would add to that of the value.
  const CLI::Validator is_folder =
      CLI::Validator(CLI::ExistingDirectory).description("");
  command
      ->add_option("--db", database->folder,
                   "The folder of the database, which may be in use. Nothing "
                   "in it is changed")
      ->required()
      ->check(is_folder)
      ->type_name("DIR");
  command
      ->add_option("--db-path", database->db_paths,
                   "One of the database's db_paths, which no file of the "
                   "database names. Give all of them, in their order. For a "
                   "column family with cf_paths of its own, give these, and "
                   "its --column-family")
      ->check(is_folder)
      ->type_name("DIR")
      ->allow_extra_args(false);
  command
      ->add_option("--column-family", database->column_families,
                   "Only the SST files of this column family; may be given "
                   "several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

}  // namespace cassandra_bloom::tools

int main(int argc, char** argv) {
  using namespace cassandra_bloom::tools;
  return RunProgram(
      "sst_filters",
      "Examines the filters in the SST files of a RocksDB database (doctor), "
      "and writes\nthem as Filter.db files of Cassandra (export).",
      "Exit status: 0 good, 2 a fault was found or a file not exported, 3 not "
      "all could be\nread or is known (2 before 3), 64 wrong usage. With "
      "--dry-run, 1 if there is\nsomething to export or to remove.",
      [](CLI::App* app, Run* run) {
        AddDoctor(app, run);
        AddExport(app, run);
      },
      argc, argv);
}
