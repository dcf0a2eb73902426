// SPDX-License-Identifier: Apache-2.0

// Makes the filter of one SSTable anew, and puts it in its place. Functions
// that fail throw a MendEnd or a FileError.
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

// Throws a MendEnd if the filter cannot be mended in its folder: the SSTable
// must be left alone, or writing would fail. With `only_toc`, asks this about
// completing TOC.txt. `kept`: null if the old filter is not to be kept.
// `rewrite_digests`: whether Scylla.db may be changed. Returns what is kept
// now.
Kept CheckPlace(const FilterFinding& finding, const PinnedFolder& folder,
                KeptFilter* kept, bool only_toc, bool rewrite_digests);

// Adds Filter.db to TOC.txt, if TOC.txt exists and does not name it, and
// changes its digest.
void CompleteToc(const Sstable& sstable, const PinnedFolder& folder);

// Called now and then with the number of keys that were added since the last
// call. Returns whether to go on.
using OnKeysAdded = std::function<bool(uint64_t num_keys)>;

// Makes a filter with the `num_keys` keys of the SSTable. Throws a MendEnd if
// the keys cannot be read, if their number is another one, or if
// `on_keys_added` returns false. `folder`: the open folder of the SSTable; if
// it is null, the folder is opened by its name.
std::unique_ptr<FilterDbBuilder> BuildFilter(const Sstable& sstable,
                                             const PinnedFolder* folder,
                                             uint64_t num_keys,
                                             double fp_chance,
                                             const OnKeysAdded& on_keys_added);

// Puts the filter in place of the old one, or adds it if there is none, and
// completes TOC.txt, and changes the digests of both. If the process is killed
// meanwhile, either the old or the new filter is there, and it is whole.
// `kept`: as for CheckPlace. `kept_now`: what CheckPlace returned. Returns
// whether the old filter has other hard links, as in snapshots.
bool ReplaceFilter(const Sstable& sstable, const PinnedFolder& folder,
                   const FilterDbBuilder& filter, KeptFilter* kept,
                   const Kept& kept_now);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_FILTER_H_
