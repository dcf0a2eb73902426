// SPDX-License-Identifier: Apache-2.0

// What SIGINT, SIGTERM and SIGHUP do.
//
// Tested in tests/filterdb/interrupted_test.cc.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_

namespace cassandra_bloom::tools {

// From now on these signals remove the temporary files that this thread is
// writing. The signal then ends the process, so that the exit status shows it.
// Only this thread may write files.
void CleanUpAtSignals();

// Holds the first of these signals back, so that work of many steps can end
// between two of them. A second signal ends the process at once.
class HeldSignal {
 public:
  HeldSignal() = default;
  ~HeldSignal();
  HeldSignal(const HeldSignal&) = delete;
  HeldSignal& operator=(const HeldSignal&) = delete;

  void Hold();  // From now on, as long as this object exists.
  bool has_come() const;
  // Ends the process by the signal, if one has come.
  void Die();
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_
