// SPDX-License-Identifier: Apache-2.0

// What RocksDB asks of a builder beside AddKey and Finish, for builders that
// only this benchmark calls.

#ifndef CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_BITS_BUILDER_H_
#define CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_BITS_BUILDER_H_

#include <cstddef>
#include <memory>

#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::bench {

class PlainBitsBuilder : public ROCKSDB_NAMESPACE::FilterBitsBuilder {
 public:
#if CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const ROCKSDB_NAMESPACE::Slice& key,
                    const ROCKSDB_NAMESPACE::Slice& alt) override {
    AddKey(alt);
    AddKey(key);
  }
#endif
  size_t EstimateEntriesAdded() override { return 0; }
  ROCKSDB_NAMESPACE::Slice Finish(std::unique_ptr<const char[]>* buf,
                                  ROCKSDB_NAMESPACE::Status* status) override {
    *status = ROCKSDB_NAMESPACE::Status::OK();
    return Finish(buf);
  }
  ROCKSDB_NAMESPACE::Slice Finish(std::unique_ptr<const char[]>* buf) override =
      0;
  size_t ApproximateNumEntries(size_t /*bytes*/) override { return 0; }
#if CASSANDRA_BLOOM_HAS_CALCULATE_SPACE
  size_t CalculateSpace(size_t /*num_entries*/) override { return 0; }
  double EstimatedFpRate(size_t /*num_entries*/, size_t /*bytes*/) override {
    return 0;
  }
#endif
};

}  // namespace cassandra_bloom::bench

#endif  // CASSANDRA_BLOOM_DB_BENCH_EXT_FILTER_BENCH_PLAIN_BITS_BUILDER_H_
