// SPDX-License-Identifier: Apache-2.0

// The C interface of this library. It reads and writes Cassandra's Filter.db
// files, and it gives C programs the filter policy for RocksDB.
//
// This header is valid C99 and C++. Only the last section needs RocksDB. The
// functions of that section are only in librocksdb_cassandra_bloom.so and in
// librocksdb_cassandra_bloom.a. All other functions are also in
// libcassandra_bloom.so, which does not depend on RocksDB. Link only one of
// these libraries.
//
// Conventions (like those of rocksdb/c.h):
//
// - A handle is a pointer to an opaque struct. The caller destroys each handle
//   that a function returned, with the "destroy" function for the type of the
//   handle. Destroying NULL does nothing.
// - A key is a pointer and a size in bytes. A key may contain any bytes. The
//   pointer may be NULL if the size is 0. In a Filter.db that Cassandra is to
//   read, or has written, a key is the partition key as Cassandra serializes
//   it, such as 4 bytes, big-endian, for an int (docs/format.md, "Which bytes
//   of a key are hashed").
// - No function keeps its pointer arguments after it has returned.
// - A function that can fail has `errptr` as its last argument. On failure, it
//   returns false or NULL.
// - The caller may pass NULL as `errptr`. Otherwise *errptr must be NULL or an
//   earlier message of this library or of RocksDB.
// - On failure, a function frees the earlier message and sets *errptr to a new
//   one. The new message is a sentence that names the wrong value and what was
//   expected. The caller frees the message with cassandra_bloom_free. If there
//   is no memory for the message, *errptr becomes NULL.
// - On success, *errptr does not change.
// - A function with `errptr` also fails if memory cannot be allocated.
//   Functions without `errptr` cannot fail. No C++ exception leaves this
//   library.
// - An argument may be NULL only if its comment allows NULL. A function with
//   `errptr` fails if a path, a version or a name is NULL.
// - Strings end in NUL. They are UTF-8, except for file names, which may have
//   any bytes that the file system allows.
// - Functions without a handle are safe for concurrent use. The comment of each
//   handle type says what is safe with a handle.
//
// The symbols are versioned (CASSANDRA_BLOOM_0.1). A released function keeps
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

// Returns the version of this library, for example "1.2.3". The caller must not
// free the string.
CASSANDRA_BLOOM_EXPORT const char* cassandra_bloom_version(void);

// Frees a message from *errptr. Does nothing if `memory` is NULL.
CASSANDRA_BLOOM_EXPORT void cassandra_bloom_free(void* memory);

// Computes Cassandra's Murmur3 hash of a key. Sets hash[0] and hash[1] to the
// two numbers that Cassandra's MurmurHash.hash3_x64_128 returns for seed 0.
//
// This hash can differ from standard MurmurHash3 x64 128, because Cassandra
// reads the tail of a key as signed bytes. The tail is the last key_size % 16
// bytes. The two hashes differ if a byte of the tail, other than its eighth
// byte, is above 0x7f.
CASSANDRA_BLOOM_EXPORT void cassandra_bloom_hash(const char* key,
                                                 size_t key_size,
                                                 uint64_t hash[2]);

// ---- Reading a Filter.db ----

// A Filter.db in memory. It never changes. Several threads may use one handle
// at the same time, except for cassandra_bloom_filter_destroy.
typedef struct cassandra_bloom_filter_t cassandra_bloom_filter_t;

// Opens the Filter.db at `path`.
//
// `sstable_version`: an SSTable version, such as "nb" or "ka", or the name of a
// form, which is a layout that several versions share: "before-ma", "ma-to-me"
// or "na-and-later". This argument is needed because a Filter.db does not
// contain its form. If the argument is NULL, the version is taken from the file
// name, for example from nb-1-big-Filter.db.
//
// The file is read into memory.
CASSANDRA_BLOOM_EXPORT cassandra_bloom_filter_t* cassandra_bloom_filter_open(
    const char* path, const char* sstable_version, char** errptr);

CASSANDRA_BLOOM_EXPORT void cassandra_bloom_filter_destroy(
    cassandra_bloom_filter_t* filter);

// Returns true if the key may have been added to the filter. Returns false only
// if the key was certainly not added. If the Filter.db was empty (0 bytes),
// returns true for every key, because Cassandra 5.0 treats every key as present
// in an empty Filter.db.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_filter_may_contain(
    const cassandra_bloom_filter_t* filter, const char* key, size_t key_size);

// Looks up `num_keys` keys, faster than with one call for each key. Key i has
// key_sizes[i] bytes at keys[i]. Sets may_contain[i] to the answer of
// cassandra_bloom_filter_may_contain for key i. The three arrays may be NULL if
// `num_keys` is 0.
CASSANDRA_BLOOM_EXPORT void cassandra_bloom_filter_may_contain_many(
    const cassandra_bloom_filter_t* filter, const char* const* keys,
    const size_t* key_sizes, size_t num_keys, bool* may_contain);

// Returns the name of the filter's form: "before-ma", "ma-to-me" or
// "na-and-later". The caller must not free the string.
CASSANDRA_BLOOM_EXPORT const char* cassandra_bloom_filter_form(
    const cassandra_bloom_filter_t* filter);

// Returns the number of bits that each key sets (k). It is 1 to 21, or 0 if the
// Filter.db was empty.
CASSANDRA_BLOOM_EXPORT int cassandra_bloom_filter_num_probes(
    const cassandra_bloom_filter_t* filter);

// Returns the size of the filter, in words of 64 bits. It is 0 if the Filter.db
// was empty.
CASSANDRA_BLOOM_EXPORT uint32_t
cassandra_bloom_filter_num_words(const cassandra_bloom_filter_t* filter);

// Returns the most likely number of keys in the filter, estimated from the
// number of bits that are set. The number is infinite if all bits are set, or
// if the Filter.db was empty. Reads the whole filter.
CASSANDRA_BLOOM_EXPORT double cassandra_bloom_filter_estimated_keys(
    const cassandra_bloom_filter_t* filter);

// ---- Building a Filter.db ----

// A filter that is being built. It keeps the bits of the filter, not the keys.
// Only one thread at a time may use a builder.
typedef struct cassandra_bloom_builder_t cassandra_bloom_builder_t;

// Returns a builder with an empty filter. The filter has the size and the
// number of probes that Cassandra chooses for `expected_keys` keys. If more
// keys are added, there are more false positives, but never false negatives.
// Fails if the filter would be larger than 16 GiB, the limit of a Filter.db.
//
// `sstable_version`: as for cassandra_bloom_filter_open, but not NULL.
//
// `bits_per_key`: 1 to 100. A whole number up to 20 is what Cassandra calls
// buckets per element.
CASSANDRA_BLOOM_EXPORT cassandra_bloom_builder_t*
cassandra_bloom_builder_new_for_bits_per_key(double bits_per_key,
                                             uint64_t expected_keys,
                                             const char* sstable_version,
                                             char** errptr);

// Like cassandra_bloom_builder_new_for_bits_per_key, but computes the size of
// the filter from `fp_chance`. `fp_chance` is Cassandra's
// bloom_filter_fp_chance. It must be at least 0.0000671 and less than 1,
// because Cassandra builds no filter for 1.
CASSANDRA_BLOOM_EXPORT cassandra_bloom_builder_t*
cassandra_bloom_builder_new_for_fp_chance(double fp_chance,
                                          uint64_t expected_keys,
                                          const char* sstable_version,
                                          char** errptr);

CASSANDRA_BLOOM_EXPORT void cassandra_bloom_builder_destroy(
    cassandra_bloom_builder_t* builder);

CASSANDRA_BLOOM_EXPORT void cassandra_bloom_builder_add(
    cassandra_bloom_builder_t* builder, const char* key, size_t key_size);

// Writes a Filter.db with all keys added so far to the file `path`. More keys
// may be added afterwards. First writes a temporary file in the same folder.
// The temporary file gets the name `path` when it is complete and on disk. If
// `path` exists and `overwrite` is false, fails and leaves the file unchanged.
// Does not check that the file name has the SSTable version of the builder. If
// `path` is anything but a regular file, even a symbolic link, fails and leaves
// it unchanged.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_builder_write(
    cassandra_bloom_builder_t* builder, const char* path, bool overwrite,
    char** errptr);

// ---- RocksDB: in librocksdb_cassandra_bloom.so and the static library ----

// Registers the filter policy in RocksDB's default registry under the name
// "cassandra_bloom". RocksDB then understands strings such as
//
//   block_based_table_factory={filter_policy=cassandra_bloom:10}
//
// in rocksdb_get_options_from_string and in OPTIONS files. Also registers the
// listener of filter_db_export.h.
//
// The shared library calls this function when it is loaded. A program that is
// linked to the static library must call it once, before the first such string.
// Further calls do nothing.
//
// Fails if this process runs another release of RocksDB (major.minor) than the
// one that this library was compiled for. The function uses the registry of the
// shared librocksdb that this library is linked to. If a program links its own
// RocksDB statically, the function cannot reach the registry of that RocksDB,
// and does not detect this.
CASSANDRA_BLOOM_EXPORT bool cassandra_bloom_register_with_rocksdb(
    char** errptr);

#ifdef __cplusplus
}
#endif

#endif  // CASSANDRA_BLOOM_C_H_
