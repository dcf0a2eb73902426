// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/signals.h"

#include <pthread.h>
#include <signal.h>

#include "plugin/sstable/temporary_file.h"

namespace cassandra_bloom::tools {
namespace {

pthread_t writing_thread;

extern "C" void CleanUpAndDie(int number) {
  // Only the writing thread may read the name of its file, because it changes
  // the name. A signal that arrives in one of RocksDB's threads is passed on.
  // (signal-safety(7) lists all functions called here.)
  if (!pthread_equal(pthread_self(), writing_thread)) {
    pthread_kill(writing_thread, number);
    return;
  }
  RemoveTemporaryFileBeingWritten();
  signal(number, SIG_DFL);
  raise(number);  // Ends the process now, because of SA_NODEFER.
}

}  // namespace

void CleanUpAtSignals() {
  writing_thread = pthread_self();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action;
    // Signals that nohup, or a shell for a background command, has set to be
    // ignored stay ignored.
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
