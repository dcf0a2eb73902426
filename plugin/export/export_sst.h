// SPDX-License-Identifier: Apache-2.0

// Writes the Filter.db of one SST file.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_SST_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_SST_H_

#include <functional>
#include <optional>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/filter_db_export.h"
#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

enum class ExportFrom {
  // Copy the filter block if possible. Otherwise build the filter from keys.
  kBlockOrKeys,
  // Always build the filter from the keys of the SST file.
  kKeys,
};

struct ExportOptions {
  // The SSTable version of the Filter.db, such as "nb", not the name of a form.
  std::string sstable_version = "nb";

  ExportFrom from = ExportFrom::kBlockOrKeys;

  // The size of filters that are built from keys. If fp_chance is 0,
  // bits_per_key gives the size, and is from 1 to 100. Otherwise fp_chance
  // gives the size. It is Cassandra's bloom_filter_fp_chance, at least
  // 0.0000671 and less than 1.
  double bits_per_key = 10;
  double fp_chance = 0;

  // The part of each RocksDB key that is exported, in the spelling of
  // CassandraBloomOptions::partition_key. If this string is empty and the SST
  // file has a filter of this library, the export uses the part that this
  // filter holds. If this string is empty and there is no such filter, the
  // whole key is exported.
  std::string partition_key;

  // If true, existing files are replaced. For a folder, all filters are then
  // made anew, and a folder whose filters no export recorded is taken over.
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

// Returns the options that decide the bytes of a Filter.db, in one line.
std::string ExportOptionsText(const ExportPlan& plan);

// Called often, also in the middle of an SST file. Returns true if the export
// shall stop.
using StopExport = std::function<bool()>;

inline bool NeverStop() { return false; }

enum class ExportResult { kDone, kCannotRead, kCannotWrite, kStopped };

// Exports the SST file exported->sst_file to exported->filter_db, and sets the
// rest of `*exported`. Replaces a symbolic link, and does not follow it. Leaves
// `*error` as it was if the export was stopped.
ExportResult ExportSst(const ExportPlan& plan, bool overwrite,
                       const StopExport& stop, ExportedFilterDb* exported,
                       std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_SST_H_
