// SPDX-License-Identifier: Apache-2.0

// Writes the Filter.db of one SST file.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_SST_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_SST_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "cassandra_bloom/filter_db_export.h"
#include "plugin/lsm/partition_key.h"

namespace cassandra_bloom {

// The options of an export, checked and parsed once for all of its files.
struct ExportPlan {
  FilterDbExportOptions options;
  FilterForm form = kNaAndLater;
  // The part of a key to export. If not set, the part that the filter of each
  // SST file holds.
  std::optional<PartitionKeyExtractor> partition_key;
};

// Returns nullopt, with `*error`, if the options are invalid, or if this
// process runs another RocksDB release than this library was compiled for.
std::optional<ExportPlan> PlanExport(const FilterDbExportOptions& options,
                                     std::string* error);

// Returns the options that decide the bytes of a Filter.db, in one line.
std::string ExportOptionsText(const ExportPlan& plan);

// Called often, also in the middle of an SST file. Returns true if the export
// shall stop.
using StopExport = std::function<bool()>;
using ExportProgress = std::function<void(uint64_t done, uint64_t all)>;

inline bool NeverStop() { return false; }

enum class ExportResult { kDone, kCannotRead, kCannotWrite, kStopped };

// Exports the SST file exported->sst_file to exported->filter_db, and sets the
// rest of `*exported`. Leaves `*error` as it was if the export was stopped.
ExportResult ExportSst(const ExportPlan& plan, bool overwrite,
                       const StopExport& stop, const ExportProgress& progress,
                       ExportedFilterDb* exported, std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_EXPORT_SST_H_
