// SPDX-License-Identifier: Apache-2.0

// What SIGINT, SIGTERM and SIGHUP do.
//
// Tested in tests/filterdb/interrupted_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_

namespace cassandra_bloom::tools {

// After this call, SIGINT, SIGTERM and SIGHUP remove the temporary files that
// this thread is writing, and then end the process, so that the exit status
// shows the signal. Only this thread may write files.
void CleanUpAtSignals();

// Holds back the first SIGINT, SIGTERM or SIGHUP, so that work of many steps
// can end between two steps. A second signal ends the process at once.
class HeldSignal {
 public:
  HeldSignal() = default;
  ~HeldSignal();
  HeldSignal(const HeldSignal&) = delete;
  HeldSignal& operator=(const HeldSignal&) = delete;

  void Hold();  // From now on, until this object is destroyed.
  bool has_come() const;
  // Ends the process by the held signal, if one has come.
  void Die();
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_
