// SPDX-License-Identifier: Apache-2.0

// Apache Cassandra's Bloom filter as a RocksDB FilterPolicy.
//
//   rocksdb::BlockBasedTableOptions table_options;
//   table_options.filter_policy.reset(rocksdb::NewCassandraBloomPolicy(10));
//
// or "filter_policy=cassandra_bloom:10" in any options string or OPTIONS file:
// the shared library makes the name known when it is loaded. A program that is
// linked to the static library calls register_cassandra_bloom.
//
// A policy is immutable and safe for concurrent use. It works in full and
// partitioned filters, with whole keys, prefixes or both. It reads its own
// filters whatever bits per key they were built with, and with
// blocks=rocksdb also those of RocksDB's own policies. Other filters it does
// not see: after a change from or to another policy, to another partition key
// or to the other value of `blocks`, reads are unfiltered, never wrong, until
// compaction has rewritten the files.
//
// All functions refuse to work in a process whose RocksDB is another release
// (major.minor) than the one this library was compiled for. Those that return
// no Status say so in a line on stderr.

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

// `bits_per_key`: memory per key, as in NewBloomFilterPolicy, rounded to
// thousandths. Below 0.5 no filter is built; 0.5 to 1 counts as 1; above 100
// and NaN count as 100. Whole numbers from 1 to 20 give exactly the filter that
// Cassandra builds with that many buckets per element.
//
// The caller owns the result, and usually gives it to a shared_ptr. If this
// process runs another release of RocksDB than this library was compiled for,
// the result is nullptr, which means "no filter" to RocksDB.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicy(
    double bits_per_key);

// `fp_chance`: Cassandra's bloom_filter_fp_chance, 0.0000671 ... 1, with
// Cassandra's choice of size and probes; at 1 no filter is built.
//
// A value out of range, or NaN, gives a policy that DB::Open refuses with
// InvalidArgument. Where RocksDB does not validate options, this policy builds
// no filter and says so in the LOG or on stderr. The caller owns the result.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicyForFpChance(
    double fp_chance);

// As NewCassandraBloomPolicy, with blocks=rocksdb (below): for a database that
// has filters of RocksDB's own policies.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicyBesideRocksdb(
    double bits_per_key);

// Fewer false positives, or less memory, than RocksDB's own policies give a
// database with leveled compaction: `bits_per_key` is the average over all
// keys, small levels get more than large ones (allocation=monkey, below), and
// the bottommost files, which hold most keys, get RocksDB's Ribbon filter,
// which takes less memory. Blocks are those of blocks=rocksdb, so the filters
// of an existing database go on working.
//
// In universal and FIFO compaction, without
// level_compaction_dynamic_level_bytes, and until the next open in a column
// family that is made in an open database, all files get `bits_per_key`; the
// LOG says so. Column families that share a policy object are treated alike:
// make one policy for each whose levels are filled in another way. While much
// of a database is in level 0, filters take more. `bits_per_key` must be such
// that no level gets less than 1 or more than 100: from about 1.6 to 86. Others
// are refused as a wrong fp_chance is.
CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomMixPolicy(
    double bits_per_key);

struct CassandraBloomOptions {
  // `bits_per_key` as for NewCassandraBloomPolicy, `fp_chance` as for
  // NewCassandraBloomPolicyForFpChance. If fp_chance is not 0, it replaces
  // bits_per_key.
  double bits_per_key = 10;
  double fp_chance = 0;

  // Each of these lists replaces bits_per_key. It has the bits per key, or the
  // chance, of the SST files that are written to level 0, level 1, and so on.
  // The number at its end also holds for all further levels. At most one of
  // fp_chance and the two lists may be set. DB::Open refuses bits outside 0 to
  // 100 and a chance outside 0.0000671 to 1 in these lists and in the members
  // below, as it refuses a wrong fp_chance.
  std::vector<double> level_bits;
  std::vector<double> level_fp_chance;

  // Either of these replaces all members above in SST files of which RocksDB
  // knows that no deeper level holds keys of their range. A flushed file is
  // never such a file.
  std::optional<double> bottommost_bits;
  std::optional<double> bottommost_fp_chance;

  // `uniform` or `monkey`. `monkey` takes bits_per_key as the average, cannot
  // be combined with the other members above, and spreads the average over the
  // levels of leveled compaction so that reads have the fewest false positives.
  // Each level has ln T / (ln 2)^2 more bits per key than the one below it, 4.8
  // for T = 10, and at most 14.4 more than the deepest level (Dayan,
  // Athanassoulis, Idreos: Monkey, SIGMOD 2017). In universal and FIFO
  // compaction every file has the average.
  //
  // Monkey counts levels upwards from the deepest one, which is how
  // level_compaction_dynamic_level_bytes fills them. Without that option,
  // bottom_level must be the deepest level that holds data. With leveled
  // compaction, exactly one of the two must be set; otherwise DB::Open refuses
  // the database.
  std::string allocation = "uniform";
  std::optional<double> size_ratio;  // T, 2 to 1000; default: 10
  std::optional<int> bottom_level;   // 1 to 100

  // An SST file has the bits per key of the level that it is written to, even
  // after RocksDB has moved it unchanged to another level. A file whose level
  // is unknown (SstFileWriter, RepairDB) has the number for bottommost files if
  // there is one, otherwise the number at the end of the list; with monkey it
  // has the average.

  // Where the partition key is in a storage key. The filter holds one entry for
  // all adjacent keys of a partition.
  //
  //   whole                the storage key itself
  //   fixed:N              its first N bytes
  //   skip:S               everything after its first S bytes
  //   skip:S,fixed:N       N bytes after the first S
  //   skip:S,u16           after the first S bytes: a big-endian 16-bit length
  //                        and then the key, as Cassandra writes it
  //   skip:S,composite:C   after the first S bytes: C components of a composite
  //                        partition key, each a length as above, the component
  //                        and a byte that ends it
  //
  // `u16` and `composite:C` without `skip:S` skip nothing. A storage key that
  // ends before its partition key does is taken whole. Any other spelling is
  // refused like a wrong fp_chance.
  std::string partition_key = "whole";

  // The form of a filter block in an SST file.
  //
  //   cassandra   a Filter.db and nothing else, in a filter named
  //               cassandra_bloom. RocksDB's own policies and this policy do
  //               not see each other's filters.
  //   rocksdb     a Filter.db and five bytes, in a filter named
  //               rocksdb.BuiltinBloomFilter, as the filters of all of
  //               RocksDB's own policies are. This policy then reads the
  //               filters that RocksDB's Bloom and Ribbon policies have
  //               written. RocksDB's own policies read this form as a filter
  //               that matches every key. For an existing database, and for
  //               one that other programs read. Only with `whole` as
  //               partition_key: RocksDB's filters hold whole keys.
  //
  // Any other value is refused like a wrong fp_chance.
  std::string blocks = "cassandra";

  // Which filter an SST file gets: `cassandra`, or with blocks=rocksdb also
  // `bloom` or `ribbon`, which are RocksDB's own. `bottommost_filter` is for
  // files of which RocksDB knows that no deeper level holds keys of their
  // range; empty, it is the same as `filter`. RocksDB's filters get as many
  // bits per key as ours would have there; for `ribbon` these are the bits of a
  // Bloom filter with the same false positive rate, as in
  // NewRibbonFilterPolicy. RocksDB makes Bloom filters instead of Ribbon
  // filters in flushed files, except in FIFO compaction. A small fp_chance is
  // not quite reached by RocksDB's filters, which need more bits for it than
  // ours.
  std::string filter = "cassandra";
  std::string bottommost_filter;

  // If not 0, the bits per key of NewCassandraBloomMixPolicy. No other member
  // may then be set.
  double mix = 0;
};

CASSANDRA_BLOOM_EXPORT const FilterPolicy* NewCassandraBloomPolicyFromOptions(
    const CassandraBloomOptions& options);

// Makes the prefix extractor "cassandra_partition:" + partition_key. Its
// prefixes end where the partition key does, so that iterators within a
// partition use the filter, too:
//
//   options.prefix_extractor = ...;  // skip:8,u16
//   table_options.filter_policy = ...;  // with the same partition_key
//   iterator->Seek(any key of the partition);
//
// Get and Seek then use the same entry of the filter. An iterator that goes
// beyond the partition needs ReadOptions::total_order_seek or auto_prefix_mode,
// as with every prefix extractor. Use this extractor only with bytewise
// comparators.
//
// Returns InvalidArgument for a partition key without an end (`whole` or
// `skip:S`) and for any spelling that CassandraBloomOptions::partition_key does
// not list. Returns NotSupported if this process runs another release of
// RocksDB than this library was compiled for.
CASSANDRA_BLOOM_EXPORT Status NewCassandraPartitionTransform(
    const std::string& partition_key,
    std::shared_ptr<const SliceTransform>* transform);

}  // namespace ROCKSDB_NAMESPACE

// Makes `library` know every filter_policy string that begins with
// "cassandra_bloom", every prefix_extractor string that begins with
// "cassandra_partition", the listener of filter_db_export_listener.h, and
// "memtable_factory={id=SkipListFactory:00;cassandra_bloom=required}", a mark
// in an OPTIONS file: a process in which nobody has called this function
// refuses that file. The shared library calls it for RocksDB's default registry
// when it is loaded. For the static library, or another registry:
//
//   rocksdb::ObjectRegistry::Default()->AddLibrary(
//       "cassandra_bloom", register_cassandra_bloom, "");
//
// The signature is that of a RocksDB plugin's registrar; `arg` is ignored.
// Returns the number of factories in the library. If this process runs another
// release of RocksDB than this library was compiled for, adds nothing and
// returns 0. A further call does no harm.
extern "C" CASSANDRA_BLOOM_EXPORT int register_cassandra_bloom(
    ROCKSDB_NAMESPACE::ObjectLibrary& library, const std::string& arg);

#endif  // CASSANDRA_BLOOM_FILTER_POLICY_H_
