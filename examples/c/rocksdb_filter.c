/* SPDX-License-Identifier: Apache-2.0 */

/* Uses RocksDB with Cassandra's Bloom filter from C:
 *
 *   cc -std=c99 rocksdb_filter.c -o rocksdb_filter \
 *       -lrocksdb_cassandra_bloom -lrocksdb
 *   ./rocksdb_filter FOLDER
 *
 * Makes a database in FOLDER, which must not exist yet, and prints how many
 * look-ups of absent keys the filter answered. */

#include <cassandra_bloom/c.h>
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kNumKeys = 10000 };

static const char kOptions[] =
    "create_if_missing=true;error_if_exists=true;"
    "block_based_table_factory={filter_policy=cassandra_bloom:10}";

/* Ends the program with a message if `error` is not NULL. Both libraries set it
 * if a call fails. */
static void Check(const char* error) {
  if (error != NULL) {
    fprintf(stderr, "rocksdb_filter: %s\n", error);
    exit(1);
  }
}

static rocksdb_options_t* NewOptions(void) {
  rocksdb_options_t* const base = rocksdb_options_create();
  rocksdb_options_t* const options = rocksdb_options_create();
  char* error = NULL;
  rocksdb_options_enable_statistics(base);
  rocksdb_get_options_from_string(base, kOptions, options, &error);
  Check(error);
  rocksdb_options_destroy(base);
  return options;
}

static void WriteKeys(rocksdb_t* db) {
  rocksdb_writeoptions_t* const write = rocksdb_writeoptions_create();
  rocksdb_flushoptions_t* const flush = rocksdb_flushoptions_create();
  char* error = NULL;
  int i;
  for (i = 0; i < kNumKeys; ++i) {
    char key[20];
    const int size = snprintf(key, sizeof(key), "user-%d", i);
    rocksdb_put(db, write, key, (size_t)size, "value", 5, &error);
    Check(error);
  }
  rocksdb_flush(db, flush, &error);
  Check(error);
  rocksdb_flushoptions_destroy(flush);
  rocksdb_writeoptions_destroy(write);
}

/* Returns how many of the keys PREFIX-0, PREFIX-1, ... exist. */
static int CountFound(rocksdb_t* db, const char* prefix) {
  rocksdb_readoptions_t* const read = rocksdb_readoptions_create();
  char* error = NULL;
  int found = 0;
  int i;
  for (i = 0; i < kNumKeys; ++i) {
    char key[20];
    size_t value_size;
    const int size = snprintf(key, sizeof(key), "%s-%d", prefix, i);
    char* const value =
        rocksdb_get(db, read, key, (size_t)size, &value_size, &error);
    Check(error);
    found += value != NULL;
    rocksdb_free(value);
  }
  rocksdb_readoptions_destroy(read);
  return found;
}

/* Returns the number in a line of RocksDB's statistics, for example 9917 in
 * "rocksdb.bloom.filter.useful COUNT : 9917". Returns -1 without this line. */
static long Ticker(const rocksdb_options_t* options, const char* name) {
  char* const statistics =
      rocksdb_options_statistics_get_string((rocksdb_options_t*)options);
  const char* const line = strstr(statistics, name);
  long count = -1;
  if (line != NULL) {
    sscanf(line + strlen(name), " COUNT : %ld", &count);
  }
  rocksdb_free(statistics);
  return count;
}

int main(int argc, char** argv) {
  rocksdb_options_t* options;
  rocksdb_t* db;
  char* error = NULL;
  int found;
  if (argc != 2) {
    fprintf(stderr, "usage: rocksdb_filter FOLDER\n");
    return 2;
  }

  /* The shared library has already registered the policy's name. This call also
   * checks that the library was built for this release of RocksDB. */
  if (!cassandra_bloom_register_with_rocksdb(&error)) {
    Check(error != NULL ? error : "out of memory");
  }
  options = NewOptions();
  db = rocksdb_open(options, argv[1], &error);
  Check(error);

  WriteKeys(db);
  found = CountFound(db, "user");
  printf("present keys: %d of %d found\n", found, kNumKeys);
  if (found != kNumKeys) {
    return 1;
  }
  found = CountFound(db, "nobody");
  printf("absent keys:  %d of %d found, %ld answered by the filter\n", found,
         kNumKeys, Ticker(options, "rocksdb.bloom.filter.useful"));

  rocksdb_close(db);
  rocksdb_options_destroy(options);
  return 0;
}
