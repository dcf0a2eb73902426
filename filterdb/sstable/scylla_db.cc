// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/scylla_db.h"

#include <string_view>
#include <utility>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "plugin/filter/endian.h"

namespace cassandra_bloom::tools {
namespace {

// The tag of the part with the digests
// (scylla_metadata_type::ComponentsDigests).
constexpr uint32_t kComponentsDigests = 12;

// The tag of the part with attributes of extensions
// (scylla_metadata_type::ExtensionAttributes), and the attribute by which
// ScyllaDB's encryption at rest marks an SSTable: then every file but Scylla.db
// is cipher text.
constexpr uint32_t kExtensionAttributes = 3;
constexpr std::string_view kEncryption = "scylla_encryption_options";

constexpr size_t kNumberSize = sizeof(uint32_t);

}  // namespace

std::optional<ScyllaDb> ScyllaDb::Parse(const std::string& path,
                                        std::string content,
                                        std::string* error) {
  ScyllaDb scylla(std::move(content));
  if (!scylla.FindDigests()) {
    throw NotSupported(path + ": this layout of a Scylla.db");
  }
  if (scylla.has_digests_ &&
      scylla.At(scylla.content_.size() - kNumberSize) != scylla.OwnDigest()) {
    *error = path + ": is damaged: its own CRC-32 is another one";
    return std::nullopt;
  }
  return scylla;
}

uint32_t ScyllaDb::At(size_t offset) const {
  return static_cast<uint32_t>(LoadBigEndian32(&content_[offset]));
}

uint32_t ScyllaDb::OwnDigest() const {
  return Crc32(
      std::string_view(content_).substr(0, content_.size() - kNumberSize));
}

bool ScyllaDb::FindDigests() {
  if (content_.size() < kNumberSize) {
    return false;
  }
  const uint32_t num_parts = At(0);
  size_t at = kNumberSize;
  for (uint32_t i = 0; i < num_parts; ++i) {
    if (content_.size() - at < 2 * kNumberSize) {
      return false;
    }
    const uint32_t tag = At(at);
    const uint32_t size = At(at + kNumberSize);
    at += 2 * kNumberSize;
    if (size > content_.size() - at ||
        (tag == kComponentsDigests && !ReadDigests(at, size))) {
      return false;
    }
    is_encrypted_ |= tag == kExtensionAttributes &&
                     std::string_view(content_).substr(at, size).find(
                         kEncryption) != std::string_view::npos;
    at += size;
  }
  return content_.size() - at == (has_digests_ ? kNumberSize : 0);
}

// The part with the digests begins with the number of its entries. Each entry
// is the number of a component, and its digest.
bool ScyllaDb::ReadDigests(size_t begin, size_t size) {
  constexpr size_t kEntrySize = 2 * kNumberSize;
  if (has_digests_ || size % kEntrySize != kNumberSize ||
      At(begin) != size / kEntrySize) {
    return false;
  }
  has_digests_ = true;
  for (size_t at = begin + kNumberSize; at < begin + size; at += kEntrySize) {
    if (!offsets_.emplace(At(at), at + kNumberSize).second) {
      return false;
    }
  }
  return true;
}

std::optional<uint32_t> ScyllaDb::Digest(DigestOf component) const {
  const auto found = offsets_.find(static_cast<uint32_t>(component));
  return found == offsets_.end() ? std::nullopt
                                 : std::optional(At(found->second));
}

void ScyllaDb::SetDigest(DigestOf component, uint32_t digest) {
  const auto found = offsets_.find(static_cast<uint32_t>(component));
  if (found == offsets_.end()) {
    return;
  }
  StoreBigEndian32(static_cast<int32_t>(digest), &content_[found->second]);
  StoreBigEndian32(static_cast<int32_t>(OwnDigest()),
                   &content_[content_.size() - kNumberSize]);
}

}  // namespace cassandra_bloom::tools
