// SPDX-License-Identifier: Apache-2.0

// A table whose files change like those of a running Cassandra node: by
// flushes, compactions, aborted compactions and removals. Their steps have the
// order of org.apache.cassandra.db.lifecycle (LogTransaction, LogFile,
// Tracker).

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_SCAN_LOOP_LIVE_TABLE_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_SCAN_LOOP_LIVE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

// How some releases of Cassandra write their transaction logs.
struct LogForm {
  const char* cassandra;   // "3.0 and 3.11"
  const char* version;     // Of its SSTables.
  const char* log_prefix;  // What the names of its logs begin with.
  bool has_last_dash;      // Paths in records end with a dash: "nb-1-big-".
  bool has_id_of_uuid;     // Names of SSTables have a UUID, not a number.
};

// For the names of tests.
inline std::ostream& operator<<(std::ostream& stream, const LogForm& form) {
  return stream << form.version;
}

class LiveTable {
 public:
  // `folder` must exist. Writes SSTables that no transaction removes.
  LiveTable(const std::string& folder, const LogForm& form, uint64_t seed);

  // Runs one transaction from its beginning to its end. Each step changes one
  // file. Pauses between the steps for random times.
  void RunTransaction();

  size_t num_transactions() const { return num_transactions_; }

 private:
  // The names of components, in the order in which they are written, and their
  // bytes.
  using Contents = std::vector<std::pair<std::string, std::string>>;
  // The beginning of the names of an SSTable's files: "nb-1-big-".
  using Name = std::string;

  void AddContents(size_t num_keys);
  Name NewName();

  // The steps of transactions.
  std::string NewLog(const std::string& operation);
  void Log(const std::string& log, const std::string& type, const Name& name);
  Name Add(const std::string& log);
  void Remove(const std::string& log, std::vector<Name> olds);
  void Abort(const std::string& log, const std::vector<Name>& news);
  std::vector<Name> TakeLive(size_t number);
  void Write(const Name& name, const Contents& contents);
  void Append(const std::string& path, const std::string& bytes);
  void Delete(const std::string& path);
  void Pause();

  uint64_t Random(uint64_t end);

  const std::string folder_;
  const LogForm form_;
  uint64_t random_;
  std::vector<Contents> contents_;
  std::string end_of_names_;  // "-big-"
  std::vector<Name> live_;
  size_t num_names_ = 0;
  size_t num_transactions_ = 0;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SCAN_LOOP_LIVE_TABLE_H_
