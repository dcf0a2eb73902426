// SPDX-License-Identifier: Apache-2.0

// A table whose files change like the files of a running Cassandra node. The
// steps have the order of org.apache.cassandra.db.lifecycle (LogTransaction,
// LogFile, Tracker).

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_SCAN_LOOP_LIVE_TABLE_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_SCAN_LOOP_LIVE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace cassandra_bloom::testing {

// The form of the transaction logs of some Cassandra releases.
struct LogForm {
  const char* cassandra;   // Releases: "3.0 and 3.11".
  const char* version;     // Version of the SSTables.
  const char* log_prefix;  // Start of the names of logs.
  bool has_last_dash;      // Paths in records end with a dash: "nb-1-big-".
  bool has_id_of_uuid;     // Names of SSTables have a UUID, not a number.
};

inline std::ostream& operator<<(std::ostream& stream, const LogForm& form) {
  return stream << form.version;
}

class LiveTable {
 public:
  // `folder` must exist. Writes some SSTables that no transaction removes.
  LiveTable(const std::string& folder, const LogForm& form, uint64_t seed);

  // Runs one transaction. Each step changes one file. Pauses between the steps.
  void RunTransaction();

  size_t num_transactions() const { return num_transactions_; }

 private:
  // Names and bytes of components, in the order in which they are written.
  using Contents = std::vector<std::pair<std::string, std::string>>;
  // The beginning of the names of an SSTable's files: "nb-1-big-".
  using Name = std::string;

  void AddContents(size_t num_keys);
  Name NewName();

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
  std::string end_of_names_;  // Such as "-big-".
  std::vector<Name> live_;
  size_t num_names_ = 0;
  size_t num_transactions_ = 0;
};

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_SCAN_LOOP_LIVE_TABLE_H_
