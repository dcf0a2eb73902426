#include "plugin/rocksdb/bits_reader.h"

#include <algorithm>
#include <new>

#include "plugin/core/filter_db.h"
#include "plugin/core/filter_view.h"
#include "plugin/core/murmur3.h"
#include "plugin/rocksdb/report.h"
#include "plugin/rocksdb/slice_hash.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

namespace {

class CassandraBloomBitsReader final : public FilterBitsReader {
 public:
  explicit CassandraBloomBitsReader(const FilterDb& filter) : view_(filter) {}

  bool MayMatch(const Slice& entry) override {
    return view_.MayContain(HashOf(entry));
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    constexpr int kMaxBatch = static_cast<int>(FilterView::kMaxBatch);
    Hash128 hashes[kMaxBatch];
    for (int done = 0; done < num_keys; done += kMaxBatch) {
      const int n = std::min(num_keys - done, kMaxBatch);
      for (int i = 0; i < n; ++i) {
        hashes[i] = HashOf(*keys[done + i]);
      }
      view_.MayContainBatch(hashes, static_cast<size_t>(n), may_match + done);
    }
  }

 private:
  const FilterView view_;
};

class AlwaysMatchBitsReader final : public FilterBitsReader {
 public:
  bool MayMatch(const Slice& /*entry*/) override { return true; }

  void MayMatch(int num_keys, Slice** /*keys*/, bool* may_match) override {
    std::fill_n(may_match, num_keys, true);
  }
};

}  // namespace

FilterBitsReader* NewBitsReader(const Slice& contents) {
  FilterDb filter;
  if (ParseFilterDb(contents.data(), contents.size(), &filter)) {
    return new (std::nothrow) CassandraBloomBitsReader(filter);
  }
  ReportMalformedBlock(contents.size());
  return new (std::nothrow) AlwaysMatchBitsReader();
}

}  // namespace cassandra_bloom
