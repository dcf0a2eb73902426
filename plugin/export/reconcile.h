// SPDX-License-Identifier: Apache-2.0

// Makes a folder hold exactly the filters of the live SST files of a database.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_RECONCILE_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_RECONCILE_H_

#include <functional>
#include <set>
#include <string>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/export_sst.h"
#include "plugin/export/live_ssts.h"

namespace cassandra_bloom {

// Lists the live SST files. Returns false, with `*error`, on failure. Returns
// false, and leaves `*error` as it was, if there is no newer listing.
using ListSsts = std::function<bool(LiveSsts* live, std::string* error)>;

// Keeps the filters that are right, makes the missing ones and removes all
// others. May be called again after any failure: it then does what is left.
//
// Lists the files while it holds the folder's lock, because another export may
// have used a newer listing before. If a listed file no longer exists, lists
// again. Does not read files whose LiveSst::identity is in `*unreadable`, and
// adds those that it cannot read.
//
// Returns true if every live SST file now has its filter. Returns false, and
// leaves `*error` as it was, if it was stopped before that, or if all that lack
// one were in `*unreadable` before. `*report` says what was done.
bool Reconcile(const ExportPlan& plan, const std::string& out_dir,
               const ListSsts& list, const StopExport& stop,
               std::set<std::string>* unreadable, FilterDbExportReport* report,
               std::string* error);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_RECONCILE_H_
