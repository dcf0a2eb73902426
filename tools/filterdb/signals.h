// SPDX-License-Identifier: Apache-2.0

// Cleans up when filterdb is interrupted.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_

namespace cassandra_bloom::tools {

// From now on SIGINT, SIGTERM and SIGHUP remove the temporary file that this
// thread is writing. The signal then ends the process, so that the exit status
// shows it. Only this thread may write files.
void CleanUpAtSignals();

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_SIGNALS_H_
