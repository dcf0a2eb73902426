// SPDX-License-Identifier: Apache-2.0

// A library to preload into a program that uses RocksDB's C interface without a
// filter. The library gives all databases of the program RocksDB's Bloom filter
// with 10 bits per key. libcassandra_bloom_replace.so can replace this filter.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct rocksdb_options_t rocksdb_options_t;
typedef struct rocksdb_block_based_table_options_t table_options_t;
typedef struct rocksdb_filterpolicy_t rocksdb_filterpolicy_t;

// With RTLD_NEXT, finds RocksDB's own function. With RTLD_DEFAULT, finds a
// function that libcassandra_bloom_replace.so may have replaced.
static void* Find(void* where, const char* name) {
  void* const symbol = dlsym(where, name);
  if (symbol == NULL) {
    fprintf(stderr, "give_bloom.so: RocksDB has no %s\n", name);
    abort();
  }
  return symbol;
}

table_options_t* rocksdb_block_based_options_create(void) {
  table_options_t* (*create)(void) =
      Find(RTLD_NEXT, "rocksdb_block_based_options_create");
  rocksdb_filterpolicy_t* (*create_bloom)(double) =
      Find(RTLD_DEFAULT, "rocksdb_filterpolicy_create_bloom_full");
  void (*set)(table_options_t*, rocksdb_filterpolicy_t*) =
      Find(RTLD_NEXT, "rocksdb_block_based_options_set_filter_policy");
  table_options_t* const table_options = create();
  set(table_options, create_bloom(10));
  return table_options;
}

rocksdb_options_t* rocksdb_options_create(void) {
  rocksdb_options_t* (*create)(void) =
      Find(RTLD_NEXT, "rocksdb_options_create");
  void (*set)(rocksdb_options_t*, table_options_t*) =
      Find(RTLD_NEXT, "rocksdb_options_set_block_based_table_factory");
  void (*destroy)(table_options_t*) =
      Find(RTLD_NEXT, "rocksdb_block_based_options_destroy");
  rocksdb_options_t* const options = create();
  table_options_t* const table_options = rocksdb_block_based_options_create();
  set(options, table_options);
  destroy(table_options);
  return options;
}
