// SPDX-License-Identifier: Apache-2.0

// Says why RocksJava could not load our librocksdbjni.so. RocksJava itself does
// not say it. It goes on to librocksdbjni-linux64.so (with musl, to
// librocksdbjni-linux64-musl.so), and then to the library in its jar. This file
// is in our folder under both names. It refuses to be loaded, too.
//
// It is linked to no library, so that every libc can load it.
//
// Tested in tests/install/hosts/rocksjava/rocksjava_test.sh.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

__attribute__((visibility("default"))) int JNI_OnLoad(void* vm, void* reserved);

int JNI_OnLoad(void* vm, void* reserved) {
  (void)vm;
  (void)reserved;
  static const char kOurs[] = "librocksdbjni.so";
  static const char kRefused[] = "librocksdbjni-linux64.so";  // Or longer.
  char path[4096];
  Dl_info self;
  if (dladdr(kOurs, &self) != 0 && strlen(self.dli_fname) < sizeof(path)) {
    strcpy(path, self.dli_fname);
    char* const slash = strrchr(path, '/');
    if (slash != NULL && strlen(slash) >= sizeof(kRefused)) {
      strcpy(slash + 1, kOurs);
      const int is_loadable = dlopen(path, RTLD_LAZY) != NULL;
      dprintf(2,
              "cassandra_bloom: not loaded: %s; RocksDB uses its own Bloom "
              "filter\n",
              is_loadable ? "another class loader of this process has RocksJava"
                          : dlerror());
    }
  }
  return -1;  // JNI_ERR.
}
