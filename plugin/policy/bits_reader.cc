// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/bits_reader.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <string_view>

#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/filter_view.h"
#include "plugin/filter/kernels/dispatch.h"
#include "plugin/filter/murmur3.h"
#include "plugin/policy/hash_cache.h"
#include "plugin/policy/report.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

namespace {

// An array of keys that is not initialised, because constructing 32 empty
// string_views takes as long as a look-up.
class KeyViews {
 public:
  void Set(size_t i, std::string_view key) {
    new (storage_ + i * sizeof(key)) std::string_view(key);
  }

  const std::string_view* data() const {
    return std::launder(reinterpret_cast<const std::string_view*>(storage_));
  }

 private:
  alignas(std::string_view) unsigned char storage_[kMaxBatch *
                                                   sizeof(std::string_view)];
};

struct WholeKey {
  std::string_view Extract(std::string_view key) const { return key; }
};

// `Extractor` is PartitionKeyExtractor or WholeKey. WholeKey is for filters of
// whole keys. It saves the check of is_whole() for each key.
template <typename Extractor>
class CassandraBloomBitsReader final : public FilterBitsReader {
 public:
  CassandraBloomBitsReader(const ParsedFilter& filter, Extractor extractor)
      : view_(filter), extractor_(extractor) {}

  bool MayMatch(const Slice& entry) override {
    const std::string_view key = extractor_.Extract(entry.ToStringView());
    return key.size() == 16 ? lookup_.one(view_, CachedHash16(key.data()))
                            : MayMatchOfAnySize(key);
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    // One key needs no batch. This case is frequent, because a MultiGet often
    // asks a file of the last level for only one key. From two keys on, a batch
    // is faster in a database, because it reads the memory for all its keys at
    // the same time.
    if (num_keys == 1) {
      *may_match = MayMatch(**keys);
      return;
    }
    constexpr int kBatch = static_cast<int>(kMaxBatch);
    for (int done = 0; done < num_keys; done += kBatch) {
      const int n = std::min(num_keys - done, kBatch);
      MayMatchBatch(keys + done, static_cast<size_t>(n), may_match + done);
    }
  }

 private:
  // Must not be inlined, because MayMatch would then save registers for it.
  [[gnu::noinline]] bool MayMatchOfAnySize(std::string_view key) const {
    return lookup_.one(view_, CachedHash(key));
  }

  void MayMatchBatch(Slice** keys, size_t n, bool* may_match) const {
    KeyViews batch;
    for (size_t i = 0; i < n; ++i) {
      batch.Set(i, extractor_.Extract(keys[i]->ToStringView()));
    }
    Hash128 hashes[kMaxBatch];
    kernel_.hash(batch.data(), n, hashes);
    lookup_.batch(view_, hashes, n, may_match);
  }

  const FilterView view_;
  const Kernel& kernel_ = ActiveKernel();
  const Lookup lookup_ = kernel_.choose_lookup(view_);
  const Extractor extractor_;
};

class AlwaysMatchBitsReader final : public FilterBitsReader {
 public:
  bool MayMatch(const Slice& /*entry*/) override { return true; }

  void MayMatch(int num_keys, Slice** /*keys*/, bool* may_match) override {
    std::fill_n(may_match, num_keys, true);
  }
};

}  // namespace

FilterBitsReader* NewBitsReader(const Slice& contents,
                                PartitionKeyExtractor partition_key) {
  ParsedFilter filter;
  if (ParseFilterDb(contents.data(), contents.size(), &filter)) {
    if (partition_key.is_whole()) {
      return new (std::nothrow) CassandraBloomBitsReader(filter, WholeKey());
    }
    return new (std::nothrow) CassandraBloomBitsReader(filter, partition_key);
  }
  static std::atomic<bool> reported{false};
  if (!reported.exchange(true)) {
    ReportError(nullptr,
                "cassandra_bloom: a filter block of %zu bytes is damaged: its "
                "keys are found, but not filtered (reported once)",
                contents.size());
  }
  return NewMatchAllReader();
}

FilterBitsReader* NewMatchAllReader() {
  return new (std::nothrow) AlwaysMatchBitsReader();
}

}  // namespace cassandra_bloom
