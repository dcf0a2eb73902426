// SPDX-License-Identifier: Apache-2.0

// Keeps the digests in Scylla.db right when mending changes Filter.db and
// TOC.txt.
//
// Two files cannot be changed at one moment. Scylla.db gets the digest of a new
// file when that is written, just before it gets its name. If the process is
// killed between the two, or the name cannot be given, scan finds the digest
// wrong, and the next mend or undo makes both files right. A digest that is
// wrong for another reason is left: to change it would hide the damage.
//
// Functions that fail throw a MendEnd or a FileError.
// Tested in tests/filterdb/mend/mend_digests_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_DIGESTS_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_DIGESTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "tools/sstable/mending/mend_record.h"
#include "tools/sstable/mending/pinned_folder.h"
#include "tools/sstable/sstable.h"

namespace cassandra_bloom::tools {

// Whether Scylla.db has digests that change with these files. Throws a MendEnd
// if it cannot be changed safely, because Scylla.db is damaged or has an
// unknown layout, or if TOC.txt is not the one that its digest is of.
bool HasDigests(const Sstable& sstable, const PinnedFolder& folder,
                bool of_filter, bool of_toc);

// Whether a mend was killed between the new digest of TOC.txt and the new
// TOC.txt. Throws nothing but a FileError; false if Scylla.db is damaged.
bool IsTocUnfinished(const Sstable& sstable, const PinnedFolder& folder);

// The digest of Filter.db, if there is one.
std::optional<uint32_t> FilterDigest(const Sstable& sstable,
                                     const PinnedFolder& folder);

// Changes a digest in Scylla.db, if there is one.
void SetFilterDigest(const Sstable& sstable, const PinnedFolder& folder,
                     uint32_t digest);
// `toc`: the new content of TOC.txt.
void SetTocDigest(const Sstable& sstable, const PinnedFolder& folder,
                  const std::string& toc);

// Puts the digest of the old filter back, if the record has one. If Scylla.db
// has neither this digest nor that of a new filter of the record, throws a
// MendEnd.
void PutDigestBack(const Sstable& sstable, const PinnedFolder& folder,
                   const MendRecord& record);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_DIGESTS_H_
