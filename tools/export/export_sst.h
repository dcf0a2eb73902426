// SPDX-License-Identifier: Apache-2.0

// Writes the Filter.db of one SST file.
//
// Tested in tests/export/export_sst_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_EXPORT_EXPORT_SST_H_
#define CASSANDRA_BLOOM_TOOLS_EXPORT_EXPORT_SST_H_

#include <cstdint>
#include <optional>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "plugin/export/export_folder.h"
#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

struct ExportOptions {
  // The SSTable version of the Filter.db, such as "nb", not the name of a form.
  std::string sstable_version = "nb";

  // Build the filter from the keys of the SST file even where its filter block
  // could be copied.
  bool from_keys = false;

  // The size of filters that are built from keys: bits per key, 1 to 100, or,
  // if fp_chance is not 0, Cassandra's bloom_filter_fp_chance, at least
  // 0.0000671 and less than 1.
  double bits_per_key = 10;
  double fp_chance = 0;

  // The part of each key that is exported, spelt as in
  // CassandraBloomOptions::partition_key. Empty: the part that the filter of
  // the SST file holds, or the whole key if that is no filter of this library.
  std::string partition_key;

  // If true, all filters of a folder are made anew, and a folder whose filters
  // no export recorded is taken over.
  bool overwrite = false;

  // If true, the export of a folder writes and removes nothing. The report says
  // what it would do. In ExportedFilterDb, only the two paths are then set.
  bool dry_run = false;
};

// The options of an export, checked and parsed once for all of its files.
struct ExportPlan {
  ExportOptions options;
  FilterForm form = kNaAndLater;
  // The part of a key to export. If not set, the part that the filter of each
  // SST file holds.
  std::optional<PartitionKeyExtractor> partition_key;
};

// Returns nullopt, with `*error`, if the options are invalid, or if this
// process runs another RocksDB release than this library was compiled for.
std::optional<ExportPlan> PlanExport(const ExportOptions& options,
                                     std::string* error);

// Returns the folder at this path as the plan sees it.
ExportFolder FolderOf(const ExportPlan& plan, const std::string& path);

struct ExportedFilterDb {
  std::string sst_file;     // The path of the SST file.
  std::string filter_db;    // The path of its Filter.db.
  bool from_block = false;  // The filter block was copied.
  // Why the filter block was not copied. Empty if `from_block` is true, or if
  // the filter was to be made from keys.
  std::string why_not_block;
  std::string partition_key;  // The part of a key that the filter holds.
  uint64_t num_keys = 0;      // Entries in the filter, as far as RocksDB knows.
  uint64_t num_range_deletions = 0;
  int num_probes = 0;
  uint32_t num_words = 0;
};

// Exports the SST file exported->sst_file to exported->filter_db, and sets the
// rest of `*exported`. Replaces what is there, also a symbolic link.
ExportResult ExportSst(const ExportPlan& plan, ExportedFilterDb* exported,
                       std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_TOOLS_EXPORT_EXPORT_SST_H_
