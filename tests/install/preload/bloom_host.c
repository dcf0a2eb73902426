/* SPDX-License-Identifier: Apache-2.0 */

/* A C program that uses RocksDB's Bloom filter and knows nothing of
 * cassandra_bloom:
 *
 *   bloom_host DATABASE write|compact|read full|bloom|dlsym BITS
 *
 * `write` makes the database with 1000 rows. `compact` rewrites its SST file.
 * These commands and `read` then look up all rows and as many absent keys, and
 * print the answers.
 *
 * With `full`, rocksdb_filterpolicy_create_bloom_full makes the policy. With
 * `bloom`, rocksdb_filterpolicy_create_bloom makes the policy. With `dlsym`,
 * the program calls rocksdb_filterpolicy_create_bloom_full at the address that
 * dlsym finds in RocksDB's library. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kNumRows = 1000 };

static void Require(char* error) {
  if (error != NULL) {
    fprintf(stderr, "%s\n", error);
    exit(1);
  }
}

static rocksdb_filterpolicy_t* NewPolicy(const char* how, double bits) {
  rocksdb_filterpolicy_t* (*create)(double) = NULL;
  Dl_info rocksdb;
  void* symbol;
  if (strcmp(how, "full") == 0) {
    return rocksdb_filterpolicy_create_bloom_full(bits);
  }
  if (strcmp(how, "bloom") == 0) {
    return rocksdb_filterpolicy_create_bloom(bits);
  }
  symbol = dlsym(RTLD_DEFAULT, "rocksdb_open");
  if (symbol == NULL || dladdr(symbol, &rocksdb) == 0) {
    return NULL;
  }
  symbol = dlsym(dlopen(rocksdb.dli_fname, RTLD_NOW),
                 "rocksdb_filterpolicy_create_bloom_full");
  memcpy(&create, &symbol, sizeof(symbol));
  return create(bits);
}

static void Put(rocksdb_t* db, int i) {
  rocksdb_writeoptions_t* const options = rocksdb_writeoptions_create();
  char* error = NULL;
  char key[16];
  snprintf(key, sizeof(key), "key%06d", i);
  rocksdb_put(db, options, key, strlen(key), "value", 5, &error);
  Require(error);
  rocksdb_writeoptions_destroy(options);
}

static void Compact(rocksdb_t* db) {
  enum { kForce = 2 }; /* BottommostLevelCompaction */
  rocksdb_compactoptions_t* const all = rocksdb_compactoptions_create();
  rocksdb_compactoptions_set_bottommost_level_compaction(all, kForce);
  rocksdb_compact_range_opt(db, all, NULL, 0, NULL, 0);
  rocksdb_compactoptions_destroy(all);
}

static int NumFound(rocksdb_t* db, const char* suffix) {
  rocksdb_readoptions_t* const options = rocksdb_readoptions_create();
  int found = 0;
  int i;
  for (i = 0; i < kNumRows; ++i) {
    char* error = NULL;
    char key[20];
    size_t size;
    char* value;
    snprintf(key, sizeof(key), "key%06d%s", i, suffix);
    value = rocksdb_get(db, options, key, strlen(key), &size, &error);
    Require(error);
    found += value != NULL ? 1 : 0;
    free(value);
  }
  rocksdb_readoptions_destroy(options);
  return found;
}

static int NumFiltered(rocksdb_options_t* options) {
  static const char name[] = "rocksdb.bloom.filter.useful COUNT : ";
  char* const statistics = rocksdb_options_statistics_get_string(options);
  const char* const line = strstr(statistics, name);
  const int filtered = line == NULL ? -1 : atoi(line + strlen(name));
  free(statistics);
  return filtered;
}

/* Keeps the size of the filter exact. RocksDB 7.8 does not have the function,
 * and keeps the size exact by default. */
static void DoNotOptimizeForMemory(rocksdb_block_based_table_options_t* table) {
  void (*set)(rocksdb_block_based_table_options_t*, unsigned char);
  *(void**)&set =
      dlsym(RTLD_DEFAULT,
            "rocksdb_block_based_options_set_optimize_filters_for_memory");
  if (set != NULL) {
    set(table, 0);
  }
}

int main(int argc, char** argv) {
  rocksdb_block_based_table_options_t* const table =
      rocksdb_block_based_options_create();
  rocksdb_options_t* const options = rocksdb_options_create();
  rocksdb_flushoptions_t* const flush = rocksdb_flushoptions_create();
  const int writes = argc == 5 && strcmp(argv[2], "write") == 0;
  char* error = NULL;
  rocksdb_t* db;
  int present, absent, i;
  if (argc != 5) {
    return 2;
  }
  rocksdb_block_based_options_set_filter_policy(
      table, NewPolicy(argv[3], atof(argv[4])));
  DoNotOptimizeForMemory(table);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_options_enable_statistics(options);
  rocksdb_options_set_create_if_missing(options, (unsigned char)writes);
  rocksdb_options_set_error_if_exists(options, (unsigned char)writes);
  db = rocksdb_open(options, argv[1], &error);
  Require(error);
  for (i = 0; writes && i < kNumRows; ++i) {
    Put(db, i);
  }
  rocksdb_flush(db, flush, &error);
  Require(error);
  if (strcmp(argv[2], "compact") == 0) {
    Compact(db);
  }
  present = NumFound(db, "");
  absent = NumFound(db, "-");
  printf("%d rows and %d others found, %d filtered\n", present, absent,
         NumFiltered(options));
  rocksdb_close(db);
  rocksdb_flushoptions_destroy(flush);
  rocksdb_options_destroy(options);
  rocksdb_block_based_options_destroy(table);
  return 0;
}
