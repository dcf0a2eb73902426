/* SPDX-License-Identifier: Apache-2.0 */

/* A program without RocksDB that loads modules with RocksDB, as database
 * servers load their storage engines:
 *
 *   dlopen_host MODULE... -- ARGUMENT...
 *
 * Loads each MODULE, and calls `main` of the last MODULE with the arguments. If
 * a MODULE is a folder, the program changes into this folder instead. */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  void* module = NULL;
  void* symbol;
  int (*run)(int, char**);
  int i;
  for (i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) {
    if (chdir(argv[i]) == 0) {
      continue;
    }
    module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (module == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  }
  symbol = module == NULL ? NULL : dlsym(module, "main");
  if (symbol == NULL) {
    fprintf(stderr, "no module with main\n");
    return 1;
  }
  memcpy(&run, &symbol, sizeof(symbol));
  return run(argc - i, argv + i);
}
