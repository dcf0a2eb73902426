// SPDX-License-Identifier: Apache-2.0

/* Assertions for tests in C. */

#ifndef CASSANDRA_BLOOM_TESTS_C_CHECK_H_
#define CASSANDRA_BLOOM_TESTS_C_CHECK_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

/* CHECK_BEGINS checks that `error` begins with `text`. CHECK_HOLDS checks that
 * `error` contains `text`. */
#define CHECK_BEGINS(error, text) \
  CHECK((error) != NULL && strncmp((error), (text), strlen(text)) == 0)
#define CHECK_HOLDS(error, text) \
  CHECK((error) != NULL && strstr((error), (text)) != NULL)

#endif /* CASSANDRA_BLOOM_TESTS_C_CHECK_H_ */
