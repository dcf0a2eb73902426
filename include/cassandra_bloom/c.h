// SPDX-License-Identifier: Apache-2.0

// The C interface: Cassandra's Filter.db files for every language, and the
// RocksDB filter policy for programs that use RocksDB through its C interface.
//
// For C99 and C++. The last part of this header needs RocksDB. It is only in
// librocksdb_cassandra_bloom.so and in the static library of the same name.
// Everything else is also in libcassandra_bloom.so, which does not depend on
// RocksDB. Link only one of the two libraries.
//
// Conventions (the same as in rocksdb/c.h, where that has a convention):
//
// - Handles are opaque. The caller destroys each handle that it made, with the
//   function for the handle's type; destroying NULL does nothing.
// - A key is a pointer and a size in bytes; it may hold any bytes. The pointer
//   may be NULL if the size is 0. No function keeps a pointer that it was
//   given.
// - A function that can fail returns false or NULL on failure, and its last
//   argument is `errptr`. Pass NULL if the message is not wanted. Otherwise
//   *errptr must be NULL or an earlier message of this library or of RocksDB.
//   On failure, that message is freed and *errptr becomes a sentence that names
//   the value and what was expected; the caller frees it with
//   cassandra_bloom_free. On success, *errptr does not change. If memory cannot
//   be allocated even for the sentence, *errptr is NULL.
// - A lack of memory is also reported in this way: no C++ exception leaves this
//   library. Functions without `errptr` cannot fail.
// - Arguments must not be NULL unless their comment says that they may. In a
//   function with an `errptr`, a path, a version or a buffer that is NULL is a
//   failure.
// - Strings end in NUL. They are UTF-8, except for file names, which are
//   whatever bytes the file system has.
// - Functions without a handle are safe for concurrent use. The comment of each
//   handle's type says what is safe with handles.
//
// The symbols are versioned (CASSANDRA_BLOOM_0.1): a released function keeps
// its name, its arguments and its meaning.

#ifndef CASSANDRA_BLOOM_C_H_
#define CASSANDRA_BLOOM_C_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CASSANDRA_BLOOM_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

// The version of this library, for example "0.1.0". The caller must not free
// it.
CASSANDRA_BLOOM_EXPORT const char* cassandra_bloom_version(void);

// Frees a message from *errptr, or a string whose comment says to free it with
// this function. NULL does nothing.
CASSANDRA_BLOOM_EXPORT void cassandra_bloom_free(void* memory);

// Cassandra's Murmur3 hash of a key. Sets hash[0] and hash[1] to the two
// numbers that Cassandra's MurmurHash.hash3_x64_128 returns with seed 0. This
// hash differs from canonical MurmurHash3 x64 128 in one point: Cassandra reads
// the bytes after the last whole block of 16 bytes as signed numbers. So the
// two hashes differ if one of these bytes, other than the eighth, is above
// 0x7f. (The eighth fills the top byte of its 64-bit word, so its sign makes no
// difference.)
CASSANDRA_BLOOM_EXPORT void cassandra_bloom_hash(const char* key,
                                                 size_t key_size,
                                                 uint64_t hash[2]);

// ---- Reading a Filter.db ----

// A Filter.db in memory. Immutable: all functions except the one that destroys
// it are safe for concurrent use of one handle.
typedef struct cassandra_bloom_filter_t cassandra_bloom_filter_t;

// Opens a Filter.db. `sstable_version`: an SSTable version such as "nb" or
// "ka", or the name of a form: "before-ma", "ma-to-me" or "na-and-later". It is
// needed because nothing in a Filter.db says its form. If it is NULL, the name
// of the file gives the version, for example nb-1-big-Filter.db.
//
// The file is mapped if its bits can be used as they are, otherwise loaded.
// While the handle exists, the file must not be changed in place; it may be
// replaced or removed.
CASSANDRA_BLOOM_EXPORT cassandra_bloom_filter_t* cassandra_bloom_filter_open(
    const char* path, const char* sstable_version, char** errptr);

// Reads a whole Filter.db from `bytes`, and copies them: the caller may free
// them. `sstable_version`: as for cassandra_bloom_filter_open, but not NULL,
// because no file name gives a version.
CASSANDRA_BLOOM_EXPORT cassandra_bloom_filter_t*
cassandra_bloom_filter_from_bytes(const char* bytes, size_t size,
                                  const char* sstable_version, char** errptr);

CASSANDRA_BLOOM_EXPORT void cassandra_bloom_filter_destroy(
    cassandra_bloom_filter_t* filter);

// True if the key may have been added. False only if it certainly was not.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_filter_may_contain(
    const cassandra_bloom_filter_t* filter, const char* key, size_t key_size);

// Sets may_contain[i] to the answer for the key of key_sizes[i] bytes at
// keys[i], for all `num_keys` keys. Faster than one call for each key. The
// three arrays may be NULL if `num_keys` is 0.
CASSANDRA_BLOOM_EXPORT void cassandra_bloom_filter_may_contain_many(
    const cassandra_bloom_filter_t* filter, const char* const* keys,
    const size_t* key_sizes, size_t num_keys, bool* may_contain);

// True if the file was empty. Cassandra 5.0 treats every key as present in an
// empty filter, and so do the queries of this handle. Such a filter has no
// probes, no words and no bits.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_filter_always_present(
    const cassandra_bloom_filter_t* filter);

// The name of the filter's form: "before-ma", "ma-to-me" or "na-and-later". The
// caller must not free it.
CASSANDRA_BLOOM_EXPORT const char* cassandra_bloom_filter_form(
    const cassandra_bloom_filter_t* filter);

// The number of bits that a key sets (k): 1 ... 21, or 0 for a filter that is
// always present (cassandra_bloom_filter_always_present).
CASSANDRA_BLOOM_EXPORT int cassandra_bloom_filter_num_probes(
    const cassandra_bloom_filter_t* filter);

// The size of the filter, in words of 64 bits.
CASSANDRA_BLOOM_EXPORT uint32_t
cassandra_bloom_filter_num_words(const cassandra_bloom_filter_t* filter);

// The number of bits that are set. Reads the whole filter.
CASSANDRA_BLOOM_EXPORT uint64_t
cassandra_bloom_filter_count_set_bits(const cassandra_bloom_filter_t* filter);

// The most likely number of keys in the filter, estimated from the number of
// bits that are set. Infinite if all bits are set, or if the filter is always
// present. Reads the whole filter.
CASSANDRA_BLOOM_EXPORT double cassandra_bloom_filter_estimated_keys(
    const cassandra_bloom_filter_t* filter);

// The fraction of absent keys that pass, 0 ... 1, estimated from the number of
// bits that are set. Reads the whole filter.
CASSANDRA_BLOOM_EXPORT double cassandra_bloom_filter_estimated_fp_rate(
    const cassandra_bloom_filter_t* filter);

// ---- Building a Filter.db ----

// A filter that is being built. It keeps the bits of the filter, not the keys.
// Only one thread at a time may use a builder; builders are independent of each
// other.
typedef struct cassandra_bloom_builder_t cassandra_bloom_builder_t;

// Makes a builder whose filter is empty and has the size and the number of
// probes that Cassandra chooses for `expected_keys` keys. More keys than
// `expected_keys` cause more false positives, never false negatives. Fails if
// the filter would be larger than 16 GiB, which a Filter.db cannot express.
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

// Like cassandra_bloom_builder_new_for_bits_per_key, but the size follows from
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

// Adds `num_keys` keys. The arrays are as for
// cassandra_bloom_filter_may_contain_many.
CASSANDRA_BLOOM_EXPORT void cassandra_bloom_builder_add_many(
    cassandra_bloom_builder_t* builder, const char* const* keys,
    const size_t* key_sizes, size_t num_keys);

// Like cassandra_bloom_filter_num_probes and cassandra_bloom_filter_num_words,
// for the filter being built.
CASSANDRA_BLOOM_EXPORT int cassandra_bloom_builder_num_probes(
    const cassandra_bloom_builder_t* builder);
CASSANDRA_BLOOM_EXPORT uint32_t
cassandra_bloom_builder_num_words(const cassandra_bloom_builder_t* builder);

// The size in bytes of the Filter.db: 8 + 8 * words.
CASSANDRA_BLOOM_EXPORT size_t
cassandra_bloom_builder_file_size(const cassandra_bloom_builder_t* builder);

// Writes the bytes of the Filter.db, with the keys added so far, to `buffer`,
// which has room for `buffer_size` bytes. Fails if `buffer_size` is less than
// cassandra_bloom_builder_file_size. Keys may be added afterwards.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_builder_serialize(
    cassandra_bloom_builder_t* builder, char* buffer, size_t buffer_size,
    char** errptr);

// Writes the bytes of the Filter.db, with the keys added so far, to the file
// `path`. The bytes go to a temporary file in the same folder, which gets the
// name `path` when it is complete and on disk. Without `overwrite`, an existing
// `path` is a failure and is left alone. The file name is not compared with the
// SSTable version.
//
// If `path` is a symbolic link, the link stays, and the file that it leads to
// is written in this way. For a FIFO, a character device or "-", which is
// standard output, the bytes are written directly, whatever `overwrite` says.
// Opening a FIFO waits for its reader; if the reader goes away, that is a
// failure, without SIGPIPE. A folder, a socket or a block device is a failure
// and is left alone.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_builder_write(
    cassandra_bloom_builder_t* builder, const char* path, bool overwrite,
    char** errptr);

// ---- RocksDB: in librocksdb_cassandra_bloom.so and the static library ----

// The version of RocksDB that the library was compiled for, for example
// "7.8.3". The library works with every patch release of the same major.minor,
// and with no other release. The caller must not free it.
CASSANDRA_BLOOM_EXPORT const char* cassandra_bloom_rocksdb_version(void);

// Registers the policy with RocksDB's default registry under the name
// "cassandra_bloom" (and the listener of filter_db_export_listener.h), so that
// strings such as
//
//   block_based_table_factory={filter_policy=cassandra_bloom:10}
//
// work in rocksdb_get_options_from_string and in OPTIONS files. The shared
// library calls this function when it is loaded. A program that is linked to
// the static library calls it once, before the first such string. Further calls
// do nothing.
//
// Fails if the RocksDB of this process is another release (major.minor) than
// cassandra_bloom_rocksdb_version. The registry is the one of the shared
// librocksdb that this library is linked to. A program that links its own
// RocksDB statically has another registry: this function does not reach it, and
// cannot detect that.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_register_with_rocksdb(
    char** errptr);

// The figures of all policies of this process, including destroyed ones, up to
// the call of cassandra_bloom_statistics_total. (A single policy has no handle
// in C.) filter_statistics.h says what each figure counts. Immutable; safe for
// concurrent use.
typedef struct cassandra_bloom_statistics_t cassandra_bloom_statistics_t;

// Gets the figures. Fails only if memory cannot be allocated.
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

// All figures, as lines in the style of `nodetool tablestats`. The caller frees
// the string with cassandra_bloom_free. Returns NULL only if memory cannot be
// allocated.
CASSANDRA_BLOOM_EXPORT char* cassandra_bloom_statistics_to_string(
    const cassandra_bloom_statistics_t* statistics, char** errptr);

#ifdef __cplusplus
}
#endif

#endif  // CASSANDRA_BLOOM_C_H_
