// SPDX-License-Identifier: Apache-2.0

// Declares RocksDB's private interface of filter builders and readers.
//
// Since RocksDB 7.0 (facebook/rocksdb#9592), the public header only names
// FilterBitsBuilder and FilterBitsReader. They are defined in
// table/block_based/filter_policy_internal.h, which packages do not install.
// This file includes that header if the compiler finds it.
//
// Otherwise this file declares the two classes, with all virtual functions in
// RocksDB's order (tests/install/matrix/headers.sh compares them):
//
//   era A  7.1 - 9.5     (7.0 has CompatibilityName only since 7.0.3, #9736)
//   era B  9.6 - 10.8    adds AddKeyAndAlt (facebook/rocksdb#12931)
//   era C  10.9 -        adds CalculateSpace, EstimatedFpRate (#14111)

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_BITS_API_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_BITS_API_H_

#include <rocksdb/version.h>

#define CASSANDRA_BLOOM_ROCKSDB_RELEASE (ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR)

// docs/hosts.md says which releases were tested.
#if CASSANDRA_BLOOM_ROCKSDB_RELEASE < 701
#error "RocksDB 7.1 or later is needed"
#elif CASSANDRA_BLOOM_ROCKSDB_RELEASE > 1109 && \
    !defined(CASSANDRA_BLOOM_ACCEPT_UNTESTED_ROCKSDB)
#error \
    "This RocksDB is newer than 11.9, the newest that was tested. CMake's -DCASSANDRA_BLOOM_ACCEPT_UNTESTED_ROCKSDB=ON (or a macro of this name) accepts it."
#endif

#if CASSANDRA_BLOOM_ROCKSDB_RELEASE < 906
#define CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT 0
#define CASSANDRA_BLOOM_HAS_CALCULATE_SPACE 0
#elif CASSANDRA_BLOOM_ROCKSDB_RELEASE < 1009
#define CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT 1
#define CASSANDRA_BLOOM_HAS_CALCULATE_SPACE 0
#else
#define CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT 1
#define CASSANDRA_BLOOM_HAS_CALCULATE_SPACE 1
#endif

#if __has_include("table/block_based/filter_policy_internal.h")

#include "table/block_based/filter_policy_internal.h"

#else

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <memory>

namespace ROCKSDB_NAMESPACE {

class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() = default;

  virtual void AddKey(const Slice& key) = 0;

#if CASSANDRA_BLOOM_HAS_ADD_KEY_AND_ALT
  // Adds a whole key and its prefix `alt`. Drops an entry that equals the other
  // one of this call, or one of the previous call.
  virtual void AddKeyAndAlt(const Slice& key, const Slice& alt) = 0;
#endif

  // Returns the number of entries that were added. RocksDB stores it as
  // TableProperties::num_filter_entries. 0 means that nothing was added, but
  // before 9.6 it means that the number is not known.
  //
  // Since 10.9, RocksDB also calls this before Finish, in the thread that adds
  // the keys (OnDataBlockFinalized in
  // table/block_based/block_based_table_builder.cc, 10.9.1 to 11.9). So no lock
  // is needed. RocksDB's own builders nevertheless count in an atomic variable
  // (facebook/rocksdb#14051).
  virtual size_t EstimateEntriesAdded() = 0;

  // Returns the filter of the entries that were added since the last Finish.
  // RocksDB calls Finish once for each partition of a partitioned filter.
  // `*buf` becomes the owner of the filter.
  virtual Slice Finish(std::unique_ptr<const char[]>* buf) = 0;

  // RocksDB calls this overload. `*status` may become OK, Incomplete or
  // Corruption. The result may be an empty block. In a full filter, every key
  // matches an empty block. In a partitioned filter, no key matches an empty
  // partition.
  virtual Slice Finish(std::unique_ptr<const char[]>* buf, Status* /*status*/) {
    return Finish(buf);
  }

  // RocksDB calls this with the block that Finish returned, unless the status
  // was Corruption.
  virtual Status MaybePostVerify(const Slice& /*filter_content*/) {
    return Status::OK();
  }

  // Returns the most entries whose filter takes at most `bytes` bytes.
  virtual size_t ApproximateNumEntries(size_t bytes) = 0;

#if CASSANDRA_BLOOM_HAS_CALCULATE_SPACE
  // Returns the size in bytes of a filter of `num_entries` entries. RocksDB
  // calls this in the thread that adds the keys.
  virtual size_t CalculateSpace(size_t num_entries) = 0;

  virtual double EstimatedFpRate(size_t num_entries, size_t bytes) = 0;
#endif
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() = default;

  virtual bool MayMatch(const Slice& entry) = 0;

  // Must set every may_match[i], because RocksDB does not initialise all of
  // them.
  virtual void MayMatch(int num_keys, Slice** keys, bool* may_match) {
    for (int i = 0; i < num_keys; ++i) {
      may_match[i] = MayMatch(*keys[i]);
    }
  }
};

}  // namespace ROCKSDB_NAMESPACE

#endif  // __has_include

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_BITS_API_H_
