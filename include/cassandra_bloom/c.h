// SPDX-License-Identifier: Apache-2.0

// The C interface: Cassandra's Filter.db files for every language, and the
// RocksDB filter policy for programs that use RocksDB through its C interface.
//
// C99 and C++. Everything but the last part needs no RocksDB and is in two
// shared libraries: libcassandra_bloom.so, which depends on no RocksDB, and
// librocksdb_cassandra_bloom.so. The last part is in the latter alone. A
// program links one of them, not both.
//
// Conventions, those of rocksdb/c.h where it has one:
//
// - Handles are opaque. Whoever makes one destroys it with the function of its
//   type; destroying NULL does nothing.
// - A key is a pointer and a size in bytes; it may hold any bytes. The pointer
//   may be NULL if the size is 0. Nothing keeps a pointer that it was given.
// - What can fail says so by its result, false or NULL, and takes `errptr` as
//   its last argument. NULL: the message is not wanted. Otherwise *errptr must
//   be NULL or an earlier message, from here or from RocksDB. On failure that
//   is freed, and *errptr is a sentence that names the value and what was
//   expected; the caller frees it with cassandra_bloom_free. On success *errptr
//   is left as it is. If there is no memory even for the sentence, it is NULL.
// - Want of memory is such a failure: no C++ exception comes out of here.
//   Functions without `errptr` cannot fail.
// - Arguments must not be NULL unless it is said that they may. Where there is
//   an `errptr`, a path, a version or a buffer that is NULL is a failure.
// - Strings are UTF-8 or whatever bytes the file system has, and end in NUL.
// - Functions without a handle are safe for concurrent use; of handles, the
//   types say it.
//
// The symbols are versioned (CASSANDRA_BLOOM_0.1): a function, once released,
// keeps its name, its arguments and its meaning.

#ifndef CASSANDRA_BLOOM_C_H_
#define CASSANDRA_BLOOM_C_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CASSANDRA_BLOOM_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

// The version of this library, such as "0.1.0". Never freed.
CASSANDRA_BLOOM_EXPORT const char* cassandra_bloom_version(void);

// Frees a message of *errptr, or a string that is said to be freed so. NULL
// does nothing.
CASSANDRA_BLOOM_EXPORT void cassandra_bloom_free(void* memory);

// Cassandra's Murmur3 of a key: hash[0] and hash[1] are the two numbers of its
// MurmurHash.hash3_x64_128. Equal to canonical MurmurHash3 x64 128 with seed 0
// only if no tail byte is above 0x7f.
CASSANDRA_BLOOM_EXPORT void cassandra_bloom_hash(const char* key,
                                                 size_t key_size,
                                                 uint64_t hash[2]);

// ---- Reading a Filter.db ----

// A Filter.db in memory. Immutable; all functions but the destruction are safe
// for concurrent use of one handle.
typedef struct cassandra_bloom_filter_t cassandra_bloom_filter_t;

// `sstable_version`: nothing in a Filter.db says its form; this does: an
// SSTable version such as "nb" or "ka", or a form by its name, "before-ma",
// "ma-to-me" or "na-and-later". NULL takes it from the name of the file, such
// as nb-1-big-Filter.db.
//
// The file is mapped if its bits can be used as they are, otherwise loaded. It
// must not be changed in place meanwhile; it may be replaced or removed.
CASSANDRA_BLOOM_EXPORT cassandra_bloom_filter_t* cassandra_bloom_filter_open(
    const char* path, const char* sstable_version, char** errptr);

// From the bytes of a whole Filter.db, which are copied: the caller may free
// them. `sstable_version` as above, but there is no file to take it from.
CASSANDRA_BLOOM_EXPORT cassandra_bloom_filter_t*
cassandra_bloom_filter_from_bytes(const char* bytes, size_t size,
                                  const char* sstable_version, char** errptr);

CASSANDRA_BLOOM_EXPORT void cassandra_bloom_filter_destroy(
    cassandra_bloom_filter_t* filter);

// False only if the key was certainly not added.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_filter_may_contain(
    const cassandra_bloom_filter_t* filter, const char* key, size_t key_size);

// may_contain[i] is the answer for the key of key_sizes[i] bytes at keys[i],
// for all `num_keys` of them: faster than one by one. The three arrays may be
// NULL if there are no keys.
CASSANDRA_BLOOM_EXPORT void cassandra_bloom_filter_may_contain_many(
    const cassandra_bloom_filter_t* filter, const char* const* keys,
    const size_t* key_sizes, size_t num_keys, bool* may_contain);

// Was it a file of no bytes? Cassandra takes every key for present then, and so
// does the query; there are no probes, no words and no bits.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_filter_always_present(
    const cassandra_bloom_filter_t* filter);

// The form by its name, as above. Never freed.
CASSANDRA_BLOOM_EXPORT const char* cassandra_bloom_filter_form(
    const cassandra_bloom_filter_t* filter);

// Bits that a key sets (k), 1 ... 21.
CASSANDRA_BLOOM_EXPORT int cassandra_bloom_filter_num_probes(
    const cassandra_bloom_filter_t* filter);

// The size of the filter, in words of 64 bits.
CASSANDRA_BLOOM_EXPORT uint32_t
cassandra_bloom_filter_num_words(const cassandra_bloom_filter_t* filter);

// Reads the whole filter.
CASSANDRA_BLOOM_EXPORT uint64_t
cassandra_bloom_filter_count_set_bits(const cassandra_bloom_filter_t* filter);

// How many keys a filter most likely holds, by the number of bits that are set.
// Infinite if all are, or if it is always present. Reads the whole filter.
CASSANDRA_BLOOM_EXPORT double cassandra_bloom_filter_estimated_keys(
    const cassandra_bloom_filter_t* filter);

// The fraction of absent keys that pass, 0 ... 1, by the number of bits that
// are set. Reads the whole filter.
CASSANDRA_BLOOM_EXPORT double cassandra_bloom_filter_estimated_fp_rate(
    const cassandra_bloom_filter_t* filter);

// ---- Building a Filter.db ----

// A filter that is being built, in the memory of that filter alone. One thread
// at a time; builders are independent of each other.
typedef struct cassandra_bloom_builder_t cassandra_bloom_builder_t;

// An empty filter of Cassandra's size and number of probes for so many keys:
// more make false positives, never false negatives. Filters of more than
// 16 GiB have no form, and asking for one is a failure.
//
// `sstable_version`: as for cassandra_bloom_filter_open, but not NULL.
//
// `bits_per_key`: 1 ... 100. Whole numbers up to 20 are Cassandra's buckets per
// element.
CASSANDRA_BLOOM_EXPORT cassandra_bloom_builder_t*
cassandra_bloom_builder_new_for_bits_per_key(double bits_per_key,
                                             uint64_t expected_keys,
                                             const char* sstable_version,
                                             char** errptr);

// `fp_chance`: Cassandra's bloom_filter_fp_chance, at least 0.0000671 and less
// than 1. (At 1 Cassandra has no filter.)
CASSANDRA_BLOOM_EXPORT cassandra_bloom_builder_t*
cassandra_bloom_builder_new_for_fp_chance(double fp_chance,
                                          uint64_t expected_keys,
                                          const char* sstable_version,
                                          char** errptr);

CASSANDRA_BLOOM_EXPORT void cassandra_bloom_builder_destroy(
    cassandra_bloom_builder_t* builder);

CASSANDRA_BLOOM_EXPORT void cassandra_bloom_builder_add(
    cassandra_bloom_builder_t* builder, const char* key, size_t key_size);

// Adds `num_keys` keys, given as to cassandra_bloom_filter_may_contain_many.
CASSANDRA_BLOOM_EXPORT void cassandra_bloom_builder_add_many(
    cassandra_bloom_builder_t* builder, const char* const* keys,
    const size_t* key_sizes, size_t num_keys);

// As of the filter, above.
CASSANDRA_BLOOM_EXPORT int cassandra_bloom_builder_num_probes(
    const cassandra_bloom_builder_t* builder);
CASSANDRA_BLOOM_EXPORT uint32_t
cassandra_bloom_builder_num_words(const cassandra_bloom_builder_t* builder);

// The size in bytes of the Filter.db: 8 + 8 * words.
CASSANDRA_BLOOM_EXPORT size_t
cassandra_bloom_builder_file_size(const cassandra_bloom_builder_t* builder);

// Puts the bytes of the Filter.db, with the keys added so far, at `buffer`,
// which has room for `buffer_size` bytes: fewer than the size of the file is a
// failure. Keys may be added afterwards.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_builder_serialize(
    cassandra_bloom_builder_t* builder, char* buffer, size_t buffer_size,
    char** errptr);

// Writes the same bytes to a file: into a temporary file in the same folder,
// which gets its name when it is whole and on disk. A file that is already
// there is a failure, and left alone, unless `overwrite`. The name is not
// compared with the SSTable version.
//
// A symbolic link stays, and what it leads to is written so. Through a FIFO or
// a character device, and for "-" through standard output, the bytes go as they
// come, whatever `overwrite` says; a FIFO waits for its reader, and a reader
// that goes is a failure, without SIGPIPE. A folder, a socket or a block device
// is a failure and left alone.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_builder_write(
    cassandra_bloom_builder_t* builder, const char* path, bool overwrite,
    char** errptr);

// ---- RocksDB: in librocksdb_cassandra_bloom.so and the static library ----

// The version of the RocksDB that the library was compiled for, such as
// "7.8.3". It works with every patch release of the same major.minor, and with
// no other. Never freed.
CASSANDRA_BLOOM_EXPORT const char* cassandra_bloom_rocksdb_version(void);

// Makes RocksDB's default registry know the policy (and the listener of
// filter_db_export_listener.h) under the name "cassandra_bloom", so that
// strings such as
//
//   block_based_table_factory={filter_policy=cassandra_bloom:10}
//
// work in rocksdb_get_options_from_string and in OPTIONS files. Once per
// process, before the first such string; further calls do nothing. The library
// does not do it by itself when it is loaded, unless it was preloaded by
// libcassandra_bloom_preload.so.
//
// A failure if the RocksDB of this process is another release than
// cassandra_bloom_rocksdb_version. The registry is that of the shared
// librocksdb to which this library is linked: a program with a RocksDB of its
// own, linked statically, is not reached and this cannot be noticed.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_register_with_rocksdb(
    char** errptr);

// What the policies of this process, those that are gone included, have built
// and read until the call that makes this: a policy has no handle in C. The
// figures are those of filter_statistics.h, which says what each counts.
// Immutable; safe for concurrent use.
typedef struct cassandra_bloom_statistics_t cassandra_bloom_statistics_t;

// Fails only for want of memory.
CASSANDRA_BLOOM_EXPORT cassandra_bloom_statistics_t*
cassandra_bloom_statistics_total(char** errptr);

CASSANDRA_BLOOM_EXPORT void cassandra_bloom_statistics_destroy(
    cassandra_bloom_statistics_t* statistics);

CASSANDRA_BLOOM_EXPORT uint64_t cassandra_bloom_statistics_filters_built(
    const cassandra_bloom_statistics_t* statistics);
CASSANDRA_BLOOM_EXPORT uint64_t cassandra_bloom_statistics_entries(
    const cassandra_bloom_statistics_t* statistics);
CASSANDRA_BLOOM_EXPORT uint64_t cassandra_bloom_statistics_bytes(
    const cassandra_bloom_statistics_t* statistics);
CASSANDRA_BLOOM_EXPORT uint64_t cassandra_bloom_statistics_build_nanos(
    const cassandra_bloom_statistics_t* statistics);
CASSANDRA_BLOOM_EXPORT uint64_t cassandra_bloom_statistics_match_all_filters(
    const cassandra_bloom_statistics_t* statistics);
CASSANDRA_BLOOM_EXPORT uint64_t cassandra_bloom_statistics_damaged_blocks(
    const cassandra_bloom_statistics_t* statistics);

// All of them, in lines in the style of `nodetool tablestats`. The caller frees
// it with cassandra_bloom_free. NULL only for want of memory.
CASSANDRA_BLOOM_EXPORT char* cassandra_bloom_statistics_to_string(
    const cassandra_bloom_statistics_t* statistics, char** errptr);

#ifdef __cplusplus
}
#endif

#endif  // CASSANDRA_BLOOM_C_H_
