// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/signals.h"

#include <signal.h>

namespace cassandra_bloom::tools {
namespace {

volatile sig_atomic_t is_held = 0;
volatile sig_atomic_t held_signal = 0;

// All functions called here are safe in signal handlers (signal-safety(7)).
extern "C" void HoldOrDie(int number) {
  if (is_held != 0 && held_signal == 0) {
    held_signal = number;
    return;
  }
  signal(number, SIG_DFL);
  raise(number);  // SA_NODEFER lets this end the process at once.
}

}  // namespace

void CatchSignals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action;
    // If a signal is already ignored, it stays ignored. For example, nohup lets
    // a process ignore SIGHUP.
    if (sigaction(number, nullptr, &action) != 0 ||
        action.sa_handler == SIG_IGN) {
      continue;
    }
    action = {};
    action.sa_handler = HoldOrDie;
    // With SA_RESTART, a signal that is held back does not make reads and
    // writes fail.
    action.sa_flags = SA_NODEFER | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

HeldSignal::~HeldSignal() { is_held = 0; }

void HeldSignal::Hold() { is_held = 1; }

bool HeldSignal::has_come() const { return held_signal != 0; }

void HeldSignal::Die() {
  if (held_signal != 0) {
    raise(held_signal);
  }
}

}  // namespace cassandra_bloom::tools
