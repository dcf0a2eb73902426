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
// a change from or to another policy, reads are unfiltered, never wrong, until
// compaction has rewritten the files.
//
// All of this refuses to work, with a line on stderr, in a process whose
// RocksDB is another release (major.minor) than the one this library was
// compiled for.

#ifndef CASSANDRA_BLOOM_FILTER_POLICY_H_
#define CASSANDRA_BLOOM_FILTER_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <string>

#define CASSANDRA_BLOOM_EXPORT __attribute__((visibility("default")))

namespace ROCKSDB_NAMESPACE {

class FilterPolicy;
class ObjectLibrary;

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

}  // namespace ROCKSDB_NAMESPACE

// Makes the library know every filter_policy string that begins with
// "cassandra_bloom", and the listener of filter_db_export_listener.h. For
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
