// SPDX-License-Identifier: Apache-2.0

// Scylla.db, a component that only ScyllaDB writes. Newer ones hold digests:
// the CRC-32 of the other components. ScyllaDB refuses an SSTable if a
// component that it reads has another one (sstable::validate_component_digest).

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_SCYLLA_DB_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_SCYLLA_DB_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace cassandra_bloom::tools {

// In bytes. A real Scylla.db is far smaller.
constexpr uint64_t kMaxScyllaDbSize = uint64_t{1} << 30;

// The numbers that stand for components (sstables/component_type.hh).
enum class DigestOf : uint32_t { kToc = 3, kFilter = 7 };

// The content of a Scylla.db: the number of its parts (uint32) and, for each
// part, a tag (uint32), a size in bytes (uint32) and the bytes. With digests,
// the CRC-32 of all that follows (uint32). The numbers are big-endian.
// (docs/dev/sstable-scylla-format.md, and struct scylla_metadata in
// sstables/types.hh, of ScyllaDB.)
class ScyllaDb {
 public:
  // Returns nothing if the content is damaged or has an unknown layout: if it
  // does not end after its last part or its CRC-32, or if a component has two
  // digests. Parts of unknown tags are allowed.
  static std::optional<ScyllaDb> Parse(std::string content);

  bool has_digests() const { return has_digests_; }
  // Whether the CRC-32 at the end is that of the content. True without digests.
  bool is_intact() const;

  // The digest of a component, if there is one.
  std::optional<uint32_t> Digest(DigestOf component) const;
  // Changes the digest of a component and the CRC-32 at the end, and no other
  // byte. Does nothing if there is no such digest.
  void SetDigest(DigestOf component, uint32_t digest);

  const std::string& content() const { return content_; }

 private:
  explicit ScyllaDb(std::string content) : content_(std::move(content)) {}
  bool FindDigests();
  bool ReadDigests(size_t begin, size_t size);
  uint32_t At(size_t offset) const;
  // The CRC-32 of the content, without the last four bytes.
  uint32_t OwnDigest() const;

  std::string content_;
  bool has_digests_ = false;
  std::map<uint32_t, size_t> offsets_;  // Where the digest of a component is.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_SCYLLA_DB_H_
