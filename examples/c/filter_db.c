/* SPDX-License-Identifier: Apache-2.0 */

/* Builds, writes, opens and queries a Filter.db of Cassandra without RocksDB:
 *
 *   cc -std=c99 filter_db.c -o filter_db -lcassandra_bloom
 *   ./filter_db nb-1-big-Filter.db
 */

#include <cassandra_bloom/c.h>
#include <stdio.h>
#include <string.h>

static const char* const kKeys[] = {"alice", "bob", "carol"};
static const char* const kAsked[] = {"alice", "bob", "carol", "dave"};
enum { kNumKeys = 3, kNumAsked = 4 };

/* Prints and frees `error`, the message of a function that failed. It is NULL
 * if there was no memory for a message. */
static int Fail(char* error) {
  fprintf(stderr, "filter_db: %s\n", error != NULL ? error : "out of memory");
  cassandra_bloom_free(error);
  return 2;
}

static bool Build(const char* path, char** errptr) {
  cassandra_bloom_builder_t* const builder =
      cassandra_bloom_builder_new_for_fp_chance(0.01, kNumKeys, "nb", errptr);
  bool written;
  int i;
  if (builder == NULL) {
    return false;
  }
  for (i = 0; i < kNumKeys; ++i) {
    cassandra_bloom_builder_add(builder, kKeys[i], strlen(kKeys[i]));
  }
  written =
      cassandra_bloom_builder_write(builder, path, /*overwrite=*/false, errptr);
  cassandra_bloom_builder_destroy(builder);
  return written;
}

static void Ask(const cassandra_bloom_filter_t* filter) {
  size_t sizes[kNumAsked];
  bool may_contain[kNumAsked];
  int i;
  for (i = 0; i < kNumAsked; ++i) {
    sizes[i] = strlen(kAsked[i]);
  }
  cassandra_bloom_filter_may_contain_many(filter, kAsked, sizes, kNumAsked,
                                          may_contain);
  for (i = 0; i < kNumAsked; ++i) {
    printf("%-5s  %s\n", kAsked[i], may_contain[i] ? "perhaps" : "no");
  }
}

int main(int argc, char** argv) {
  cassandra_bloom_filter_t* filter;
  char* error = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: filter_db nb-1-big-Filter.db\n");
    return 2;
  }
  if (!Build(argv[1], &error)) {
    return Fail(error);
  }
  filter = cassandra_bloom_filter_open(argv[1], "nb", &error);
  if (filter == NULL) {
    return Fail(error);
  }
  printf("%s: %d probes, %u words, about %.0f keys\n",
         cassandra_bloom_filter_form(filter),
         cassandra_bloom_filter_num_probes(filter),
         (unsigned)cassandra_bloom_filter_num_words(filter),
         cassandra_bloom_filter_estimated_keys(filter));
  Ask(filter);
  cassandra_bloom_filter_destroy(filter);
  return 0;
}
