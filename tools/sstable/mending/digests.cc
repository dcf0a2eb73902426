// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/mending/digests.h"

#include <algorithm>
#include <string>

#include "tools/sstable/mending/mend_outcome.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kScyllaDb[] = "Scylla.db";
constexpr char kToc[] = "TOC.txt";

constexpr char kOtherWays[] =
    "use --out-dir, put the filter in place and set "
    "ignore_component_digest_mismatch, or let ScyllaDB rewrite the SSTable "
    "(nodetool upgradesstables -a)";

void Write(const Sstable& sstable, const PinnedFolder& folder,
           const ScyllaDb& scylla) {
  const std::string name = sstable.name_prefix + kScyllaDb;
  folder.Replace(name, name, ContentOf(scylla.content()),
                 /*before_naming=*/nullptr);
}

}  // namespace

std::optional<ScyllaDb> ReadDigests(const Sstable& sstable,
                                    const PinnedFolder& folder) {
  const std::string name = sstable.name_prefix + kScyllaDb;
  if (!folder.HasFile(name)) {
    return std::nullopt;
  }
  auto scylla = ScyllaDb::Parse(folder.Read(name, kMaxScyllaDbSize));
  if (!scylla || !scylla->is_intact()) {
    Leave(std::string("Scylla.db is damaged or has an unknown layout, and may "
                      "hold the checksum of its filter; ") +
          kOtherWays);
  }
  return scylla->has_digests() ? scylla : std::nullopt;
}

void CheckDigests(const Sstable& sstable, const PinnedFolder& folder,
                  bool may_rewrite) {
  if (!ReadDigests(sstable, folder)) {
    return;
  }
  if (!may_rewrite) {
    Leave(std::string("Scylla.db holds the checksum of its filter, and "
                      "ScyllaDB would refuse the SSTable; give "
                      "--rewrite-digests, or ") +
          kOtherWays);
  }
  FailFor(folder.ReasonNotToKeepOwner(sstable.name_prefix + kScyllaDb));
}

std::optional<uint32_t> FilterDigest(const Sstable& sstable,
                                     const PinnedFolder& folder) {
  const auto scylla = ReadDigests(sstable, folder);
  return scylla ? scylla->Digest(DigestOf::kFilter) : std::nullopt;
}

void RewriteDigests(const Sstable& sstable, const PinnedFolder& folder,
                    const FileSum* filter) {
  auto scylla = ReadDigests(sstable, folder);
  if (!scylla) {
    return;
  }
  const std::string before = scylla->content();
  const std::string toc = sstable.name_prefix + kToc;
  if (filter != nullptr) {
    scylla->SetDigest(DigestOf::kFilter, filter->crc);
  }
  if (folder.HasFile(toc)) {
    scylla->SetDigest(DigestOf::kToc, folder.Sum(toc, {}, [] {}).crc);
  }
  if (scylla->content() != before) {
    Write(sstable, folder, *scylla);
  }
}

void PutDigestBack(const Sstable& sstable, const PinnedFolder& folder,
                   const MendRecord& record) {
  if (!record.old_digest) {
    return;
  }
  auto scylla = ReadDigests(sstable, folder);
  const auto now = scylla ? scylla->Digest(DigestOf::kFilter) : std::nullopt;
  if (now == record.old_digest) {
    return;
  }
  if (std::none_of(record.new_filters.begin(), record.new_filters.end(),
                   [&](const FileSum& filter) { return filter.crc == now; })) {
    Leave(sstable.Path(kScyllaDb) + ": has changed since it was mended");
  }
  scylla->SetDigest(DigestOf::kFilter, *record.old_digest);
  Write(sstable, folder, *scylla);
}

}  // namespace cassandra_bloom::tools
