// SPDX-License-Identifier: Apache-2.0

// filterdb doctor: what the newest OPTIONS file of a database says about
// filters. The text is parsed here, because RocksDB's own parser gives the
// default value for a missing option, and no policy for an unknown one.

#ifndef CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_OPTIONS_FILE_H_
#define CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_OPTIONS_FILE_H_

#include <map>
#include <string>

#include "plugin/policy/policy_settings.h"
#include "tools/filterdb/doctor/files/sst_format.h"

namespace cassandra_bloom::tools {

// The options of a column family.
struct FamilyOptions {
  // Why the options, or only the policy, are not known; otherwise empty. If the
  // file cannot be read, all other members have their defaults.
  std::string unknown;
  std::string table = kBlockBasedTable;  // The table_factory.
  // The filter policy: its id if it can be created here, otherwise its text in
  // the file. Empty if there is none.
  std::string policy;
  std::string refused;      // Why the policy is refused, or empty.
  PolicySettings settings;  // Of our policy, if it is not refused.
  bool levelled = true;
  // What RocksDB makes of the option: off if there are several paths
  // (SanitizeOptions, db/column_family.cc).
  bool dynamic_levels = false;
  bool filters_for_hits = false;
  bool whole_key_filtering = true;
  bool partition_filters = false;
  bool optimize_filters_for_memory = false;
  std::string prefix_extractor;  // Empty if there is none.
  int num_levels = 7;

  // Whether `policy` is ours, and not refused.
  bool IsOn() const;

  // True if SST files certainly get no filter.
  bool HasNoPolicy() const {
    return unknown.empty() && table == kBlockBasedTable && policy.empty();
  }
};

class OptionsFile {
 public:
  // Reads the newest OPTIONS file of the database.
  explicit OptionsFile(const std::string& db);

  FamilyOptions Of(const std::string& column_family) const;

  // Whether the file has options of this column family, or cannot be read.
  bool Knows(const std::string& column_family) const {
    return !error_.empty() || sections_.count({"CFOptions", column_family}) > 0;
  }

 private:
  using Section = std::map<std::string, std::string>;

  void Parse(const std::string& text);

  std::string name_;
  std::string error_;  // Why the file could not be read.
  // The sections of the file. Key: title, such as CFOptions, and name of the
  // column family.
  std::map<std::pair<std::string, std::string>, Section> sections_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_FILTERDB_DOCTOR_FILES_OPTIONS_FILE_H_
