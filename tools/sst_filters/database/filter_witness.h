// SPDX-License-Identifier: Apache-2.0

// Finds out what RocksDB asks the filters of SST files, and how well they
// answer. RocksDB gets each filter policy as one that counts the questions to
// each reader that it makes. RocksDB does not tell a policy from which file a
// filter comes, so the witness is also a listener, and notes which file was
// read last: when RocksDB has read a filter, it calls the policy before it
// reads from another file.
//
// All of this serves one thread.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_FILTER_WITNESS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_FILTER_WITNESS_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>

#include <cstdint>
#include <map>
#include <memory>

#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::tools {

// What the filter of one SST file was asked.
struct FilterAnswers {
  // While the filter was measured: its blocks (partitions, if there are
  // several), and the share of random keys that pass, weighted by the sizes of
  // the blocks.
  uint64_t blocks = 0;
  uint64_t bytes = 0;
  uint64_t largest_block = 0;
  double bytes_times_rate = 0;
  // What RocksDB asked.
  uint64_t by_get = 0;
  uint64_t by_seek = 0;

  double Rate() const {
    return bytes == 0 ? 1 : bytes_times_rate / static_cast<double>(bytes);
  }
};

class FilterWitness final : public rocksdb::EventListener {
 public:
  enum class Asking { kRandomKeys, kGet, kSeek };

  // Returns a policy that forwards to `policy`. With Asking::kRandomKeys, it
  // asks each filter for random keys when RocksDB opens it. The witness must
  // live longer.
  std::shared_ptr<const rocksdb::FilterPolicy> Witnessed(
      std::shared_ptr<const rocksdb::FilterPolicy> policy);

  bool ShouldBeNotifiedOnFileIO() override { return true; }
  void OnFileReadFinish(const rocksdb::FileOperationInfo& info) override;

  Asking asking = Asking::kGet;
  uint64_t sst = 0;  // The number of the SST file that was read last.
  uint64_t num_random_keys = 0;  // How many to ask a filter for.
  // Key: the number of the SST file.
  std::map<uint64_t, FilterAnswers> answers;
};

// Returns the share of `count` random keys of 16 bytes that pass.
double RateOf(uint64_t count, uint64_t seed, rocksdb::FilterBitsReader* reader);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DATABASE_FILTER_WITNESS_H_
