// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/signals.h"

#include <pthread.h>
#include <signal.h>

#include "plugin/sstable/temporary_file.h"

namespace cassandra_bloom::tools {
namespace {

pthread_t writing_thread;

extern "C" void CleanUpAndDie(int number) {
  // The name of the file is safe only in the thread that may change it; the
  // signal may have come to a thread of RocksDB's. (signal-safety(7) lists all
  // that is called here.)
  if (!pthread_equal(pthread_self(), writing_thread)) {
    pthread_kill(writing_thread, number);
    return;
  }
  RemoveTemporaryFileBeingWritten();
  signal(number, SIG_DFL);
  raise(number);  // SA_NODEFER: it ends the process now.
}

}  // namespace

void CleanUpAtSignals() {
  writing_thread = pthread_self();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action;
    // nohup, and a shell for a command in the background, have it ignored.
    if (sigaction(number, nullptr, &action) != 0 ||
        action.sa_handler == SIG_IGN) {
      continue;
    }
    action = {};
    action.sa_handler = CleanUpAndDie;
    action.sa_flags = SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

}  // namespace cassandra_bloom::tools
