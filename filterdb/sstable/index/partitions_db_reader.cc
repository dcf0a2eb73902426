// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/index/partitions_db_reader.h"

#include <algorithm>
#include <utility>

#include "filterdb/sstable/bytes/byte_reader.h"

namespace cassandra_bloom::tools {
namespace {

constexpr uint64_t kFooterSize = 3 * 8;
constexpr size_t kCachedPagesOfTrie = 128;
constexpr int32_t kNotEntered = -1;

}  // namespace

PartitionsDbReader::PartitionsDbReader(
    std::unique_ptr<RandomAccessFile> partitions,
    std::unique_ptr<ByteSource> rows)
    : pages_(std::move(partitions), kCachedPagesOfTrie),
      rows_(std::move(rows)) {}

std::unique_ptr<PartitionsDbReader> PartitionsDbReader::Open(
    const std::string& path, std::string* error) {
  auto partitions = RandomAccessFile::Open(path, error);
  if (partitions == nullptr) {
    return nullptr;
  }
  auto rows = RandomAccessFile::Open(
      path.substr(0, path.size() - kPartitionsDb.size()) + "Rows.db", error);
  if (rows == nullptr) {
    return nullptr;
  }
  std::unique_ptr<PartitionsDbReader> reader(
      new PartitionsDbReader(std::move(partitions), std::move(rows)));
  if (!reader->ReadFooter()) {
    *error = reader->error_;
    return nullptr;
  }
  return reader;
}

bool PartitionsDbReader::Fail(uint64_t position, const std::string& what) {
  return FailAtByte(path(), position, what + "; the file is damaged", &error_);
}

bool PartitionsDbReader::ReadFooter() {
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
                                std::to_string(first_key_position) + " bytes");
  }
  if (root < 0 || root >= first_key_position) {
    return Fail(footer + 16, "the root's position " + std::to_string(root) +
                                 " is not within the trie of " +
                                 std::to_string(first_key_position) + " bytes");
  }
  first_key_position_ = static_cast<uint64_t>(first_key_position);
  num_keys_ = static_cast<uint64_t>(num_keys);
  root_ = static_cast<uint64_t>(root);
  path_to_next_ = {{root_, 0, kNotEntered}};
  reader.GoTo(first_key_position_);
  first_key_ = reader.Text("the first key; the file is damaged");
  last_key_ = reader.Text("the last key; the file is damaged");
  error_ = reader.error();
  return reader.good() &&
         (reader.offset() == footer ||
          Fail(first_key_position_, "the first and the last key end at byte " +
                                        std::to_string(reader.offset()) +
                                        ", and the footer begins at " +
                                        std::to_string(footer)));
}

bool PartitionsDbReader::Next(IndexEntry* entry) {
  TriePayload payload;
  if (!error_.empty() || !NextPayload(&payload, &entry->offset)) {
    return false;
  }
  entry->path = &path();
  entry->hash =
      payload.has_hash ? std::make_optional(payload.hash) : std::nullopt;
  if (payload.position >= 0) {
    return ReadRowsEntry(static_cast<uint64_t>(payload.position), entry);
  }
  entry->key = std::nullopt;
  entry->position = static_cast<uint64_t>(~payload.position);
  return true;
}

// An entry of Rows.db has the key, the position in Data.db, and the index of
// the partition's rows (io.sstable.format.bti.TrieIndexEntry).
bool PartitionsDbReader::ReadRowsEntry(uint64_t position, IndexEntry* entry) {
  if (position >= rows_->size()) {
    return FailAtByte(path(), entry->offset,
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

bool PartitionsDbReader::NextPayload(TriePayload* payload,
                                     uint64_t* node_position) {
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

// `node` is the last node of path_to_next_, and is removed there after its last
// slot. Its next child, if there is one, is added.
bool PartitionsDbReader::GoToNextChild(std::string_view bytes,
                                       const TrieNode& node) {
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
           Fail(parent.position, "a node of type " + std::to_string(node.type) +
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

bool PartitionsDbReader::ReadNode(uint64_t position, std::string_view* bytes,
                                  TrieNode* node) {
  const auto whole = [&bytes, &node] {
    return DecodeTrieNode(*bytes, node) &&
           bytes->size() - node->size >= PayloadSize(node->payload_flags);
  };
  const uint64_t left = first_key_position_ - position;
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

}  // namespace cassandra_bloom::tools
