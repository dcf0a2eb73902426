// SPDX-License-Identifier: Apache-2.0

// What the log files in the folder of a table say about its SSTables: which are
// being written, and which a compaction has replaced.
//
// Cassandra (since 3.0) gives new SSTables their final names at once. It writes
// a file VERSION_txn_OPERATION_ID.log until the transaction ends. The lines of
// this log are TYPE:[PATH,TIME,FILES][CRC32]: ADD for a new SSTable, REMOVE for
// an SSTable that is replaced, COMMIT or ABORT at the end
// (org.apache.cassandra.db.lifecycle, LogFile and LogRecord). PATH ends with
// "nb-1-big-", or with "mc-1-big" if Cassandra 3.0 or 3.11 has written the log.
// ScyllaDB lists the SSTables that it is about to remove in
// pending_delete/sstables-FROM-TO.log (sstables/sstable_directory.cc).

#ifndef CASSANDRA_BLOOM_TOOLS_SSTABLE_TRANSACTION_LOGS_H_
#define CASSANDRA_BLOOM_TOOLS_SSTABLE_TRANSACTION_LOGS_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::tools {

// Each string is the prefix of an SSTable's file names, such as "nb-1-big-".
struct TransactionLogs {
  std::set<std::string> being_written;
  std::set<std::string> obsolete;
  // SSTables for which a log has a REMOVE line. The line holds the time of the
  // newest of the SSTable's files. If that time changes, Cassandra refuses to
  // start (LogFile.verifyRecord).
  std::set<std::string> with_times;
  // Why some logs cannot be read. Such a log may name any SSTable of the
  // folder.
  std::vector<std::string> errors;
};

// True for the name of a transaction log of Cassandra.
bool IsTransactionLog(std::string_view name);

// Adds what the content of a transaction log of Cassandra says. `path` names
// the log in errors. If the last line is only half written, it is ignored.
void AddTransactionLog(const std::string& path, std::string_view content,
                       TransactionLogs* logs);

// Adds what the content of a log in ScyllaDB's folder pending_delete says.
void AddPendingDeleteLog(std::string_view content, TransactionLogs* logs);

// Reads all logs about the SSTables of a folder. List the folder before you
// call this: a node removes a log only after it has completed or removed the
// SSTables that the log names. So a log that vanishes meanwhile is no error.
TransactionLogs ReadTransactionLogs(const std::string& folder);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SSTABLE_TRANSACTION_LOGS_H_
