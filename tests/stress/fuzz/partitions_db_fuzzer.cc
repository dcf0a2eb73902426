// SPDX-License-Identifier: Apache-2.0

// Reads a Partitions.db, a Rows.db and a Data.db of any bytes. The keys must be
// those of a plain walk through the trie.
//
// The input begins with the sizes of Partitions.db and Rows.db, two bytes each.
// The three files follow.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/sstable_keys.h"
#include "tests/stress/fuzz/fuzz_input.h"
#include "tests/stress/fuzz/fuzz_reading.h"

namespace cassandra_bloom::testing {
namespace {

// Reads a big-endian number of `count` half bytes at half byte number `at`.
// Returns false if `bytes` ends too early.
bool HalfBytes(std::string_view bytes, uint64_t at, int count,
               uint64_t* number) {
  *number = 0;
  for (uint64_t i = at; i < at + static_cast<uint64_t>(count); ++i) {
    if (i / 2 >= bytes.size()) {
      return false;
    }
    const auto byte = static_cast<uint8_t>(bytes[i / 2]);
    *number = *number << 4 | (i % 2 == 0 ? byte >> 4 : byte & 0xfU);
  }
  return true;
}

struct Sstable {
  std::string partitions;
  std::string rows;
  std::string data;
};

class PlainWalk {
 public:
  explicit PlainWalk(const Sstable& sstable) : sstable_(sstable) {}

  Reading Read() {
    reading_.whole = Walk() && reading_.keys.size() == num_keys_;
    return reading_;
  }

 private:
  bool Walk() {
    const std::string_view file = sstable_.partitions;
    uint64_t keys_at = 0;
    uint64_t root = 0;
    if (file.size() < 24) {
      return false;
    }
    const uint64_t footer = file.size() - 24;
    HalfBytes(file, 2 * footer, 16, &keys_at);
    HalfBytes(file, 2 * footer + 16, 16, &num_keys_);
    HalfBytes(file, 2 * footer + 32, 16, &root);
    std::string_view keys =
        file.substr(0, footer).substr(std::min(keys_at, footer));
    if (keys_at == 0 || keys_at >= footer || num_keys_ == 0 ||
        num_keys_ > keys_at || root >= keys_at ||
        !TakeKey(&keys, &first_key_) || !TakeKey(&keys, &last_key_) ||
        !keys.empty()) {
      return false;
    }
    nodes_ = file.substr(0, keys_at);
    return Visit(root, 0);
  }

  bool Visit(uint64_t at, size_t depth) {
    constexpr int kBits[] = {0,  4,  8,  12, 16, 8,  12, 16,
                             24, 40, 12, 16, 24, 32, 40, 64};
    const std::string_view node = nodes_.substr(at);
    const int type = static_cast<uint8_t>(node[0]) >> 4;
    uint64_t flags = node[0] & 0xf;
    uint64_t count = type == 0 ? 0 : 1;
    uint64_t pointers_at = 4;  // In half bytes.
    uint64_t end = 0;          // In bytes, without the payload.
    const auto bits = static_cast<uint64_t>(kBits[type]);
    if (type == 1 || type == 3) {
      flags = 0;
      pointers_at = 1;
      end = type == 1 ? 2 : 3;
    } else if (type >= 5) {
      if (!HalfBytes(node, type < 10 ? 2 : 4, 2, &count)) {
        return false;
      }
      count += type < 10 ? 0 : 1;
      pointers_at = type < 10 ? 2 * (2 + count) : 6;
    }
    if (end == 0) {
      end = type == 0 ? 1 : (pointers_at + count * bits / 4 + 1) / 2;
    }
    const uint64_t payload_size = flags >= 8 ? flags - 6 : flags;
    if (end + payload_size > node.size() ||
        (flags != 0 && !Payload(node.substr(end, payload_size), flags))) {
      return false;
    }
    bool found = false;
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t distance = 0;
      HalfBytes(node, pointers_at + i * bits / 4, static_cast<int>(bits / 4),
                &distance);
      if (distance == 0 && type >= 10) {
        continue;
      }
      found = true;
      if (distance == 0 || distance > at || depth >= tools::kMaxTrieDepth ||
          !Visit(at - distance, depth + 1)) {
        return false;
      }
    }
    return type == 0 ? flags != 0 : found;
  }

  bool Payload(std::string_view bytes, uint64_t flags) {
    bytes.remove_prefix(flags >= 8 ? 1 : 0);
    uint64_t position = (bytes[0] & 0x80) != 0 ? UINT64_MAX : 0;
    for (const char byte : bytes) {
      position = position << 8 | static_cast<uint8_t>(byte);
    }
    if (position >> 63 != 0) {
      return Partition(~position, nullptr);
    }
    std::string_view key;
    std::string_view rows = sstable_.rows;
    rows.remove_prefix(std::min<uint64_t>(position, rows.size()));
    return TakeKey(&rows, &key) && TakeVInt(&rows, &position) &&
           Partition(position, &key);
  }

  // Adds the partition at `position` of Data.db. Returns false if the partition
  // is not valid. `key` is the partition's key, or null if the key is in
  // Data.db.
  bool Partition(uint64_t position, const std::string_view* key) {
    if (position >= sstable_.data.size() ||
        (reading_.keys.empty() ? position != 0 : position < last_end_)) {
      return false;
    }
    std::string_view data = sstable_.data;
    data.remove_prefix(position);
    std::string_view found;
    if (key != nullptr) {
      found = *key;
    } else if (!TakeKey(&data, &found)) {
      return false;
    }
    if (sstable_.data.size() - position < 2 + found.size()) {
      return false;
    }
    last_end_ = position + 2 + found.size();
    const size_t number = reading_.keys.size();
    if (number == num_keys_ || (number == 0 && found != first_key_) ||
        (number + 1 == num_keys_ && found != last_key_)) {
      return false;
    }
    reading_.keys.emplace_back(found);
    return true;
  }

  const Sstable& sstable_;
  std::string_view nodes_;
  std::string_view first_key_;
  std::string_view last_key_;
  uint64_t num_keys_ = 0;
  uint64_t last_end_ = 0;
  Reading reading_;
};

void Check(const Sstable& sstable) {
  const TempDir& folder = FuzzFolder();
  WriteFile(folder / "Partitions.db", sstable.partitions);
  WriteFile(folder / "Rows.db", sstable.rows);
  WriteFile(folder / "Data.db", sstable.data);
  const Reading expected = PlainWalk(sstable).Read();
  std::string error;
  const auto reader = tools::OpenSstableKeys(folder / "Partitions.db", "da",
                                             tools::KeyChecks::kCheap, &error);
  FUZZ_CHECK((reader == nullptr) == !error.empty());
  if (reader == nullptr) {
    FUZZ_CHECK(expected.keys.empty() && !expected.whole);
    return;
  }
  FUZZ_CHECK(ReadAll(reader.get()) == expected);
}

}  // namespace
}  // namespace cassandra_bloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cassandra_bloom::testing::FuzzInput input(data, size);
  cassandra_bloom::testing::Sstable sstable;
  const auto partitions_size = static_cast<size_t>(input.Number(2));
  const auto rows_size = static_cast<size_t>(input.Number(2));
  sstable.partitions = input.Bytes(partitions_size);
  sstable.rows = input.Bytes(rows_size);
  sstable.data = input.Bytes(size);
  cassandra_bloom::testing::Check(sstable);
  return 0;
}
