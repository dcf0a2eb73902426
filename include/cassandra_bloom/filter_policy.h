// SPDX-License-Identifier: Apache-2.0

// Apache Cassandra's Bloom filter as a RocksDB FilterPolicy.
//
//   rocksdb::BlockBasedTableOptions table_options;
//   table_options.filter_policy.reset(rocksdb::NewCassandraBloomPolicy(10));
//
// or, after register_cassandra_bloom, "filter_policy=cassandra_bloom:10" in any
// options string or OPTIONS file.
//
// A policy is immutable and safe for concurrent use. It works in full and
// partitioned filters, with whole keys, prefixes or both. It reads its own
// filters whatever bits per key they were built with, and sees no others: after
// a change from or to another policy, or to another partition key, reads are
// unfiltered, never wrong, until compaction has rewritten the files.
//
// All of this refuses to work, with a line on stderr, in a process whose
// RocksDB is another release (major.minor) than the one this library was
// compiled for.

#ifndef CASSANDRA_BLOOM_FILTER_POLICY_H_
#define CASSANDRA_BLOOM_FILTER_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#define CASSANDRA_BLOOM_EXPORT __attribute__((visibility("default")))

namespace ROCKSDB_NAMESPACE {

class FilterPolicy;
class ObjectLibrary;
class SliceTransform;
class Status;

// `bits_per_key`: memory per key, as in NewBloomFilterPolicy: below 0.5 no
// filter is built, from 0.5 to 1 it is taken as 1, above 100 and NaN as 100,
// and it is rounded to thousandths. Whole numbers from 1 to 20 give exactly the
// filter that Cassandra builds with as many buckets per element.
//
// The caller owns the result; usually a shared_ptr takes it, as above. nullptr,
// which RocksDB takes for "no filter", in the wrong RocksDB (see above).
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicy(
    double bits_per_key);

// `fp_chance`: Cassandra's bloom_filter_fp_chance, 0.0000671 ... 1, with
// Cassandra's choice of size and probes; 1 means that no filter is built.
//
// A value out of range, or NaN, gives a policy that DB::Open refuses with
// InvalidArgument; where RocksDB does not validate, it builds no filter and
// says so in the LOG or on stderr. Ownership as above.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicyForFpChance(
    double fp_chance);

struct CassandraBloomOptions {
  // As for the two functions above; bits per key, unless fp_chance is not 0.
  double bits_per_key = 10;
  double fp_chance = 0;

  // Instead of these, the bits per key, or the chance, of the SST files that
  // are written to level 0, level 1, and so on; the last one is that of all
  // further levels, too. Here and below a number out of the ranges above (0 to
  // 100 bits) is refused as a wrong fp_chance is.
  std::vector<double> level_bits;
  std::vector<double> level_fp_chance;

  // Instead of all of these, for files that RocksDB knows to be the last with
  // keys of their range. A flush never is.
  std::optional<double> bottommost_bits;
  std::optional<double> bottommost_fp_chance;

  // `uniform`, or `monkey`: spreads bits_per_key, the average, over the levels
  // of leveled compaction so that false positives are fewest: each level has ln
  // T / (ln 2)^2 more bits per key than the one below, 4.8 for T = 10, up to
  // 14.4 more than the last one (Dayan, Athanassoulis, Idreos: Monkey, SIGMOD
  // 2017). In universal and FIFO compaction every file has the average.
  //
  // A level is counted from the last one up, as
  // level_compaction_dynamic_level_bytes fills them; without that, the last one
  // that holds data has to be given in bottom_level. DB::Open refuses a
  // database with neither or both.
  std::string allocation = "uniform";
  std::optional<double> size_ratio;  // T, 2 to 1000; 10 if none
  std::optional<int> bottom_level;   // 1 to 100

  // A file has the bits per key of the level that it is written to, also when
  // it is moved to another one later, as it is. One whose level is unknown
  // (SstFileWriter, RepairDB) is taken as one of the last level by a list, and
  // has the average with monkey.

  // Where the partition key is in a storage key: what the filter holds, once
  // for all keys of a partition that are beside each other.
  //
  //   whole                the storage key itself
  //   fixed:N              its first N bytes
  //   skip:S               all that is behind its first S bytes
  //   skip:S,fixed:N       N bytes behind the first S
  //   skip:S,u16           a big-endian 16-bit length behind the first S bytes
  //                        and then the key, as Cassandra writes it
  //   skip:S,composite:C   C components of a composite partition key behind the
  //                        first S bytes, each a length as above, the component
  //                        and a byte that ends it
  //
  // `u16` and `composite:C` alone skip nothing. A storage key that ends before
  // its partition key does is taken whole. Anything else is refused as a wrong
  // fp_chance is.
  std::string partition_key = "whole";
};

CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicyFromOptions(
    const CassandraBloomOptions& options);

// The prefix extractor "cassandra_partition:" + partition_key, which makes
// prefixes that end where the partition key does, so that iterators within a
// partition use the filter, too:
//
//   options.prefix_extractor = ...;  // skip:8,u16
//   table_options.filter_policy = ...;  // with the same partition_key
//   iterator->Seek(any key of the partition);
//
// The same entry of the filter then serves Get and Seek. An iterator that is to
// leave the partition takes ReadOptions::total_order_seek or auto_prefix_mode,
// as with every prefix extractor. For bytewise comparators.
//
// InvalidArgument for a partition key that has no end, as `whole` and `skip:S`
// have none, or for none of the above; NotSupported in the wrong RocksDB.
CASSANDRA_BLOOM_EXPORT Status NewCassandraPartitionTransform(
    const std::string& partition_key,
    std::shared_ptr<const SliceTransform>* transform);

}  // namespace ROCKSDB_NAMESPACE

// Makes the library know every filter_policy string that begins with
// "cassandra_bloom", every prefix_extractor string that begins with
// "cassandra_partition", the listener of filter_db_export_listener.h, and the
// mark that keeps an OPTIONS file from who does not know all these,
// "memtable_factory={id=SkipListFactory:00;cassandra_bloom=required}". For
// example:
//
//   rocksdb::ObjectRegistry::Default()->AddLibrary(
//       "cassandra_bloom", register_cassandra_bloom, "");
//
// The signature is that of a RocksDB plugin's registrar; `arg` is ignored.
// Returns the number of factories in the library, or 0, with nothing added, in
// the wrong RocksDB. A further call does no harm.
extern "C" CASSANDRA_BLOOM_EXPORT int register_cassandra_bloom(
    ROCKSDB_NAMESPACE::ObjectLibrary& library, const std::string& arg);

#endif  // CASSANDRA_BLOOM_FILTER_POLICY_H_
