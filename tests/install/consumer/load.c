/* SPDX-License-Identifier: Apache-2.0 */

/* load MODULE ARGUMENT...: loads MODULE and calls its `main` with the
 * arguments, as Python, Java and database servers load libraries. */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int (*run)(int, char**);
  void* symbol;
  void* const module = argc < 2 ? NULL : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (module == NULL) {
    fprintf(stderr, "%s\n",
            argc < 2 ? "usage: load MODULE ARGUMENT..." : dlerror());
    return 1;
  }
  symbol = dlsym(module, "main");
  memcpy(&run, &symbol, sizeof(symbol));
  return run(argc - 1, argv + 1);
}
