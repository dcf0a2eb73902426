// SPDX-License-Identifier: Apache-2.0

// Finds out what RocksDB asks the filters of SST files, and how well they
// answer. RocksDB gets each filter policy as a WitnessedPolicy, which counts
// the questions to each reader that it makes. RocksDB does not tell a policy
// from which file a filter comes, so the files are opened in a file system that
// notes which file was read last.
//
// All of this serves one thread.
//
// Tested in tests/sst_filters/doctor/doctor_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTER_WITNESS_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTER_WITNESS_H_

#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "plugin/policy/filter_bits_api.h"

namespace cassandra_bloom::tools {

// What the filter of one SST file was asked.
struct FilterAnswers {
  // While the filter was measured: its blocks (partitions, if there are
  // several), and the share of random keys that pass, weighted by the sizes of
  // the blocks.
  uint64_t blocks = 0;
  uint64_t bytes = 0;
  double bytes_times_rate = 0;
  // What RocksDB asked.
  uint64_t by_get = 0;
  uint64_t by_seek = 0;

  double Rate() const {
    return bytes == 0 ? 1 : bytes_times_rate / static_cast<double>(bytes);
  }
};

enum class Asking { kNothing, kRandomKeys, kGet, kSeek };

struct FilterWitness {
  Asking asking = Asking::kNothing;
  uint64_t sst = 0;  // The number of the SST file that was read last.
  uint64_t num_random_keys = 0;  // How many to ask a filter for.
  std::map<uint64_t, FilterAnswers>
      answers;  // Key: the number of the SST file.
};

// Returns how many of `count` random keys of 16 bytes pass.
uint64_t PassedOf(uint64_t count, uint64_t seed,
                  ROCKSDB_NAMESPACE::FilterBitsReader* reader);

// Forwards to `policy`. With Asking::kRandomKeys, asks each filter for random
// keys when RocksDB opens it. The witness must live longer.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> Witnessed(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> policy,
    FilterWitness* witness);

// Returns an Env that reads only (ReadOnlyEnv), and notes in the witness which
// SST file was read. Looks for an SST file that does not exist in `folders`,
// too, because no file of a database names its db_paths and cf_paths.
std::unique_ptr<ROCKSDB_NAMESPACE::Env> NewWitnessedEnv(
    std::vector<std::string> folders, FilterWitness* witness);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILTER_WITNESS_H_
