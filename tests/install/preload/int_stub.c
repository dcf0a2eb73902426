/* SPDX-License-Identifier: Apache-2.0 */

/* A stub of RocksDB's C function as the function was before release 6.25. With
 * INT_STUB_HOST, this file is a program that calls the function instead. */

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
