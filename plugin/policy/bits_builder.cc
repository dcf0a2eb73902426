// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/bits_builder.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/filter_view.h"
#include "plugin/policy/report.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

namespace {

// A filter that every key matches. It is in static memory, which no caller
// frees.
constexpr char kMatchAll[] =
    "\0\0\0\1"                          // The number of probes.
    "\0\0\0\1"                          // The number of words.
    "\xff\xff\xff\xff\xff\xff\xff\xff"  // The bits.
    "\0cb\xff\xff";                     // kTrailer.
static_assert(std::string_view(kMatchAll + FilterDbSize(1), sizeof(kTrailer)) ==
              std::string_view(kTrailer, sizeof(kTrailer)));

Hash128 Xor(Hash128 a, Hash128 b) { return {a.h1 ^ b.h1, a.h2 ^ b.h2}; }

Hash128 Checksum(const HashList& hashes) {
  Hash128 sum{};
  hashes.ForEachRun([&sum](const Hash128* run, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      sum = Xor(sum, run[i]);
    }
  });
  return sum;
}

// `filter_db` is the filter block without its trailer.
bool ContainsAll(const Slice& filter_db, const HashList& hashes) {
  ParsedFilter filter;
  if (!ParseFilterDb(filter_db.data(), filter_db.size(), &filter)) {
    return false;
  }
  const FilterView view(filter);
  bool all = true;
  hashes.ForEachRun([&](const Hash128* run, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      all &= view.MayContain(run[i]);
    }
  });
  return all;
}

}  // namespace

Hash128 CassandraBloomBitsBuilder::HashOfPartitionKey(const Slice& key) const {
  const std::string_view found = partition_key_.Extract(key.ToStringView());
  return CassandraMurmur3(found.data(), found.size());
}

void CassandraBloomBitsBuilder::Add(Hash128 hash) {
  if (!entries_.hashes.Add(hash)) {
    ++entries_.lost;
  } else if (detect_corruption_) {
    entries_.checksum = Xor(entries_.checksum, hash);
  }
}

void CassandraBloomBitsBuilder::AddKey(const Slice& key) {
  const Hash128 hash = HashOfPartitionKey(key);
  if (hash != entries_.last_key) {
    Add(hash);
    entries_.last_key = hash;
  }
}

#if CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT
void CassandraBloomBitsBuilder::AddKeyAndAlt(const Slice& key,
                                             const Slice& alt) {
  const Hash128 key_hash = HashOfPartitionKey(key);
  const Hash128 alt_hash = HashOfPartitionKey(alt);
  // Adds equal hashes only once. A key and its prefix have equal hashes if both
  // have the same partition key.
  if (alt_hash != entries_.last_alt && alt_hash != entries_.last_key &&
      alt_hash != key_hash) {
    Add(alt_hash);
  }
  if (key_hash != entries_.last_key && key_hash != entries_.last_alt) {
    Add(key_hash);
  }
  entries_.last_key = key_hash;
  entries_.last_alt = alt_hash;
}
#endif

size_t CassandraBloomBitsBuilder::EstimateEntriesAdded() {
  return entries_.hashes.size() + entries_.lost;
}

Slice CassandraBloomBitsBuilder::Finish(std::unique_ptr<const char[]>* buf) {
  return Finish(buf, nullptr);
}

Slice CassandraBloomBitsBuilder::Finish(std::unique_ptr<const char[]>* buf,
                                        Status* status) {
  // Resets the entries, even after an error. If a hash stayed in `last_key`,
  // that key would be missing from the next filter.
  Entries entries = std::exchange(entries_, Entries());
  unverified_.reset();
  if (status != nullptr) {
    *status = Status::OK();
  }
  if (detect_corruption_ && Checksum(entries.hashes) != entries.checksum) {
    if (status != nullptr) {
      *status = Status::Corruption(
          "cassandra_bloom: the hashes of the keys changed in memory before "
          "the filter was built");
    }
    return MatchAll();
  }
  const uint64_t num_keys = entries.hashes.size();
  const size_t size = BlockSize(num_keys);
  std::unique_ptr<char[]> block;
  if (entries.lost == 0) {
    block.reset(new (std::nothrow) char[size]());
  }
  if (block == nullptr) {
    if (!std::exchange(reported_no_memory_, true)) {
      ReportNoMemory(info_log_, num_keys + entries.lost);
    }
    return MatchAll();
  }
  BuildFilterDb(entries.hashes, sizing_.num_probes, NumWords(num_keys),
                block.get());
  const size_t trailer_size = TrailerSize(form_);
  std::memcpy(block.get() + size - trailer_size, kTrailer, trailer_size);
  if (detect_corruption_) {
    unverified_ = {std::move(entries), CassandraMurmur3(block.get(), size)};
  }
  const Slice content(block.get(), size);
  *buf = std::move(block);
  return content;
}

Slice CassandraBloomBitsBuilder::MatchAll() const {
  return {kMatchAll, FilterDbSize(1) + TrailerSize(form_)};
}

uint32_t CassandraBloomBitsBuilder::NumWords(uint64_t num_keys) const {
  return std::min(sizing_.NumWords(num_keys), MaxWords(form_));
}

size_t CassandraBloomBitsBuilder::BlockSize(uint64_t num_keys) const {
  return FilterDbSize(NumWords(num_keys)) + TrailerSize(form_);
}

Status CassandraBloomBitsBuilder::MaybePostVerify(const Slice& filter_content) {
  if (!unverified_) {
    return Status::OK();
  }
  const Unverified expected = *std::exchange(unverified_, std::nullopt);
  if (CassandraMurmur3(filter_content.data(), filter_content.size()) !=
      expected.content_hash) {
    return Status::Corruption(
        "cassandra_bloom: the filter changed in memory after it was built");
  }
  const Slice filter_db(filter_content.data(),
                        filter_content.size() - TrailerSize(form_));
  if (!ContainsAll(filter_db, expected.entries.hashes)) {
    return Status::Corruption(
        "cassandra_bloom: a key is missing from the filter just built");
  }
  return Status::OK();
}

size_t CassandraBloomBitsBuilder::ApproximateNumEntries(size_t bytes) {
  const uint32_t num_words =
      FilterWordsWithin(bytes - std::min(bytes, TrailerSize(form_)));
  return sizing_.MaxKeys(num_words);
}

#if CASSANDRA_BLOOM_HAS_CALCULATE_SPACE
size_t CassandraBloomBitsBuilder::CalculateSpace(size_t num_entries) {
  return BlockSize(num_entries);
}

double CassandraBloomBitsBuilder::EstimatedFpRate(size_t num_entries,
                                                  size_t bytes) {
  return sizing_.ExpectedRate(num_entries, bytes);
}
#endif

}  // namespace cassandra_bloom
