// SPDX-License-Identifier: Apache-2.0

// Scylla.db is a file of an SSTable that only ScyllaDB writes. Newer versions
// hold digests, the CRC-32 values of the other files. ScyllaDB refuses an
// SSTable if the digest of a file differs (sstable::validate_component_digest).

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_SCYLLA_DB_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_SCYLLA_DB_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace cassandra_bloom::tools {

// In bytes. A real Scylla.db is far smaller.
constexpr uint64_t kMaxScyllaDbSize = uint64_t{16} << 20;

// ScyllaDB's numbers for TOC.txt and Filter.db (sstables/component_type.hh).
enum class DigestOf : uint32_t { kToc = 3, kFilter = 7 };

// The content of a Scylla.db begins with the number of parts (uint32). Each
// part has a tag (uint32), a size in bytes (uint32), and the bytes. If there
// are digests, the content ends with the CRC-32 (uint32) of all bytes before
// it. The numbers are big-endian. (docs/dev/sstable-scylla-format.md, and
// struct scylla_metadata in sstables/types.hh, of ScyllaDB.)
class ScyllaDb {
 public:
  // Returns nothing, and sets `*error`, if the content has another CRC-32 than
  // it says. Throws NotSupported if its layout is unknown. `path` names the
  // file in the error.
  static std::optional<ScyllaDb> Parse(const std::string& path,
                                       std::string content, std::string* error);

  // Whether the other files of the SSTable are encrypted.
  bool is_encrypted() const { return is_encrypted_; }

  std::optional<uint32_t> Digest(DigestOf component) const;
  // Also updates the CRC-32 at the end. Does nothing if the component has no
  // digest.
  void SetDigest(DigestOf component, uint32_t digest);

  const std::string& content() const { return content_; }

 private:
  explicit ScyllaDb(std::string content) : content_(std::move(content)) {}
  bool FindDigests();
  bool ReadDigests(size_t begin, size_t size);
  uint32_t At(size_t offset) const;
  uint32_t OwnDigest() const;

  std::string content_;
  bool has_digests_ = false;
  bool is_encrypted_ = false;
  std::map<uint32_t, size_t> offsets_;  // Where each component's digest is.
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_SCYLLA_DB_H_
