// SPDX-License-Identifier: Apache-2.0

// sst_filters doctor: what the newest OPTIONS file of a database says about
// filters. This code does not use RocksDB's parser, because that parser hides
// faults. It returns the default value for a missing option, and no policy for
// an unknown policy.

#ifndef CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_OPTIONS_FILE_H_
#define CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_OPTIONS_FILE_H_

#include <map>
#include <optional>
#include <string>

#include "plugin/policy/policy_settings.h"
#include "tools/sst_filters/doctor/files/sst_format.h"

namespace cassandra_bloom::tools {

struct FamilyOptions {
  // Says why the options, or only the policy, are not known. Empty if they are
  // known. If the file cannot be read, all other members have their defaults.
  std::string unknown;
  std::string table = kBlockBasedTable;  // The table_factory.
  // The id of the filter policy, if filterdb can create the policy. Otherwise
  // the text in the OPTIONS file. Empty if there is no policy.
  std::string policy;
  std::string refused;      // Why the policy is refused, or empty.
  PolicySettings settings;  // Of cassandra_bloom, if it is not refused.
  bool levelled = true;
  // The value of level_compaction_dynamic_level_bytes that RocksDB uses.
  // RocksDB uses false if there are several paths for SST files
  // (SanitizeOptions, db/column_family.cc).
  bool dynamic_levels = false;
  // max_bytes_for_level_multiplier, as it counts for the policy.
  double level_ratio = 10;
  bool filters_for_hits = false;
  bool whole_key_filtering = true;
  bool partition_filters = false;
  bool optimize_filters_for_memory = false;
  std::string prefix_extractor;  // Empty if there is none.
  int num_levels = 7;

  // Returns whether `policy` is cassandra_bloom's, and is not refused.
  bool IsOn() const;

  // Returns SstPlace::level_ratio of the column family's files.
  std::optional<double> LevelRatio() const {
    return levelled && dynamic_levels ? std::optional(level_ratio)
                                      : std::nullopt;
  }

  // Returns true if it is certain that SST files get no filter.
  bool HasNoPolicy() const {
    return unknown.empty() && table == kBlockBasedTable && policy.empty();
  }
};

class OptionsFile {
 public:
  explicit OptionsFile(const std::string& db);

  FamilyOptions Of(const std::string& column_family) const;

  // Returns whether the file has options of this column family. Also returns
  // true if the file cannot be read.
  bool Knows(const std::string& column_family) const {
    return !error_.empty() || sections_.count({"CFOptions", column_family}) > 0;
  }

 private:
  using Section = std::map<std::string, std::string>;

  void Parse(const std::string& text);

  std::string name_;
  std::string error_;  // Why the file could not be read.
  // The key is the title of the section, such as CFOptions, and the name of the
  // column family.
  std::map<std::pair<std::string, std::string>, Section> sections_;
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_TOOLS_SST_FILTERS_DOCTOR_FILES_OPTIONS_FILE_H_
