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
  static const char kHere = 0;  // In this file, whose path dladdr tells.
  Dl_info self;
  const char* const slash =
      dladdr(&kHere, &self) != 0 ? strrchr(self.dli_fname, '/') : NULL;
  if (slash != NULL) {
    char ours[4096];
    snprintf(ours, sizeof(ours), "%.*s/librocksdbjni.so",
             (int)(slash - self.dli_fname), self.dli_fname);
    const int is_loadable = dlopen(ours, RTLD_LAZY) != NULL;
    dprintf(2,
            "cassandra_bloom: not loaded: %s; RocksDB uses its own Bloom "
            "filter\n",
            is_loadable ? "another class loader of this process has RocksJava"
                        : dlerror());
  }
  return -1;  // JNI_ERR.
}
