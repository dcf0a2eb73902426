// SPDX-License-Identifier: Apache-2.0

// Scylla.db holds digests, the CRC-32 values of the SSTable's other files.
// These functions keep the digests right when `filterdb mend` changes Filter.db
// and TOC.txt.
//
// A new file gets its name just after its digest was changed in Scylla.db. If
// the process is killed between these two steps, the next mend or undo makes
// both files right. If TOC.txt is damaged, its digest is not changed, because
// this would hide the damage.
//
// Functions that fail throw a MendEnd or a FileError.
// Tested in filterdb/tests/commands/mend/mend_digests_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_MENDING_DIGESTS_H_
#define CASSANDRA_BLOOM_FILTERDB_MENDING_DIGESTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "filterdb/mending/mend_record.h"
#include "filterdb/mending/pinned_folder.h"
#include "filterdb/sstable/sstable.h"

namespace cassandra_bloom::tools {

// Returns whether Scylla.db has a digest of Filter.db (`of_filter`) or of
// TOC.txt (`of_toc`). Throws a MendEnd if Scylla.db or TOC.txt is damaged.
bool HasDigests(const Sstable& sstable, const PinnedFolder& folder,
                bool of_filter, bool of_toc);

// Returns whether a mend was killed before TOC.txt got its new content. Returns
// false if Scylla.db is damaged. Throws only FileError.
bool IsTocUnfinished(const Sstable& sstable, const PinnedFolder& folder);

std::optional<uint32_t> FilterDigest(const Sstable& sstable,
                                     const PinnedFolder& folder);

// Changes the digest of Filter.db in Scylla.db, if there is one.
void SetFilterDigest(const Sstable& sstable, const PinnedFolder& folder,
                     uint32_t digest);
// `toc` is the new content of TOC.txt.
void SetTocDigest(const Sstable& sstable, const PinnedFolder& folder,
                  const std::string& toc);

// Puts the old digest of `record`, if it has one, back into Scylla.db. Throws a
// MendEnd if the present digest is neither the old digest nor that of a new
// filter in `record`.
void PutDigestBack(const Sstable& sstable, const PinnedFolder& folder,
                   const MendRecord& record);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_MENDING_DIGESTS_H_
