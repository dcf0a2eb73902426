// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/digests.h"

#include <algorithm>

#include "filterdb/mending/mend_outcome.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/scylla_db.h"
#include "filterdb/sstable/toc.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kScyllaDb[] = "Scylla.db";

// Returns nothing if Scylla.db is damaged or has an unknown layout.
std::optional<ScyllaDb> Parse(const Sstable& sstable,
                              const PinnedFolder& folder) {
  auto scylla = ScyllaDb::Parse(
      folder.Read(sstable.name_prefix + kScyllaDb, kMaxScyllaDbSize));
  return scylla && scylla->is_intact() ? scylla : std::nullopt;
}

// Returns nothing if there is no Scylla.db, or if it has no digests. Throws a
// MendEnd if Scylla.db is damaged or has an unknown layout.
std::optional<ScyllaDb> ReadDigests(const Sstable& sstable,
                                    const PinnedFolder& folder) {
  if (!folder.HasFile(sstable.name_prefix + kScyllaDb)) {
    return std::nullopt;
  }
  auto scylla = Parse(sstable, folder);
  if (!scylla) {
    Leave(
        "Scylla.db is damaged or has an unknown layout, and may hold the "
        "checksum of its filter; restore it, or use --out-dir, put the filter "
        "in place and set ignore_component_digest_mismatch");
  }
  return scylla->has_digests() ? scylla : std::nullopt;
}

// Returns kThis if Scylla.db has no digest of TOC.txt.
TocDigest TocDigestOf(const Sstable& sstable, const PinnedFolder& folder,
                      const ScyllaDb& scylla) {
  const std::string name = sstable.name_prefix + kTocName;
  const auto digest = scylla.Digest(DigestOf::kToc);
  return digest && folder.HasFile(name)
             ? CompareToc(folder.Read(name, kMaxTocSize), *digest)
             : TocDigest::kThis;
}

void SetDigest(const Sstable& sstable, const PinnedFolder& folder,
               DigestOf component, uint32_t digest) {
  auto scylla = ReadDigests(sstable, folder);
  if (!scylla || scylla->Digest(component).value_or(digest) == digest) {
    return;
  }
  scylla->SetDigest(component, digest);
  const std::string name = sstable.name_prefix + kScyllaDb;
  folder.Replace(name, name, ContentOf(scylla->content()),
                 /*before_naming=*/nullptr);
}

}  // namespace

bool HasDigests(const Sstable& sstable, const PinnedFolder& folder,
                bool of_filter, bool of_toc) {
  const auto scylla = ReadDigests(sstable, folder);
  if (!scylla) {
    return false;
  }
  if (TocDigestOf(sstable, folder, *scylla) == TocDigest::kOther) {
    Leave(std::string("its TOC.txt ") + kTocIsOther +
          ", or let ScyllaDB load the SSTable with "
          "ignore_component_digest_mismatch and rewrite it");
  }
  return (of_filter && scylla->Digest(DigestOf::kFilter)) ||
         (of_toc && scylla->Digest(DigestOf::kToc));
}

bool IsTocUnfinished(const Sstable& sstable, const PinnedFolder& folder) {
  if (!folder.HasFile(sstable.name_prefix + kScyllaDb)) {
    return false;
  }
  const auto scylla = Parse(sstable, folder);
  return scylla &&
         TocDigestOf(sstable, folder, *scylla) == TocDigest::kCompleted;
}

std::optional<uint32_t> FilterDigest(const Sstable& sstable,
                                     const PinnedFolder& folder) {
  const auto scylla = ReadDigests(sstable, folder);
  return scylla ? scylla->Digest(DigestOf::kFilter) : std::nullopt;
}

void SetFilterDigest(const Sstable& sstable, const PinnedFolder& folder,
                     uint32_t digest) {
  SetDigest(sstable, folder, DigestOf::kFilter, digest);
}

void SetTocDigest(const Sstable& sstable, const PinnedFolder& folder,
                  const std::string& toc) {
  SetDigest(sstable, folder, DigestOf::kToc, Crc32(toc));
}

void PutDigestBack(const Sstable& sstable, const PinnedFolder& folder,
                   const MendRecord& record) {
  if (!record.old_digest) {
    return;
  }
  const auto now = FilterDigest(sstable, folder);
  if (now != record.old_digest &&
      std::none_of(record.new_filters.begin(), record.new_filters.end(),
                   [&](const FileSum& filter) { return filter.crc == now; })) {
    Leave(sstable.Path(kScyllaDb) + ": has changed since it was mended");
  }
  SetFilterDigest(sstable, folder, *record.old_digest);
}

}  // namespace cassandra_bloom::tools
