// SPDX-License-Identifier: Apache-2.0

// Uses up the static TLS that glibc reserves for libraries loaded at run time.
// With TLS_MODULES, loads these modules until no static TLS is left. Without
// TLS_MODULES, this file is one of the modules.

#ifdef TLS_MODULES

#include <dlfcn.h>

#include <initializer_list>

namespace {

__attribute__((constructor)) void LoadModules() {
  for (const char* const module : {TLS_MODULES}) {
    if (dlopen(module, RTLD_NOW) == nullptr) {
      return;
    }
  }
}

}  // namespace

#else

__thread char bytes[64] __attribute__((tls_model("initial-exec")));

extern "C" char* UseStaticTls() { return bytes; }

#endif
