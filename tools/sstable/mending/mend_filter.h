// SPDX-License-Identifier: Apache-2.0

// Makes the filter of one SSTable anew, and puts it where the user wants it.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_FILTER_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_FILTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cassandra_bloom/filter_db.h"
#include "tools/sstable/health/finding.h"
#include "tools/sstable/mending/kept_filter.h"
#include "tools/sstable/mending/pinned_folder.h"

namespace cassandra_bloom::tools {

// What stands in the way of mending.
struct Obstacle {
  bool is_error = false;  // Writing would fail. Otherwise the SSTable is left.
  std::string reason;     // Empty if nothing does.
};

// What stands in the way of mending the filter where it is or, for `only_toc`,
// of completing TOC.txt. `kept`: what is kept of the old filter; null for
// Backup::kNone.
Obstacle ObstacleInPlace(const FilterFinding& finding,
                         const PinnedFolder& folder, Backup backup,
                         KeptFilter* kept, bool only_toc);

// Adds Filter.db to TOC.txt, if that is there and does not name it.
bool CompleteToc(const Sstable& sstable, const PinnedFolder& folder,
                 std::string* error);

// Called now and then with the number of keys that were added since the last
// call. Returns whether to go on.
using OnKeysAdded = std::function<bool(uint64_t num_keys)>;

// A filter with all keys of the SSTable. Returns nullptr if they cannot be
// read, with an error, or if `on_keys_added` returns false, with none.
std::unique_ptr<FilterDbBuilder> BuildFilter(const FilterFinding& finding,
                                             double fp_chance,
                                             const OnKeysAdded& on_keys_added,
                                             std::string* error);

// The same, with the keys of the SSTable in the open folder.
std::unique_ptr<FilterDbBuilder> BuildFilterIn(const PinnedFolder& folder,
                                               const FilterFinding& finding,
                                               double fp_chance,
                                               const OnKeysAdded& on_keys_added,
                                               std::string* error);

// Puts the filter in place of the old one, or adds it, and completes TOC.txt.
// Whenever the process is killed, either the whole old or the whole new filter
// is there. `kept`: as above; Look was called. Sets `*has_other_links` if the
// old filter has more names, as in snapshots.
bool ReplaceFilter(const FilterFinding& finding, const PinnedFolder& folder,
                   const FilterDbBuilder& filter, KeptFilter* kept,
                   bool* has_other_links, std::string* error);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_MEND_FILTER_H_
