/* The functions of c.h that need RocksDB, from C. The argument is the path of a
 * database that is not there yet. */

#include <rocksdb/c.h>

#include "cassandra_bloom/c.h"
#include "tests/c/check.h"

enum { kNumFurtherCalls = 100 };

static void VersionsAreThoseOfTheBuild(void) {
  CHECK(strcmp(cassandra_bloom_version(), TEST_VERSION) == 0);
  CHECK_BEGINS(cassandra_bloom_rocksdb_version(), TEST_ROCKSDB_RELEASE ".");
}

/* Opens a database with this policy: its error, or NULL. */
static char* OpenWith(const char* policy, const char* path) {
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
    rocksdb_close(db);
  }
  rocksdb_options_destroy(options);
  rocksdb_options_destroy(base);
  return error;
}

/* RocksDB ignores a policy that it does not know: what is wrong in its string
 * is an error only after the registration. */
static void RegistersThePolicy(const char* path) {
  char* error = OpenWith("cassandra_bloom:1000", path);
  int i;
  CHECK(error == NULL);
  CHECK(cassandra_bloom_register_with_rocksdb(&error));
  CHECK(cassandra_bloom_register_with_rocksdb(NULL));
  for (i = 0; i < kNumFurtherCalls; ++i) {
    CHECK(cassandra_bloom_register_with_rocksdb(&error));
  }
  CHECK(error == NULL);
  error = OpenWith("cassandra_bloom:1000", path);
  CHECK_HOLDS(error, "'1000'");
  cassandra_bloom_free(error); /* One of RocksDB's. */
  CHECK(OpenWith("cassandra_bloom:10", path) == NULL);
}

/* With an argument more: in a process of another RocksDB. */
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
  VersionsAreThoseOfTheBuild();
  if (argc == 2) {
    RegistersThePolicy(argv[1]);
  } else {
    RefusesAnotherRocksdb();
  }
  return 0;
}
