/* SPDX-License-Identifier: Apache-2.0 */

/* Tests, in C, the functions of c.h that need no RocksDB. The argument is the
 * path of an empty folder. */

#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <unistd.h>

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

static void WriteBytes(const char* path, const char* bytes, size_t size) {
  FILE* const file = fopen(path, "wb");
  CHECK(file != NULL);
  CHECK(fwrite(bytes, 1, size, file) == size);
  CHECK(fclose(file) == 0);
}

static size_t ReadBytes(const char* path, char* bytes, size_t room) {
  FILE* const file = fopen(path, "rb");
  size_t size;
  CHECK(file != NULL);
  size = fread(bytes, 1, room, file);
  CHECK(size < room);
  CHECK(fclose(file) == 0);
  return size;
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

static void VersionIsThatOfTheProject(void) {
  CHECK(strcmp(cassandra_bloom_version(), TEST_VERSION) == 0);
}

static void AddKeys(cassandra_bloom_builder_t* builder, const Keys* keys) {
  int i;
  for (i = 0; i < kNumKeys; ++i) {
    cassandra_bloom_builder_add(builder, keys->keys[i], keys->sizes[i]);
  }
}

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
    char bytes[8192];
    cassandra_bloom_filter_t* filter;
    cassandra_bloom_builder_t* const builder =
        cassandra_bloom_builder_new_for_bits_per_key(10, kNumKeys, kVersions[i],
                                                     &error);
    CHECK(builder != NULL);
    AddKeys(builder, &present);
    CHECK(cassandra_bloom_builder_write(builder, Path("filter"),
                                        /*overwrite=*/true, &error));
    cassandra_bloom_builder_destroy(builder);
    CHECK(ReadBytes(Path("filter"), bytes, sizeof(bytes)) == 8 + 8 * 157);

    filter = cassandra_bloom_filter_open(Path("filter"), kVersions[i], &error);
    CHECK(filter != NULL);
    CHECK(strcmp(cassandra_bloom_filter_form(filter), kForms[i]) == 0);
    CHECK(cassandra_bloom_filter_num_probes(filter) == 7);
    CHECK(cassandra_bloom_filter_num_words(filter) == 157);
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
  WriteBytes(Path("nb-1-big-Filter.db"), "", 0);
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

static void TheVersionComesFromTheName(void) {
  char* error = NULL;
  cassandra_bloom_filter_t* filter;
  cassandra_bloom_builder_t* const builder =
      cassandra_bloom_builder_new_for_bits_per_key(10, 1, "me", &error);
  CHECK(builder != NULL);
  cassandra_bloom_builder_add(builder, "key", 3);
  CHECK(cassandra_bloom_builder_write(builder, Path("me-1-big-Filter.db"),
                                      false, &error));
  cassandra_bloom_builder_destroy(builder);
  filter =
      cassandra_bloom_filter_open(Path("me-1-big-Filter.db"), NULL, &error);
  CHECK(filter != NULL);
  CHECK(strcmp(cassandra_bloom_filter_form(filter), "ma-to-me") == 0);
  CHECK(cassandra_bloom_filter_may_contain(filter, "key", 3));
  cassandra_bloom_filter_destroy(filter);
}

static void WrongFilesAreRefused(void) {
  static const char kShort[] = {0, 0, 0, 7, 0, 0, 0, 2, 1, 2, 3};
  static const char kNoProbes[] = {0, 0, 0, 0, 0, 0, 0, 1,
                                   0, 0, 0, 0, 0, 0, 0, 0};
  char* error = NULL;
  /* Each new error frees the previous message, so the test need not free it. */
  CHECK(cassandra_bloom_filter_open(Path("missing"), "nb", &error) == NULL);
  CHECK_BEGINS(error, Path("missing"));
  CHECK_HOLDS(error, "No such file or directory");
  CHECK(cassandra_bloom_filter_open(folder, "nb", &error) == NULL);
  CHECK_HOLDS(error, "not a regular file");
  CHECK(cassandra_bloom_filter_open(Path("missing"), "zz", &error) == NULL);
  CHECK_BEGINS(error, "SSTable version 'zz' is unknown");
  CHECK(cassandra_bloom_filter_open(Path("missing"), NULL, &error) == NULL);
  CHECK_BEGINS(error, "'missing' is not the name");
  CHECK(cassandra_bloom_filter_open(NULL, NULL, &error) == NULL);
  CHECK_BEGINS(error, "the path is NULL");

  WriteBytes(Path("short"), kShort, sizeof(kShort));
  CHECK(cassandra_bloom_filter_open(Path("short"), "nb", &error) == NULL);
  CHECK_BEGINS(error, Path("short"));
  CHECK_HOLDS(error, "truncated: 11 bytes");
  WriteBytes(Path("no-probes"), kNoProbes, sizeof(kNoProbes));
  CHECK(cassandra_bloom_filter_open(Path("no-probes"), "nb", &error) == NULL);
  CHECK_HOLDS(error, "the number of probes (k) is 0");
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
  CHECK(cassandra_bloom_builder_new_for_bits_per_key(10, UINT64_MAX, "nb",
                                                     &error) == NULL);
  CHECK_HOLDS(error, "16 GiB");
  CHECK(cassandra_bloom_builder_new_for_bits_per_key(10, 1, "", &error) ==
        NULL);
  CHECK_BEGINS(error, "SSTable version '' is unknown");
  CHECK(cassandra_bloom_builder_new_for_fp_chance(0.01, 1, NULL, &error) ==
        NULL);
  CHECK_BEGINS(error, "the SSTable version is NULL");
  cassandra_bloom_free(error);
  CHECK(cassandra_bloom_builder_new_for_fp_chance(0.01, 1, NULL, NULL) == NULL);
}

static void WrongWritesAreRefused(void) {
  char* error = NULL;
  char bytes[16];
  cassandra_bloom_builder_t* const builder =
      cassandra_bloom_builder_new_for_bits_per_key(10, 1, "nb", &error);
  CHECK(builder != NULL);
  WriteBytes(Path("precious"), "precious", 8);
  CHECK(
      !cassandra_bloom_builder_write(builder, Path("precious"), false, &error));
  CHECK_HOLDS(error, "will not be overwritten");
  CHECK(ReadBytes(Path("precious"), bytes, sizeof(bytes)) == 8);
  CHECK(memcmp(bytes, "precious", 8) == 0);
  CHECK(!cassandra_bloom_builder_write(builder, Path("no/such/folder"), true,
                                       &error));
  CHECK_HOLDS(error, "No such file or directory");
  /* The library refuses a device and a folder even with `overwrite`. */
  CHECK(!cassandra_bloom_builder_write(builder, "/dev/full", true, &error));
  CHECK_HOLDS(error, "/dev/full: is not a regular file, and is left alone");
  CHECK(!cassandra_bloom_builder_write(builder, Path(""), true, &error));
  CHECK_HOLDS(error, "is not a regular file, and is left alone");
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

typedef struct {
  const cassandra_bloom_filter_t* filter;
  const Keys* present;
  const Keys* absent;
  int num_absent_passing;
} Asking;

static void* Ask(void* argument) {
  Asking* const asking = argument;
  int round;
  for (round = 0; round < 50; ++round) {
    CHECK(CountPassing(asking->filter, asking->present) == kNumKeys);
    CHECK(CountPassing(asking->filter, asking->absent) ==
          asking->num_absent_passing);
  }
  return NULL;
}

static void ThreadsAskOneFilter(void) {
  enum { kNumThreads = 4 };
  pthread_t threads[kNumThreads];
  Keys present;
  Keys absent;
  Asking asking;
  cassandra_bloom_filter_t* filter;
  cassandra_bloom_builder_t* const builder =
      cassandra_bloom_builder_new_for_bits_per_key(10, kNumKeys, "nb", NULL);
  int i;
  MakeKeys("present", &present);
  MakeKeys("absent", &absent);
  CHECK(builder != NULL);
  AddKeys(builder, &present);
  CHECK(cassandra_bloom_builder_write(builder, Path("shared"), false, NULL));
  cassandra_bloom_builder_destroy(builder);
  filter = cassandra_bloom_filter_open(Path("shared"), "nb", NULL);
  CHECK(filter != NULL);
  CHECK(unlink(Path("shared")) == 0); /* The open filter must stay usable. */
  asking.filter = filter;
  asking.present = &present;
  asking.absent = &absent;
  asking.num_absent_passing = CountPassing(filter, &absent);
  for (i = 0; i < kNumThreads; ++i) {
    CHECK(pthread_create(&threads[i], NULL, Ask, &asking) == 0);
  }
  for (i = 0; i < kNumThreads; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
  }
  cassandra_bloom_filter_destroy(filter);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  folder = argv[1];
  HashEqualsCassandra();
  VersionIsThatOfTheProject();
  BuildsWritesAndReads();
  GrowsAfterWriting();
  NothingIsAlwaysPresent();
  TheVersionComesFromTheName();
  WrongFilesAreRefused();
  WrongBuildersAreRefused();
  WrongWritesAreRefused();
  NullIsDestroyed();
  ThreadsAskOneFilter();
  return 0;
}
