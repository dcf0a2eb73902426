#include "plugin/rocksdb/bits_reader.h"

#include <algorithm>
#include <new>
#include <string_view>

#include "plugin/core/filter_db.h"
#include "plugin/core/filter_view.h"
#include "plugin/core/kernels/kernel.h"
#include "plugin/core/murmur3.h"
#include "plugin/rocksdb/report.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

namespace {

class CassandraBloomBitsReader final : public FilterBitsReader {
 public:
  explicit CassandraBloomBitsReader(const FilterDb& filter) : view_(filter) {}

  bool MayMatch(const Slice& entry) override {
    return kernel_.may_contain_key(view_, {entry.data(), entry.size()});
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    constexpr int kBatch = static_cast<int>(kMaxBatch);
    std::string_view batch[kBatch];
    Hash128 hashes[kBatch];
    for (int done = 0; done < num_keys; done += kBatch) {
      const int n = std::min(num_keys - done, kBatch);
      for (int i = 0; i < n; ++i) {
        batch[i] = {keys[done + i]->data(), keys[done + i]->size()};
      }
      kernel_.hash(batch, static_cast<size_t>(n), hashes);
      kernel_.may_contain(view_, hashes, static_cast<size_t>(n),
                          may_match + done);
    }
  }

 private:
  const FilterView view_;
  const Kernel& kernel_ = ActiveKernel();
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
