/* SPDX-License-Identifier: Apache-2.0 */

/* The C function of RocksDB as it was before 6.25, and with INT_STUB_HOST a
 * program that calls it. */

#include <stdio.h>

void* rocksdb_filterpolicy_create_bloom_full(int bits);

#ifdef INT_STUB_HOST
int main(void) {
  rocksdb_filterpolicy_create_bloom_full(10);
  return 0;
}
#else
void* rocksdb_filterpolicy_create_bloom_full(int bits) {
  printf("create_bloom_full(%d)\n", bits);
  return NULL;
}
#endif
