// SPDX-License-Identifier: Apache-2.0

// RocksDB's private interface of filter builders and readers. Apart from tests,
// no other file declares or includes it.
//
// Since RocksDB 7.0 (facebook/rocksdb#9592) the public header only names
// FilterBitsBuilder and FilterBitsReader. They are defined in
// table/block_based/filter_policy_internal.h, which packages do not install.
// That header is used in RocksDB's own build and where RocksDB's sources are at
// hand (-DROCKSDB_SOURCE_DIR=). Otherwise this file declares the interface of
// the release whose headers are installed, with all virtual functions in
// RocksDB's order (tests/install/matrix/headers.sh compares the two):
//
//   era A  7.1 - 9.5     (7.0 got its CompatibilityName in 7.0.3, #9736)
//   era B  9.6 - 10.8   adds AddKeyAndAlt (facebook/rocksdb#12931)
//   era C  10.9 -       adds CalculateSpace, EstimatedFpRate (#14111)

#ifndef CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_BITS_API_H_
#define CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_BITS_API_H_

#include <rocksdb/version.h>

#define CASSANDRA_BLOOM_ROCKSDB_RELEASE (ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR)

// The tested range is in docs/hosts.md, "Supported RocksDB releases".
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
  // Adds a whole key and its prefix. Duplicates are dropped: each of the two is
  // compared with the previous one of its kind and with the other one.
  virtual void AddKeyAndAlt(const Slice& key, const Slice& alt) = 0;
#endif

  // RocksDB stores this as TableProperties::num_filter_entries. From 9.6 on, 0
  // means that nothing was added; before, it meant unknown. From 10.9 on,
  // RocksDB also calls this before Finish, to estimate the size of the file.
  // No lock is needed: the call comes from OnDataBlockFinalized, which
  // BlockBasedTableBuilder runs in the thread that adds the keys, also with
  // parallel compression (table/block_based/block_based_table_builder.cc,
  // 10.9.1 to 11.9). RocksDB's own builders count in an atomic variable
  // (facebook/rocksdb#14051), but this call does not need that.
  virtual size_t EstimateEntriesAdded() = 0;

  // Returns the filter of what was added since the last Finish, because one
  // builder makes all partitions of a partitioned filter. `*buf` becomes the
  // owner.
  virtual Slice Finish(std::unique_ptr<const char[]>* buf) = 0;

  // RocksDB calls this overload. The status may be OK, Incomplete or
  // Corruption. An empty full filter means no filter, and matches everything;
  // an empty partition of a partitioned filter means no keys, and matches
  // nothing.
  virtual Slice Finish(std::unique_ptr<const char[]>* buf, Status* /*status*/) {
    return Finish(buf);
  }

  // Called with what Finish returned, unless it returned Corruption.
  virtual Status MaybePostVerify(const Slice& /*filter_content*/) {
    return Status::OK();
  }

  // The largest number of entries whose filter takes at most `bytes`.
  virtual size_t ApproximateNumEntries(size_t bytes) = 0;

#if CASSANDRA_BLOOM_HAS_CALCULATE_SPACE
  // The size in bytes of a filter of `num_entries` entries. RocksDB calls this
  // where it calls EstimateEntriesAdded.
  virtual size_t CalculateSpace(size_t num_entries) = 0;

  virtual double EstimatedFpRate(size_t num_entries, size_t bytes) = 0;
#endif
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() = default;

  virtual bool MayMatch(const Slice& entry) = 0;

  // Sets every may_match[i]; RocksDB does not initialise them all.
  virtual void MayMatch(int num_keys, Slice** keys, bool* may_match) {
    for (int i = 0; i < num_keys; ++i) {
      may_match[i] = MayMatch(*keys[i]);
    }
  }
};

}  // namespace ROCKSDB_NAMESPACE

#endif  // __has_include

#endif  // CASSANDRA_BLOOM_PLUGIN_POLICY_FILTER_BITS_API_H_
