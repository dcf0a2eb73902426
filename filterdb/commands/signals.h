// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/interrupted_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_SIGNALS_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_SIGNALS_H_

namespace cassandra_bloom::tools {

// Makes SIGINT, SIGTERM and SIGHUP remove the temporary files that the calling
// thread is writing, before they end the process. The exit status then shows
// the signal. Only the calling thread may write files.
void CleanUpAtSignals();

// Holds back the first SIGINT, SIGTERM or SIGHUP, so that work of many steps
// can end between two steps. A second signal ends the process at once.
class HeldSignal {
 public:
  HeldSignal() = default;
  ~HeldSignal();
  HeldSignal(const HeldSignal&) = delete;
  HeldSignal& operator=(const HeldSignal&) = delete;

  void Hold();  // Until this object is destroyed.
  bool has_come() const;
  // Ends the process with the signal that was held back, if one has come.
  void Die();
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_SIGNALS_H_
