// SPDX-License-Identifier: Apache-2.0

// Makes the filter of one SSTable anew, and puts it in its place. What fails
// throws a MendEnd or a FileError.
// Tested in tests/sstable/mending/mender_test.cc.
// Tested in tests/filterdb/mend/mend_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_FILTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "tools/sstable/health/finding.h"
#include "tools/sstable/mending/kept_filter.h"
#include "tools/sstable/mending/mend_outcome.h"
#include "tools/sstable/mending/pinned_folder.h"

namespace cassandra_bloom::tools {

// Throws a MendEnd if something stands in the way of mending the filter where
// it is or, for `only_toc`, of completing TOC.txt: the SSTable is left, or
// writing would fail. `kept`: null if the old filter is not to be kept. Returns
// what is kept now.
Kept CheckPlace(const FilterFinding& finding, const PinnedFolder& folder,
                KeptFilter* kept, bool only_toc);

// Adds Filter.db to TOC.txt, if that is there and does not name it.
void CompleteToc(const Sstable& sstable, const PinnedFolder& folder);

// Called now and then with the number of keys that were added since the last
// call. Returns whether to go on.
using OnKeysAdded = std::function<bool(uint64_t num_keys)>;

// A filter with all `num_keys` keys of the SSTable. Throws a MendEnd if they
// cannot be read, or if `on_keys_added` returns false. `folder`: that of the
// SSTable, if it is open; null to use its name.
std::unique_ptr<FilterDbBuilder> BuildFilter(const Sstable& sstable,
                                             const PinnedFolder* folder,
                                             uint64_t num_keys,
                                             double fp_chance,
                                             const OnKeysAdded& on_keys_added);

// Puts the filter in place of the old one, or adds it, and completes TOC.txt.
// Whenever the process is killed, either the whole old or the whole new filter
// is there. `kept` and `kept_now`: as CheckPlace took and returned them.
// Returns whether the old filter has more names, as in snapshots.
bool ReplaceFilter(const Sstable& sstable, const PinnedFolder& folder,
                   const FilterDbBuilder& filter, KeptFilter* kept,
                   const Kept& kept_now);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_FILTER_H_
