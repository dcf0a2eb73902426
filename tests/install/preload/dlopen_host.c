/* SPDX-License-Identifier: Apache-2.0 */

/* A program without RocksDB that loads a module with it, as database servers
 * load their storage engines. Its first argument is the module, whose `main` is
 * called with the others. */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  void* const module = argc < 2 ? NULL : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* const symbol = module == NULL ? NULL : dlsym(module, "main");
  int (*run)(int, char**);
  if (symbol == NULL) {
    fprintf(stderr, "%s\n", argc < 2 ? "no module given" : dlerror());
    return 1;
  }
  memcpy(&run, &symbol, sizeof(symbol));
  return run(argc - 1, argv + 1);
}
