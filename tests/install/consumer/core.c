/* SPDX-License-Identifier: Apache-2.0 */

/* Uses the C interface of an installed cassandra_bloom. */

#include <cassandra_bloom/c.h>
#include <stdio.h>

int main(void) {
  char* error = NULL;
  cassandra_bloom_builder_t* const builder =
      cassandra_bloom_builder_new_for_bits_per_key(10, 100, "nb", &error);
  if (builder == NULL) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  cassandra_bloom_builder_add(builder, "key", 3);
  cassandra_bloom_builder_destroy(builder);
  printf("cassandra_bloom %s\n", cassandra_bloom_version());
  return 0;
}
