// SPDX-License-Identifier: Apache-2.0

// Reads the trie index of an SSTable: Partitions.db, and Rows.db for large
// partitions. Partitions.db has only prefixes of the keys. So the keys of small
// partitions are in Data.db alone.
//
//    +-------+-----------+----------+---------------+--------+------+
//    | nodes | first key | last key | first key at  | number | root |
//    |       |           |          |               | of keys|      |
//    +-------+-----------+----------+---------------+--------+------+
//             uint16 length, key     int64           int64    int64
//
// trie_node.h describes the nodes. The path to a partition is a prefix of the
// byte-comparable form of its key. (io.sstable.format.bti.PartitionIndex and
// PartitionIndexBuilder in cassandra-5.0.1.)

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "filterdb/sstable/bytes/byte_reader.h"
#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/index/trie_node.h"

namespace cassandra_bloom::tools {
namespace {

constexpr uint64_t kFooterSize = 3 * 8;
constexpr size_t kCachedPagesOfTrie = 128;
constexpr int32_t kNotEntered = -1;

class PartitionsDbReader final : public IndexReader {
 public:
  PartitionsDbReader(std::unique_ptr<RandomAccessFile> partitions,
                     std::unique_ptr<ByteSource> rows)
      : pages_(std::move(partitions), kCachedPagesOfTrie),
        rows_(std::move(rows)) {}

  // Call this first.
  bool ReadFooter() {
    if (pages_.size() < kFooterSize) {
      return Fail(0, "a Partitions.db has at least 24 bytes, not " +
                         std::to_string(pages_.size()));
    }
    const uint64_t footer = pages_.size() - kFooterSize;
    ByteReader reader(&pages_);
    reader.GoTo(footer);
    const int64_t first_key_position = reader.Int64("the footer");
    const int64_t num_keys = reader.Int64("the footer");
    const int64_t root = reader.Int64("the footer");
    if (!reader.good()) {
      error_ = reader.error();
      return false;
    }
    if (first_key_position <= 0 ||
        static_cast<uint64_t>(first_key_position) >= footer) {
      return Fail(footer, "the first key's position " +
                              std::to_string(first_key_position) +
                              " is not within the file");
    }
    // Each key needs a node, and each node takes at least one byte.
    if (num_keys <= 0 || num_keys > first_key_position) {
      return Fail(footer + 8, std::to_string(num_keys) + " keys in a trie of " +
                                  std::to_string(first_key_position) +
                                  " bytes");
    }
    if (root < 0 || root >= first_key_position) {
      return Fail(footer + 16, "the root's position " + std::to_string(root) +
                                   " is not within the trie of " +
                                   std::to_string(first_key_position) +
                                   " bytes");
    }
    root_ = static_cast<uint64_t>(root);
    path_to_next_ = {{root_, 0, kNotEntered}};
    trie_size_ = static_cast<uint64_t>(first_key_position);
    num_keys_ = static_cast<uint64_t>(num_keys);
    reader.GoTo(trie_size_);
    footer_ = {pages_.path(), trie_size_, num_keys_, "", ""};
    footer_->first_key = reader.Text("the first key; the file is damaged");
    footer_->last_key = reader.Text("the last key; the file is damaged");
    error_ = reader.error();
    return reader.good() &&
           (reader.offset() == footer ||
            Fail(trie_size_, "the first and the last key end at byte " +
                                 std::to_string(reader.offset()) +
                                 ", and the footer begins at " +
                                 std::to_string(footer)));
  }

  bool Next(IndexEntry* entry) override {
    TriePayload payload;
    if (!error_.empty() || !NextPayload(&payload, &entry->offset)) {
      return false;
    }
    entry->path = &pages_.path();
    entry->hash =
        payload.has_hash ? std::make_optional(payload.hash) : std::nullopt;
    if (payload.position >= 0) {
      return ReadRowsEntry(static_cast<uint64_t>(payload.position), entry);
    }
    entry->key = std::nullopt;
    entry->position = static_cast<uint64_t>(~payload.position);
    return true;
  }

 private:
  struct Step {
    uint64_t position;
    uint32_t depth;     // In transitions; 0 for the root.
    int32_t next_slot;  // kNotEntered if its payload comes before its slots.
  };

  // An entry of Rows.db has the key, the position in Data.db, and the index of
  // the partition's rows (io.sstable.format.bti.TrieIndexEntry).
  bool ReadRowsEntry(uint64_t position, IndexEntry* entry) {
    if (position >= rows_->size()) {
      return FailAtByte(pages_.path(), entry->offset,
                        "a partition at position " + std::to_string(position) +
                            " of Rows.db, which has " +
                            std::to_string(rows_->size()) +
                            " bytes; one of the two files is damaged",
                        &error_);
    }
    ByteReader reader(rows_.get());
    reader.GoTo(position);
    rows_key_ = reader.Text("a key; the file is damaged");
    entry->key = rows_key_;
    entry->path = &rows_->path();
    entry->offset = reader.offset();
    entry->position = reader.VInt("a position; the file is damaged");
    error_ = reader.error();
    return reader.good();
  }

  // Gets the payload of the next partition, and the offset of its node.
  bool NextPayload(TriePayload* payload, uint64_t* node_position) {
    while (!path_to_next_.empty()) {
      const Step step = path_to_next_.back();
      std::string_view bytes;
      TrieNode node;
      if (!ReadNode(step.position, &bytes, &node)) {
        return false;
      }
      if (step.next_slot != kNotEntered) {
        if (!GoToNextChild(bytes, node)) {
          return false;
        }
        continue;
      }
      path_to_next_.back().next_slot = 0;
      if (node.type == 0) {  // A leaf.
        path_to_next_.pop_back();
      }
      if (node.payload_flags != 0) {
        *payload = DecodePayload(bytes.substr(node.size), node.payload_flags);
        *node_position = step.position;
        return ++num_found_ <= num_keys_ ||
               Fail(step.position,
                    "the trie has more keys than the footer says, " +
                        std::to_string(num_keys_));
      }
      if (node.type == 0) {
        return Fail(step.position, "a leaf without a payload");
      }
    }
    return num_found_ != num_keys_ &&
           Fail(root_, "the trie has " + std::to_string(num_found_) +
                           " keys, but the footer says " +
                           std::to_string(num_keys_));
  }

  // `node` is the last node of path_to_next_, and is removed there after its
  // last slot. Its next child, if there is one, is added.
  bool GoToNextChild(std::string_view bytes, const TrieNode& node) {
    const Step parent = path_to_next_.back();
    int32_t slot = parent.next_slot;
    uint64_t distance = 0;
    while (distance == 0 && slot < node.num_slots) {
      distance = TransitionOf(bytes, node, slot++).distance;
      if (distance == 0 && node.type < kFirstTypeWithAbsentChildren) {
        return Fail(parent.position, "a node is its own child");
      }
    }
    path_to_next_.back().next_slot = slot;
    if (slot == node.num_slots) {
      path_to_next_.pop_back();
    }
    if (distance == 0) {
      return parent.next_slot > 0 ||
             Fail(parent.position, "a node of type " +
                                       std::to_string(node.type) +
                                       " without children");
    }
    if (distance > parent.position) {
      return Fail(parent.position, "a child " + std::to_string(distance) +
                                       " bytes before, outside of the file");
    }
    if (parent.depth >= kMaxTrieDepth) {
      return Fail(parent.position,
                  "a path that is longer than that of the longest key");
    }
    path_to_next_.push_back(
        {parent.position - distance, parent.depth + 1, kNotEntered});
    return true;
  }

  bool ReadNode(uint64_t position, std::string_view* bytes, TrieNode* node) {
    const auto whole = [&bytes, &node] {
      return DecodeTrieNode(*bytes, node) &&
             bytes->size() - node->size >= PayloadSize(node->payload_flags);
    };
    const uint64_t left = trie_size_ - position;
    if (!pages_.ReadSome(position, bytes, &error_)) {
      return false;
    }
    *bytes = bytes->substr(
        0, static_cast<size_t>(std::min<uint64_t>(bytes->size(), left)));
    if (whole()) {
      return true;
    }
    const auto size =
        static_cast<size_t>(std::min<uint64_t>(kMaxTrieNodeSize, left));
    if (!pages_.Read(position, size, bytes, &error_)) {
      return false;
    }
    return whole() ||
           Fail(position,
                "a node of type " +
                    std::to_string(static_cast<uint8_t>(bytes->front()) >> 4) +
                    " that ends beyond the trie");
  }

  bool Fail(uint64_t position, const std::string& what) {
    return FailAtByte(pages_.path(), position, what + "; the file is damaged",
                      &error_);
  }

  PageCache pages_;
  const std::unique_ptr<ByteSource> rows_;
  uint64_t trie_size_ = 0;  // All nodes lie before this offset.
  uint64_t num_keys_ = 0;   // As the footer says.
  uint64_t root_ = 0;

  uint64_t num_found_ = 0;
  std::vector<Step> path_to_next_;
  std::string rows_key_;
};

}  // namespace

std::unique_ptr<IndexReader> OpenPartitionsDb(const std::string& path,
                                              std::string* error) {
  auto partitions = RandomAccessFile::Open(path, error);
  if (partitions == nullptr) {
    return nullptr;
  }
  auto rows = RandomAccessFile::Open(
      path.substr(0, path.size() - kPartitionsDb.size()) + "Rows.db", error);
  if (rows == nullptr) {
    return nullptr;
  }
  auto reader = std::make_unique<PartitionsDbReader>(std::move(partitions),
                                                     std::move(rows));
  if (!reader->ReadFooter()) {
    *error = reader->error();
    return nullptr;
  }
  return reader;
}

}  // namespace cassandra_bloom::tools
