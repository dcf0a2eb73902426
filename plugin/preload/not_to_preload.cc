// SPDX-License-Identifier: Apache-2.0

// A part of libcassandra_bloom.so alone. That library has no filter policy, but
// its name is the one that somebody guesses who wants to preload a policy.
//
// Tested in tests/install/preload/loader_test.cc.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "plugin/preload/loader.h"

namespace cassandra_bloom {
namespace {

__attribute__((constructor)) void SayWhatToPreload() {
  const char* const preload = std::getenv("LD_PRELOAD");
  if (preload == nullptr ||
      std::strstr(preload, "libcassandra_bloom.so") == nullptr) {
    return;  // A program is linked to this library.
  }
  if (dlsym(RTLD_DEFAULT, kVersionFunction) != nullptr) {
    std::fprintf(stderr,
                 "cassandra_bloom: libcassandra_bloom.so has no filter policy: "
                 "preload libcassandra_bloom_preload.so or "
                 "libcassandra_bloom_replace.so\n");
  }
  dlerror();  // Clears an error, so that the program does not see it.
}

}  // namespace
}  // namespace cassandra_bloom
