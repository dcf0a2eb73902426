// SPDX-License-Identifier: Apache-2.0

// What an interrupted filterdb cleans up.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_

namespace cassandra_bloom::tools {

// From now on SIGINT, SIGTERM and SIGHUP remove the temporary file that this
// thread, which must be the only one to write files, is writing; then the
// process dies by the signal, so that its status says so.
void CleanUpAtSignals();

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_
