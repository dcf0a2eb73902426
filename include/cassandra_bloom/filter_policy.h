// SPDX-License-Identifier: Apache-2.0

// Apache Cassandra's Bloom filter as a RocksDB FilterPolicy. In C++:
//
//   rocksdb::BlockBasedTableOptions table_options;
//   table_options.filter_policy.reset(rocksdb::NewCassandraBloomPolicy(10));
//
// In an options string or an OPTIONS file, write
// "filter_policy=cassandra_bloom:10". The shared library registers this name
// when it is loaded. A program that is linked to the static library must call
// register_cassandra_bloom.
//
// The settings of a policy never change, and it is safe for concurrent use. Any
// number of databases and column families may share it. It works in full and
// partitioned filters, with whole keys, prefixes or both.
//
// A policy reads the filters of this library, whatever their bits per key are.
// With blocks=rocksdb it also reads the filters of RocksDB's own policies. It
// ignores all other filters. So after a change of the policy, of the partition
// key or of `blocks`, old SST files are read without a filter until compaction
// has rewritten them. The results of reads are always right.
//
// The functions that make a policy return an object that the caller owns, and
// usually gives to a shared_ptr. They accept wrong settings: DB::Open then
// refuses the policy with InvalidArgument. So it is with wrong strings, for
// which GetOptionsFromString may return OK. Where RocksDB does not validate
// options (a read-only open, SetOptions, SstFileWriter), such a policy builds
// no filter, and says so in the LOG or on stderr.
//
// All functions refuse to work in a process that runs another release of
// RocksDB (major.minor) than the one this library was compiled for: they print
// a line to stderr, or return a Status. Those that make a policy then return
// nullptr, which means "no filter" to RocksDB. Functions throw only if memory
// cannot be allocated, and may be called in any thread.

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

// Returns a policy that builds filters of `bits_per_key` bits per key, as
// NewBloomFilterPolicy does. `bits_per_key` is rounded to thousandths. Below
// 0.5, no filter is built. Numbers from 0.5 to 1 count as 1. NaN and numbers
// above 100 count as 100. A whole number from 1 to 20 gives exactly the filter
// that Cassandra builds with that many buckets per element.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicy(
    double bits_per_key);

// Returns a policy with the size and the number of probes that Cassandra
// chooses for `fp_chance`, its bloom_filter_fp_chance. The range is 0.0000671
// to 1. At 1, no filter is built. DB::Open refuses NaN and other values.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicyForFpChance(
    double fp_chance);

// Returns a policy like that of NewCassandraBloomPolicy, but with
// blocks=rocksdb (CassandraBloomOptions::blocks). Use this policy for a
// database that already has filters of RocksDB's own policies.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicyBesideRocksdb(
    double bits_per_key);

// Returns a policy that gives fewer false positives, or takes less memory, than
// RocksDB's own policies. Every new filter is RocksDB's own; this policy only
// decides where the bits go:
//
// - Bottommost files (see CassandraBloomOptions::bottommost_bits), which hold
//   most keys of a full database, get Ribbon filters of bits_per_key - 0.6, in
//   the memory of 0.7 times that.
// - All other files get bits_per_key + 7: Bloom filters in leveled compaction,
//   and Ribbon filters in universal compaction, except in flushes.
// - Files of SstFileWriter and RepairDB, and all files in FIFO compaction,
//   count as bottommost.
//
// So bits_per_key is no average. docs/policy.md says what filters take in which
// database. `bits_per_key` must be from 1 to 100, and the numbers above are cut
// to that range. DB::Open refuses other values.
//
// A process without this library that sets RocksDB's own Bloom or Ribbon policy
// uses the new filters, too. (Partitioned filters of prefixes alone are the
// exception: they are ours.) A process that takes the policy from the OPTIONS
// file, and does not know it, has no policy and uses no filter. The policy also
// reads the filters of an existing database, RocksDB's and ours.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomMixPolicy(
    double bits_per_key);

// The settings of a policy. DB::Open refuses every value that is not listed
// here, and every combination that is excluded here.
struct CassandraBloomOptions {
  // As for NewCassandraBloomPolicy. Each of the next three members, if it is
  // set, replaces bits_per_key and excludes the others.
  double bits_per_key = 10;

  // As for NewCassandraBloomPolicyForFpChance.
  std::optional<double> fp_chance;

  // The bits per key of NewCassandraBloomMixPolicy. Of the members below, only
  // `filter` and `bottommost_filter` go with it.
  std::optional<double> mix;

  // The bits per key of SST files that are written to level 0, level 1, and so
  // on. The last number is also for all deeper levels; numbers for levels that
  // the database does not have are never used. A list that is not empty
  // replaces bits_per_key. Here and in bottommost_bits, the range is 0 to 100,
  // and numbers below 1 count as in bits_per_key.
  std::vector<double> level_bits;

  // The bits per key of bottommost files. A file is bottommost if RocksDB knows
  // that no deeper level holds keys of its range. A flushed file is never
  // bottommost. For bottommost files, this member replaces all members above.
  std::optional<double> bottommost_bits;

  // The members above set the bits per key of levels. An SST file gets the bits
  // of the level that it is written to. If RocksDB later moves the file
  // unchanged to another level, the filter stays as it is. Files of
  // SstFileWriter and RepairDB have no known level. They get the number for
  // bottommost files if there is one, otherwise the last number of the list.

  // Where the partition key is in a storage key, that is, in a key of RocksDB.
  // The filter holds one entry for all adjacent keys of a partition.
  //
  //   whole                the storage key itself
  //   fixed:N              its first N bytes
  //   skip:S               everything after its first S bytes
  //   skip:S,fixed:N       N bytes after the first S bytes
  //   skip:S,u16           after the first S bytes: a big-endian 16-bit length
  //                        and then the key, as Cassandra writes it
  //   skip:S,composite:C   after the first S bytes: C components of a composite
  //                        partition key, each a big-endian 16-bit length, the
  //                        component and a byte that ends it
  //
  // `u16` and `composite:C` without `skip:S` skip nothing. If a storage key
  // ends before the end of its partition key, the filter holds the whole
  // storage key. DB::Open refuses any other spelling.
  std::string partition_key = "whole";

  // The form of a filter block in an SST file.
  //
  //   cassandra   A Filter.db and nothing else. The filter has the name
  //               cassandra_bloom. RocksDB's own policies and this policy do
  //               not see each other's filters.
  //   rocksdb     A Filter.db and five more bytes. The filter has the name
  //               rocksdb.BuiltinBloomFilter, like the filters of RocksDB's
  //               own policies. This policy then also reads filters of
  //               RocksDB's Bloom and Ribbon policies. RocksDB's own policies
  //               read this form as a filter that matches every key.
  //
  // Use `rocksdb` for an existing database, and for a database that other
  // programs read. `rocksdb` needs `whole` as partition_key, because RocksDB's
  // filters hold whole keys. DB::Open refuses `rocksdb` with another
  // partition_key. It also refuses any other value of `blocks`.
  std::string blocks = "cassandra";

  // The filter that an SST file gets: `cassandra`, `bloom` or `ribbon`. `bloom`
  // and `ribbon` are RocksDB's own filters and need blocks=rocksdb.
  // `bottommost_filter` is for bottommost files (see bottommost_bits). If
  // `filter` is empty, it is `cassandra`. If `bottommost_filter` is empty,
  // bottommost files get `filter`.
  //
  // With `mix`, both choose the filters of its two kinds of files. If `filter`
  // is empty, it is `bloom` in leveled and `ribbon` in universal compaction. If
  // `bottommost_filter` is empty, it is `ribbon`.
  //
  // RocksDB's filters get as many bits per key as this library's filter would
  // get for the same file. For `ribbon`, these are the bits of a Bloom filter
  // with the same false positive rate, as in NewRibbonFilterPolicy. RocksDB
  // builds Bloom filters instead of Ribbon filters in flushed files, except in
  // FIFO compaction. For a small fp_chance, RocksDB's filters need more bits
  // than this library's filter. So their false positive rate is then a little
  // higher than fp_chance.
  std::string filter;
  std::string bottommost_filter;
};

// Returns a policy with these settings. Keeps no reference to `options`.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicyFromOptions(
    const CassandraBloomOptions& options);

// Makes the prefix extractor "cassandra_partition:" + partition_key. Its
// prefixes end where the partition key ends. So an iterator within a partition
// uses the filter, too, if the policy has the same partition_key:
//
//   rocksdb::CassandraBloomOptions bloom;
//   bloom.partition_key = "skip:8,u16";
//   table_options.filter_policy.reset(
//       rocksdb::NewCassandraBloomPolicyFromOptions(bloom));
//   const rocksdb::Status status = rocksdb::NewCassandraPartitionTransform(
//       bloom.partition_key, &options.prefix_extractor);
//
// Get and Seek then use the same entry of the filter. An iterator that leaves
// the partition needs ReadOptions::total_order_seek or auto_prefix_mode, as
// with every prefix extractor. Use this extractor only with bytewise
// comparators.
//
// Returns InvalidArgument for a partition key without an end (`whole` or
// `skip:S`), and for any spelling that CassandraBloomOptions::partition_key
// does not list. Returns NotSupported if this process runs another release of
// RocksDB than this library was compiled for.
CASSANDRA_BLOOM_EXPORT Status NewCassandraPartitionTransform(
    const std::string& partition_key,
    std::shared_ptr<const SliceTransform>* transform);

}  // namespace ROCKSDB_NAMESPACE

// Makes `library` know these names:
// - every filter_policy string that begins with "cassandra_bloom",
// - every prefix_extractor string that begins with "cassandra_partition",
// - the listener of filter_db_export.h.
//
// The shared library calls this function for RocksDB's default registry when it
// is loaded. For the static library, or another registry, call it like this,
// before the first string is read:
//
//   #include <rocksdb/utilities/object_registry.h>
//
//   rocksdb::ObjectRegistry::Default()->AddLibrary(
//       "cassandra_bloom", register_cassandra_bloom, "");
//
// The signature is that of a RocksDB plugin's registrar. `arg` is ignored.
// Returns the number of factories in `library`. If this process runs another
// release of RocksDB than this library was compiled for, adds nothing and
// returns 0. This function may be called more than once.
extern "C" CASSANDRA_BLOOM_EXPORT int register_cassandra_bloom(
    ROCKSDB_NAMESPACE::ObjectLibrary& library, const std::string& arg);

#endif  // CASSANDRA_BLOOM_FILTER_POLICY_H_
