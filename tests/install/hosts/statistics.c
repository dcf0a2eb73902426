// SPDX-License-Identifier: Apache-2.0

// A library to preload into a program that uses RocksDB's C interface. The
// library writes RocksDB's statistics to the file that the environment variable
// STATISTICS_FILE names. It writes at the end of the program. It also writes
// every 200 ms, because a server that a signal stops runs no code at its end.
// All databases of a process share the statistics.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct rocksdb_options_t rocksdb_options_t;

static rocksdb_options_t* kept;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static void* Find(const char* name) {
  void* const symbol = dlsym(RTLD_NEXT, name);
  if (symbol == NULL) {
    fprintf(stderr, "statistics.so: RocksDB has no %s\n", name);
    abort();
  }
  return symbol;
}

static void Write(void) {
  const char* const path = getenv("STATISTICS_FILE");
  char* (*get)(rocksdb_options_t*) =
      Find("rocksdb_options_statistics_get_string");
  if (path == NULL) {
    return;
  }
  pthread_mutex_lock(&writing);
  char unfinished[4096];
  snprintf(unfinished, sizeof(unfinished), "%s.%d", path, (int)getpid());
  FILE* const file = fopen(unfinished, "w");
  char* const text = get(kept);
  if (file == NULL || text == NULL || fputs(text, file) < 0 ||
      fclose(file) != 0 || rename(unfinished, path) != 0) {
    perror("statistics.so");
  }
  free(text);
  pthread_mutex_unlock(&writing);
}

// Keeps the lock, because the thread of WriteAgain must not read statistics
// after RocksDB's static variables are destroyed.
static void WriteAtEnd(void) {
  Write();
  pthread_mutex_lock(&writing);
}

static void* WriteAgain(void* unused) {
  for (;;) {
    usleep(200 * 1000);
    Write();
  }
  return unused;
}

static rocksdb_options_t* (*create)(void);

static void Start(void) {
  void (*enable)(rocksdb_options_t*) =
      Find("rocksdb_options_enable_statistics");
  kept = create();
  enable(kept);
  atexit(WriteAtEnd);
  pthread_t thread;
  pthread_create(&thread, NULL, WriteAgain, NULL);
}

rocksdb_options_t* rocksdb_options_create(void) {
  rocksdb_options_t* (*copy)(rocksdb_options_t*) =
      Find("rocksdb_options_create_copy");
  create = Find("rocksdb_options_create");
  pthread_once(&once, Start);
  return copy(kept);
}
