// SPDX-License-Identifier: Apache-2.0

// The log files in the folder of a table tell which SSTables are being written,
// and which SSTables a compaction has replaced.
//
// Since 3.0, Cassandra keeps a file VERSION_txn_OPERATION_ID.log until a
// transaction ends. Each line is TYPE:[PATH,TIME,FILES][CRC32]. The type is ADD
// for a new SSTable, REMOVE for a replaced SSTable, and COMMIT or ABORT at the
// end (LogFile and LogRecord in org.apache.cassandra.db.lifecycle).
//
// ScyllaDB lists the SSTables that it is about to remove in
// pending_delete/sstables-FROM-TO.log (sstables/sstable_directory.cc).

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_TRANSACTION_LOGS_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_TRANSACTION_LOGS_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::tools {

// Each string is the prefix of an SSTable's file names, such as "nb-1-big-".
struct TransactionLogs {
  std::set<std::string> being_written;
  std::set<std::string> obsolete;
  // SSTables with a REMOVE line, which holds the time of their newest file. If
  // that time changes, Cassandra does not start (LogFile.verifyRecord).
  std::set<std::string> with_times;
  // Why some logs cannot be read. Such a log may name any SSTable of the
  // folder.
  std::vector<std::string> errors;
};

bool IsTransactionLog(std::string_view name);

// `path` names the log in errors. A half-written last line is ignored.
void AddTransactionLog(const std::string& path, std::string_view content,
                       TransactionLogs* logs);

// Adds the SSTables that a log in ScyllaDB's folder pending_delete names.
void AddPendingDeleteLog(std::string_view content, TransactionLogs* logs);

// The caller must have listed the folder before. An SSTable in the list without
// a log is then complete or already removed, because a node removes a log only
// after it has completed or removed the SSTables in the log.
TransactionLogs ReadTransactionLogs(const std::string& folder);

// Like that, but lists only pending_delete: `names` are the other names in
// `folder`. While a node runs, a log may be missing there whose SSTables are
// not, because listing a folder takes a while.
TransactionLogs ReadTransactionLogs(const std::string& folder,
                                    const std::vector<std::string>& names);

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_TRANSACTION_LOGS_H_
