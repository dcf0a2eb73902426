// SPDX-License-Identifier: Apache-2.0

// Keeps the digests in Scylla.db right when mending changes Filter.db and
// TOC.txt.
//
// The files cannot be changed at one moment. If the process is killed after the
// filter was replaced and before Scylla.db was, scan finds the digest wrong,
// and the next mend makes both anew. The next undo puts both back.
//
// Functions that fail throw a MendEnd or a FileError.
// Tested in tests/filterdb/mend/mend_digests_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_DIGESTS_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_DIGESTS_H_

#include <cstdint>
#include <optional>

#include "tools/sstable/mending/mend_record.h"
#include "tools/sstable/mending/pinned_folder.h"
#include "tools/sstable/scylla_db.h"
#include "tools/sstable/sstable.h"

namespace cassandra_bloom::tools {

// Reads Scylla.db. Returns nothing if there is none, or if it has no digests.
// Throws a MendEnd if it cannot be changed safely: it is damaged, or has an
// unknown layout.
std::optional<ScyllaDb> ReadDigests(const Sstable& sstable,
                                    const PinnedFolder& folder);

// Throws a MendEnd if there are digests which `may_rewrite` forbids to change,
// or which cannot be changed.
void CheckDigests(const Sstable& sstable, const PinnedFolder& folder,
                  bool may_rewrite);

// The digest of Filter.db, if there is one.
std::optional<uint32_t> FilterDigest(const Sstable& sstable,
                                     const PinnedFolder& folder);

// If there are digests, gives Scylla.db that of the TOC.txt in place, and
// `filter` as that of Filter.db, unless it is null.
void RewriteDigests(const Sstable& sstable, const PinnedFolder& folder,
                    const FileSum* filter);

// Puts the digest of the old filter back, if the record has one. If Scylla.db
// has neither this digest nor that of a new filter of the record, throws a
// MendEnd.
void PutDigestBack(const Sstable& sstable, const PinnedFolder& folder,
                   const MendRecord& record);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_MENDING_DIGESTS_H_
