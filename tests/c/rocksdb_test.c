/* SPDX-License-Identifier: Apache-2.0 */

/* Tests, in C, the functions of c.h that need RocksDB. The first argument is
 * the path of a database that does not exist yet. */

#include <rocksdb/c.h>

#include "cassandra_bloom/c.h"
#include "tests/c/check.h"

enum { kNumFurtherCalls = 100, kNumKeys = 1000 };

static void WriteAndFlush(rocksdb_t* db, int num_keys) {
  rocksdb_writeoptions_t* const writing = rocksdb_writeoptions_create();
  rocksdb_flushoptions_t* const flushing = rocksdb_flushoptions_create();
  char* error = NULL;
  int i;
  for (i = 0; i < num_keys; ++i) {
    rocksdb_put(db, writing, (const char*)&i, sizeof(i), "", 0, &error);
    CHECK(error == NULL);
  }
  rocksdb_flush(db, flushing, &error);
  CHECK(error == NULL);
  rocksdb_flushoptions_destroy(flushing);
  rocksdb_writeoptions_destroy(writing);
}

/* Opens a database with the filter policy `policy`, then writes and flushes
 * `num_keys` keys. Returns RocksDB's error, or NULL. */
static char* OpenAndWrite(const char* policy, const char* path, int num_keys) {
  char text[200];
  char* error = NULL;
  rocksdb_options_t* const base = rocksdb_options_create();
  rocksdb_options_t* const options = rocksdb_options_create();
  rocksdb_t* db = NULL;
  CHECK(snprintf(text, sizeof(text),
                 "create_if_missing=true;"
                 "block_based_table_factory={filter_policy=%s}",
                 policy) < (int)sizeof(text));
  rocksdb_get_options_from_string(base, text, options, &error);
  if (error == NULL) {
    db = rocksdb_open(options, path, &error);
  }
  if (db != NULL) {
    WriteAndFlush(db, num_keys);
    rocksdb_close(db);
  }
  rocksdb_options_destroy(options);
  rocksdb_options_destroy(base);
  return error;
}

/* The library registered its policy when it was loaded. RocksDB can therefore
 * report the wrong number 1000. */
static void RegistersThePolicy(const char* path) {
  char* error = OpenAndWrite("cassandra_bloom:1000", path, 0);
  int i;
  CHECK_HOLDS(error, "'1000'");
  cassandra_bloom_free(error); /* Frees RocksDB's messages, too. */
  error = NULL;
  CHECK(cassandra_bloom_register_with_rocksdb(&error));
  CHECK(cassandra_bloom_register_with_rocksdb(NULL));
  for (i = 0; i < kNumFurtherCalls; ++i) {
    CHECK(cassandra_bloom_register_with_rocksdb(&error));
  }
  CHECK(error == NULL);
  error = OpenAndWrite("cassandra_bloom:1000", path, 0);
  CHECK_HOLDS(error, "'1000'");
  cassandra_bloom_free(error);
  CHECK(OpenAndWrite("cassandra_bloom:10", path, 0) == NULL);
}

static void TakesEveryKindOfFilter(const char* path) {
  char* error = OpenAndWrite("cassandra_bloom:mix:0.5", path, 0);
  CHECK_HOLDS(error, "mix '0.5' is not a number from 1 to 100");
  cassandra_bloom_free(error);
  error = OpenAndWrite("cassandra_bloom:10:filter:bloom", path, 0);
  CHECK_HOLDS(error, "blocks=rocksdb");
  cassandra_bloom_free(error);
  CHECK(OpenAndWrite("cassandra_bloom:10", path, kNumKeys) == NULL);
  CHECK(OpenAndWrite("cassandra_bloom:10:filter:bloom:blocks:rocksdb", path,
                     kNumKeys) == NULL);
  CHECK(OpenAndWrite("cassandra_bloom:mix:10", path, kNumKeys) == NULL);
}

/* main() calls this function if the program has a second argument. The caller
 * has then preloaded another release of RocksDB. */
static void RefusesAnotherRocksdb(void) {
  char* error = NULL;
  CHECK(!cassandra_bloom_register_with_rocksdb(NULL));
  CHECK(!cassandra_bloom_register_with_rocksdb(&error));
  CHECK_BEGINS(error, "built for RocksDB " TEST_ROCKSDB_RELEASE
                      ", not for the 9.9 of this process");
  cassandra_bloom_free(error);
}

int main(int argc, char** argv) {
  CHECK(argc == 2 || argc == 3);
  CHECK(strcmp(cassandra_bloom_version(), TEST_VERSION) == 0);
  if (argc == 2) {
    RegistersThePolicy(argv[1]);
    TakesEveryKindOfFilter(argv[1]);
  } else {
    RefusesAnotherRocksdb();
  }
  return 0;
}
