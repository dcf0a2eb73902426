/* SPDX-License-Identifier: Apache-2.0 */

/* Tests, in C, the functions of c.h that need no RocksDB. The argument is the
 * path of an empty folder. */

#include "cassandra_bloom/c.h"
#include "tests/c/check.h"

enum { kNumKeys = 1000, kPathSize = 4096, kKeySize = 16 };

static const char* folder;

/* ---- Keys ---- */

typedef struct {
  char bytes[kNumKeys][kKeySize];
  const char* keys[kNumKeys];
  size_t sizes[kNumKeys];
} Keys;

static void MakeKeys(const char* prefix, Keys* keys) {
  int i;
  for (i = 0; i < kNumKeys; ++i) {
    const int size =
        snprintf(keys->bytes[i], sizeof(keys->bytes[i]), "%s-%d", prefix, i);
    keys->keys[i] = keys->bytes[i];
    keys->sizes[i] = (size_t)size;
  }
}

/* Returns how many of the keys the filter may contain. Checks that single
 * queries and one query of all keys give the same answers. */
static int CountPassing(const cassandra_bloom_filter_t* filter,
                        const Keys* keys) {
  bool may_contain[kNumKeys];
  int passing = 0;
  int i;
  cassandra_bloom_filter_may_contain_many(filter, keys->keys, keys->sizes,
                                          kNumKeys, may_contain);
  for (i = 0; i < kNumKeys; ++i) {
    CHECK(may_contain[i] == cassandra_bloom_filter_may_contain(
                                filter, keys->keys[i], keys->sizes[i]));
    passing += may_contain[i];
  }
  return passing;
}

/* ---- Files ---- */

static const char* Path(const char* name) {
  static char path[kPathSize];
  CHECK(snprintf(path, sizeof(path), "%s/%s", folder, name) < kPathSize);
  return path;
}

/* The expected hashes are from Cassandra's MurmurHash.hash3_x64_128. */
static void HashEqualsCassandra(void) {
  uint64_t hash[2] = {1, 1};
  cassandra_bloom_hash("", 0, hash);
  CHECK(hash[0] == 0 && hash[1] == 0);
  hash[0] = 1;
  cassandra_bloom_hash(NULL, 0, hash);
  CHECK(hash[0] == 0 && hash[1] == 0);
  cassandra_bloom_hash("\x8a", 1, hash);
  CHECK(hash[0] == UINT64_C(0xc9197024fc95e38f));
  CHECK(hash[1] == UINT64_C(0xdfa1a9c80bb3826f));
  cassandra_bloom_hash("\x31\x42\x53\x64\x75\x86\x97", 7, hash);
  CHECK(hash[0] == UINT64_C(0x379d758d4b9e75dd));
  CHECK(hash[1] == UINT64_C(0x3abdcabcc89a3e39));
}

static void AddKeys(cassandra_bloom_builder_t* builder, const Keys* keys) {
  int i;
  for (i = 0; i < kNumKeys; ++i) {
    cassandra_bloom_builder_add(builder, keys->keys[i], keys->sizes[i]);
  }
}

/* Leaves the files, which programs_test.cc compares with those of C++. */
static void BuildsWritesAndReads(void) {
  static const char* const kVersions[] = {"ka", "me", "nb", "na-and-later"};
  static const char* const kForms[] = {"before-ma", "ma-to-me", "na-and-later",
                                       "na-and-later"};
  Keys present;
  Keys absent;
  int i;
  MakeKeys("present", &present);
  MakeKeys("absent", &absent);
  for (i = 0; i < 4; ++i) {
    char* error = NULL;
    double keys;
    cassandra_bloom_filter_t* filter;
    cassandra_bloom_builder_t* const builder =
        cassandra_bloom_builder_new_for_bits_per_key(9.5, kNumKeys,
                                                     kVersions[i], &error);
    CHECK(builder != NULL);
    AddKeys(builder, &present);
    CHECK(cassandra_bloom_builder_write(builder, Path(kVersions[i]),
                                        /*overwrite=*/false, &error));
    cassandra_bloom_builder_destroy(builder);

    filter =
        cassandra_bloom_filter_open(Path(kVersions[i]), kVersions[i], &error);
    CHECK(filter != NULL);
    CHECK(strcmp(cassandra_bloom_filter_form(filter), kForms[i]) == 0);
    CHECK(cassandra_bloom_filter_num_probes(filter) == 7);
    CHECK(cassandra_bloom_filter_num_words(filter) == 149);
    CHECK(CountPassing(filter, &present) == kNumKeys);
    CHECK(CountPassing(filter, &absent) < kNumKeys / 20);
    keys = cassandra_bloom_filter_estimated_keys(filter);
    CHECK(keys > 0.95 * kNumKeys && keys < 1.05 * kNumKeys);
    cassandra_bloom_filter_destroy(filter);
    CHECK(error == NULL);
  }
}

static void GrowsAfterWriting(void) {
  cassandra_bloom_filter_t* filter;
  cassandra_bloom_builder_t* const builder =
      cassandra_bloom_builder_new_for_fp_chance(0.01, 2, "nb", NULL);
  CHECK(builder != NULL);
  cassandra_bloom_builder_add(builder, "a", 1);
  CHECK(cassandra_bloom_builder_write(builder, Path("grows"), false, NULL));
  cassandra_bloom_builder_add(builder, "\0b", 2);
  cassandra_bloom_builder_add(builder, NULL, 0);
  CHECK(cassandra_bloom_builder_write(builder, Path("grows"), true, NULL));
  cassandra_bloom_builder_destroy(builder);
  filter = cassandra_bloom_filter_open(Path("grows"), "nb", NULL);
  CHECK(filter != NULL);
  CHECK(cassandra_bloom_filter_may_contain(filter, "a", 1));
  CHECK(cassandra_bloom_filter_may_contain(filter, "\0b", 2));
  CHECK(cassandra_bloom_filter_may_contain(filter, NULL, 0));
  CHECK(!cassandra_bloom_filter_may_contain(filter, "\0c", 2));
  cassandra_bloom_filter_may_contain_many(filter, NULL, NULL, 0, NULL);
  cassandra_bloom_filter_destroy(filter);
}

static void NothingIsAlwaysPresent(void) {
  char* error = NULL;
  bool may_contain[2] = {false, false};
  const char* const keys[] = {"a", "b"};
  const size_t sizes[] = {1, 1};
  cassandra_bloom_filter_t* filter;
  FILE* const empty = fopen(Path("nb-1-big-Filter.db"), "wb");
  CHECK(empty != NULL && fclose(empty) == 0);
  filter =
      cassandra_bloom_filter_open(Path("nb-1-big-Filter.db"), NULL, &error);
  CHECK(filter != NULL && error == NULL);
  CHECK(cassandra_bloom_filter_num_probes(filter) == 0);
  CHECK(cassandra_bloom_filter_num_words(filter) == 0);
  CHECK(cassandra_bloom_filter_estimated_keys(filter) > 1e300);
  CHECK(cassandra_bloom_filter_may_contain(filter, "", 0));
  cassandra_bloom_filter_may_contain_many(filter, keys, sizes, 2, may_contain);
  CHECK(may_contain[0] && may_contain[1]);
  cassandra_bloom_filter_destroy(filter);
}

static void WrongFilesAreRefused(void) {
  char* error = NULL;
  /* Each new error frees the previous message, so the test need not free it. */
  CHECK(cassandra_bloom_filter_open(Path("missing"), "nb", &error) == NULL);
  CHECK_BEGINS(error, Path("missing"));
  CHECK_HOLDS(error, "No such file or directory");
  CHECK(cassandra_bloom_filter_open(Path("missing"), NULL, &error) == NULL);
  CHECK_BEGINS(error, "'missing' is not the name");
  CHECK(cassandra_bloom_filter_open(NULL, NULL, &error) == NULL);
  CHECK_BEGINS(error, "the path is NULL");
  cassandra_bloom_free(error);

  CHECK(cassandra_bloom_filter_open(Path("missing"), "nb", NULL) == NULL);
}

static void WrongBuildersAreRefused(void) {
  char* error = NULL;
  CHECK(cassandra_bloom_builder_new_for_bits_per_key(0.5, 1, "nb", &error) ==
        NULL);
  CHECK_HOLDS(error, "from 1 to 100");
  CHECK(cassandra_bloom_builder_new_for_fp_chance(1, 1, "nb", &error) == NULL);
  CHECK_HOLDS(error, "0.0000671");
  CHECK(cassandra_bloom_builder_new_for_fp_chance(0.01, 1, NULL, &error) ==
        NULL);
  CHECK_BEGINS(error, "the SSTable version is NULL");
  cassandra_bloom_free(error);
  CHECK(cassandra_bloom_builder_new_for_fp_chance(0.01, 1, NULL, NULL) == NULL);
}

/* BuildsWritesAndReads has written the file, which must stay as it is. */
static void WrongWritesAreRefused(void) {
  char* error = NULL;
  cassandra_bloom_builder_t* const builder =
      cassandra_bloom_builder_new_for_bits_per_key(10, 1, "nb", &error);
  CHECK(builder != NULL);
  CHECK(!cassandra_bloom_builder_write(builder, Path("nb"), false, &error));
  CHECK_HOLDS(error, "will not be overwritten");
  CHECK(!cassandra_bloom_builder_write(builder, NULL, true, &error));
  CHECK_BEGINS(error, "the path is NULL");
  cassandra_bloom_free(error);
  cassandra_bloom_builder_destroy(builder);
}

static void NullIsDestroyed(void) {
  cassandra_bloom_filter_destroy(NULL);
  cassandra_bloom_builder_destroy(NULL);
  cassandra_bloom_free(NULL);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  folder = argv[1];
  HashEqualsCassandra();
  CHECK(strcmp(cassandra_bloom_version(), TEST_VERSION) == 0);
  BuildsWritesAndReads();
  GrowsAfterWriting();
  NothingIsAlwaysPresent();
  WrongFilesAreRefused();
  WrongBuildersAreRefused();
  WrongWritesAreRefused();
  NullIsDestroyed();
  return 0;
}
