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
// number of databases and column families may share it, but see `allocation`.
// It works in full and partitioned filters, with whole keys, prefixes or both.
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

#include <cstdint>
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

// Returns a policy for a database with leveled compaction. It gives fewer false
// positives, or takes less memory, than RocksDB's own policies. `bits_per_key`
// is the average over all keys:
// - Small levels get more bits per key than large ones (allocation=monkey in
//   CassandraBloomOptions).
// - Every new filter is RocksDB's own: its Bloom filter, and its Ribbon filter
//   in the bottommost files, which hold most keys, because a Ribbon filter
//   takes less memory. The one exception are partitioned filters of prefixes
//   alone, which are ours.
//
// So a process without this library that sets RocksDB's own Bloom or Ribbon
// policy uses the new filters, too. A process that takes the policy from the
// OPTIONS file, and does not know it, has no policy and uses no filter. The
// policy also reads the filters of an existing database (blocks=rocksdb).
//
// In CassandraBloomOptions, these are allocation = "monkey", filter = "bloom",
// bottommost_filter = "ribbon" and blocks = "rocksdb". With filter =
// "cassandra", or the string cassandra_bloom:mix:BITS:filter:cassandra, our
// filter is above the bottommost files.
//
// `bits_per_key` must be from 1.533 to 86.15. DB::Open refuses other values.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomMixPolicy(
    double bits_per_key);

// The settings of a policy. DB::Open refuses every value that is not listed
// here, and every combination that is excluded here.
struct CassandraBloomOptions {
  // bits_per_key is as for NewCassandraBloomPolicy, and fp_chance as for
  // NewCassandraBloomPolicyForFpChance, but 0 means that no chance is given. If
  // fp_chance is not 0, it replaces bits_per_key.
  double bits_per_key = 10;
  double fp_chance = 0;

  // The bits per key of SST files that are written to level 0, level 1, and so
  // on. The last number is also for all deeper levels; numbers for levels that
  // the database does not have are never used. A list that is not empty
  // replaces bits_per_key, and excludes fp_chance. Here and in bottommost_bits,
  // the range is 0 to 100, and numbers below 1 count as in bits_per_key.
  std::vector<double> level_bits;

  // The bits per key of bottommost files. A file is bottommost if RocksDB knows
  // that no deeper level holds keys of its range. A flushed file is never
  // bottommost. For bottommost files, this member replaces all members above.
  std::optional<double> bottommost_bits;

  // `uniform` or `monkey`.
  //
  // `monkey` spreads bits_per_key, the average, over the levels so that reads
  // have the fewest false positives. It cannot be combined with the other
  // members above. bits_per_key must then be from 1.533 to 86.15.
  //
  // Each level gets ln T / (ln 2)^2 more bits per key than the level below it,
  // where T is max_bytes_for_level_multiplier. For T = 10 these are 4.8 bits.
  // No level gets over 14.4 bits per key more than the deepest level. (Dayan,
  // Athanassoulis, Idreos: Monkey, SIGMOD 2017.) DB::Open tells T to the
  // policy: T below 2, or not finite, counts as 2, and T above 1000 as 1000. If
  // a small T would leave the deepest level less than 1 bit per key, it gets 1,
  // and the average is higher than bits_per_key. The policy object keeps the
  // smallest T that any open told it. For a larger T, make another object.
  //
  // In these cases all files get bits_per_key, and the LOG says so:
  // - in universal and FIFO compaction,
  // - without level_compaction_dynamic_level_bytes, or with several paths,
  //   because RocksDB then does not fill levels from the last one up,
  // - before the first open that has this policy.
  //
  // Column families that share a policy object are treated alike: the smallest
  // T counts for all, and if an open tells that the levels of one are not
  // filled from the last one up, all get bits_per_key. Otherwise make one
  // policy for each. RocksDB does not tell the options of a column family that
  // is made while the database is open: until the next open it is treated like
  // the others, so if it differs, give it a policy of its own. Filters take
  // more memory while a large part of the database is in level 0, because level
  // 0 counts as a small level.
  std::string allocation = "uniform";

  // The members above set the bits per key of levels. An SST file gets the bits
  // of the level that it is written to. If RocksDB later moves the file
  // unchanged to another level, the filter stays as it is. Files of
  // SstFileWriter and RepairDB have no known level. They get the number for
  // bottommost files if there is one, otherwise the last number of the list.
  // With `monkey` they get the average.

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
  // `bottommost_filter` is empty, bottommost files get `filter`.
  //
  // RocksDB's filters get as many bits per key as this library's filter would
  // get for the same file. For `ribbon`, these are the bits of a Bloom filter
  // with the same false positive rate, as in NewRibbonFilterPolicy. RocksDB
  // builds Bloom filters instead of Ribbon filters in flushed files, except in
  // FIFO compaction. For a small fp_chance, RocksDB's filters need more bits
  // than this library's filter. So their false positive rate is then a little
  // higher than fp_chance.
  std::string filter = "cassandra";
  std::string bottommost_filter;
};

// Returns a policy with these settings. Keeps no reference to `options`.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicyFromOptions(
    const CassandraBloomOptions& options);

// What a policy has built and read. Counting is always on. It costs little
// time, because a policy counts filters, not keys.
//
//   const auto* const table_options =
//       db->GetOptions().table_factory
//           ->GetOptions<rocksdb::BlockBasedTableOptions>();
//   const rocksdb::FilterPolicy* const policy =
//       table_options->filter_policy.get();  // nullptr: no filters
//   rocksdb::CassandraBloomStatistics statistics;
//   if (policy != nullptr &&
//       rocksdb::GetCassandraBloomStatistics(*policy, &statistics)) {
//     std::fputs(statistics.ToString().c_str(), stdout);
//   }
//
// All figures are about filters of this library. Not counted are the filters
// that RocksDB builds and reads for the policy: `bloom` and `ribbon`, and so
// nearly all filters of NewCassandraBloomMixPolicy. RocksDB's own statistics
// (rocksdb.bloom.filter.*) and table properties count all filters, and say what
// reads gain from them.
//
// All figures count from the creation of the policy. Nothing is subtracted when
// an SST file is deleted, or when writing the file fails.
struct CassandraBloomStatistics {
  // The number of filters built for SST files. Each partition of a partitioned
  // filter counts as one filter.
  uint64_t filters_built = 0;

  // The number of entries in filters_built. An entry is a key, a prefix or a
  // partition key, as in TableProperties::num_filter_entries.
  uint64_t entries = 0;

  // The size of the filter blocks in bytes, without the trailers that RocksDB
  // appends.
  uint64_t bytes = 0;

  // The time spent in FilterBitsBuilder::Finish, in nanoseconds. Finish sets
  // the bits and, with detect_filter_construct_corruption, checks the hashes.
  // The time excludes hashing the keys before Finish, and checking the filter
  // after Finish.
  uint64_t build_nanos = 0;

  // How many of filters_built match every key. The reason is that memory could
  // not be allocated, or that the hashes of the keys had changed in memory. If
  // the hashes had changed, RocksDB gives up writing the SST file.
  uint64_t match_all_filters = 0;

  // The number of filter blocks that were read and are not a well-formed
  // filter. Such a block matches every key. If the block cache drops a block
  // and RocksDB reads it again, the block counts again.
  uint64_t damaged_blocks = 0;

  // Returns the figures as lines of text, in the style of Cassandra's `nodetool
  // tablestats`.
  CASSANDRA_BLOOM_EXPORT std::string ToString() const;
};

// Sets `*statistics` to the figures of `policy`. If `policy` wraps a policy of
// this library and returns it from Customizable::Inner, these are the figures
// of the wrapped policy. Returns false, and leaves `*statistics` unchanged, for
// a policy of another library. May be called in any thread.
CASSANDRA_BLOOM_EXPORT bool GetCassandraBloomStatistics(
    const FilterPolicy& policy, CassandraBloomStatistics* statistics);

// Returns the sums of the figures of all policies of this process, including
// destroyed ones.
CASSANDRA_BLOOM_EXPORT CassandraBloomStatistics
GetCassandraBloomStatisticsTotal();

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
// - the listener of filter_db_export.h,
// - the following mark. If an OPTIONS file has this mark, a process that has
//   not called this function refuses the file:
//
//   memtable_factory={id=SkipListFactory:00;cassandra_bloom=required}
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
