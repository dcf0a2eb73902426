// SPDX-License-Identifier: Apache-2.0

// Builds a new filter for one SSTable, and puts it in place. Functions that
// fail throw a MendEnd or a FileError.
// Tested in filterdb/tests/mending/mender_test.cc.
// Tested in filterdb/tests/commands/mend/mend_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_FILTER_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_FILTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/health/finding.h"
#include "filterdb/mending/kept_filter.h"
#include "filterdb/mending/mend_outcome.h"
#include "filterdb/mending/pinned_folder.h"

namespace cassandra_bloom::tools {

// Checks whether the filter can be replaced in its folder. With `only_toc`,
// checks whether TOC.txt can be completed. If not, throws a MendEnd. `kept` is
// null if no backup is wanted. `rewrite_digests` allows changes of Scylla.db.
// Returns the present backup.
Kept CheckPlace(const FilterFinding& finding, const PinnedFolder& folder,
                KeptFilter* kept, bool only_toc, bool rewrite_digests);

// Adds Filter.db to a TOC.txt that lacks it, and changes the digest of TOC.txt.
void CompleteToc(const Sstable& sstable, const PinnedFolder& folder);

// Gets the number of keys added since the last call. Returns whether to
// continue.
using OnKeysAdded = std::function<bool(uint64_t num_keys)>;

// Builds a filter from the keys of the SSTable. Throws a MendEnd if there are
// not `num_keys` keys, or if `on_keys_added` returns false. `folder` is the
// open folder of the SSTable, or null to open the SSTable by its path.
std::unique_ptr<FilterDbBuilder> BuildFilter(const Sstable& sstable,
                                             const PinnedFolder* folder,
                                             uint64_t num_keys,
                                             double fp_chance,
                                             const OnKeysAdded& on_keys_added);

// Puts `filter` in place, completes TOC.txt, and changes the digests of both.
// If the process is killed, Filter.db is either the old or the new filter, and
// it is complete. `kept` must have been given to CheckPlace, and `kept_now`
// must be its result. Returns whether the old filter has other hard links, for
// example in snapshots.
bool ReplaceFilter(const Sstable& sstable, const PinnedFolder& folder,
                   const FilterDbBuilder& filter, KeptFilter* kept,
                   const Kept& kept_now);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_MEND_FILTER_H_
