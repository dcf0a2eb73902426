// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/interrupted_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_SIGNALS_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_SIGNALS_H_

namespace cassandra_bloom::tools {

// Lets HeldSignal hold back SIGINT, SIGTERM and SIGHUP. They still end the
// process if none is held. The temporary file that it was writing is then left,
// and the next run for the same file removes it.
void CatchSignals();

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
