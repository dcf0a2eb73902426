// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/files/options_file.h"

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/utilities/object_registry.h>
#include <rocksdb/utilities/options_util.h>

#include <cstdlib>
#include <memory>
#include <sstream>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/level_ratio.h"
#include "tools/sst_filters/export/read_only_env.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::ObjectRegistry;
using ROCKSDB_NAMESPACE::Status;

namespace {

constexpr char kTableTitle[] = "TableOptions/";

std::string Trimmed(const std::string& text) {
  constexpr char kBlanks[] = " \t\r";
  const size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string::npos
             ? ""
             : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Returns the name of a column family as it was before EscapeOptionString
// (RocksDB's options/options_helper.cc) escaped it.
std::string Unescaped(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
    } else {
      ++i;
      plain += text[i] == 'n' ? '\n' : text[i] == 'r' ? '\r' : text[i];
    }
  }
  return plain;
}

void SetPolicy(const std::string& text, FamilyOptions* options) {
  ConfigOptions config;
  config.env = ReadOnlyEnv();
  config.ignore_unsupported_options = false;
  config.registry = ObjectRegistry::NewInstance();
  config.registry->AddLibrary("cassandra_bloom", register_cassandra_bloom, "");
  std::shared_ptr<const FilterPolicy> policy;
  const Status status = FilterPolicy::CreateFromString(config, text, &policy);
  options->policy = status.ok() && policy != nullptr ? policy->GetId()
                    : status.ok()                    ? ""
                                                     : text;
  if (status.ok()) {
    options->settings = SettingsOf(options->policy);
  } else if (!status.IsNotSupported()) {
    options->refused =
        status.getState() == nullptr ? status.ToString() : status.getState();
  }
}

}  // namespace

bool FamilyOptions::IsOn() const {
  return refused.empty() && policy.rfind(kPolicyName, 0) == 0 &&
         settings.error.empty();
}

OptionsFile::OptionsFile(const std::string& db) {
  // A running database may remove the OPTIONS file before it is read here.
  constexpr int kAttempts = 5;
  Status status;
  std::string text;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    status =
        ROCKSDB_NAMESPACE::GetLatestOptionsFileName(db, ReadOnlyEnv(), &name_);
    if (!status.ok()) {
      error_ = "the database has no OPTIONS file";
      return;
    }
    status = ROCKSDB_NAMESPACE::ReadFileToString(ReadOnlyEnv(),
                                                 db + "/" + name_, &text);
    if (!status.IsNotFound() && !status.IsPathNotFound()) {
      break;
    }
  }
  if (!status.ok()) {
    error_ = name_ + " cannot be read (" + status.ToString() + ")";
    return;
  }
  Parse(text);
}

void OptionsFile::Parse(const std::string& text) {
  // Drops a last line without a line feed, because such a line is incomplete.
  std::istringstream lines(text.substr(0, text.find_last_of('\n') + 1));
  Section* section = nullptr;
  for (std::string line; std::getline(lines, line);) {
    line = Trimmed(line);
    const size_t equals = line.find('=');
    const size_t begin = line.find('"');
    const size_t end = line.rfind('"');
    if (!line.empty() && line.front() == '[' && line.back() == ']') {
      section = nullptr;
      if (begin != end) {
        section =
            &sections_[{Trimmed(line.substr(1, begin - 1)),
                        Unescaped(line.substr(begin + 1, end - begin - 1))}];
      }
    } else if (section != nullptr && equals != std::string::npos &&
               line.front() != '#') {
      section->emplace(Trimmed(line.substr(0, equals)),
                       Trimmed(line.substr(equals + 1)));
    }
  }
}

FamilyOptions OptionsFile::Of(const std::string& column_family) const {
  FamilyOptions options;
  options.unknown = error_;
  const auto value = [&](const std::string& title, const char* name,
                         const char* otherwise) -> std::string {
    const auto section = sections_.find({title, column_family});
    if (section == sections_.end()) {
      return otherwise;
    }
    const auto found = section->second.find(name);
    return found == section->second.end() ? otherwise : found->second;
  };
  const auto of_family = [&](const char* name, const char* otherwise) {
    return value("CFOptions", name, otherwise);
  };
  options.table = of_family("table_factory", options.table.c_str());
  const std::string table = kTableTitle + options.table;
  options.levelled = of_family("compaction_style", "kCompactionStyleLevel") ==
                     "kCompactionStyleLevel";
  options.dynamic_levels =
      of_family("level_compaction_dynamic_level_bytes", "false") == "true";
  options.level_ratio = LevelRatioOf(
      std::atof(of_family("max_bytes_for_level_multiplier", "10").c_str()));
  options.filters_for_hits =
      of_family("optimize_filters_for_hits", "false") == "true";
  options.prefix_extractor = of_family("prefix_extractor", "nullptr");
  if (options.prefix_extractor == "nullptr") {
    options.prefix_extractor.clear();
  }
  options.num_levels = std::atoi(of_family("num_levels", "7").c_str());
  options.optimize_filters_for_memory =
      value(table, "optimize_filters_for_memory", "false") == "true";
  options.whole_key_filtering =
      value(table, "whole_key_filtering", "true") == "true";
  options.partition_filters =
      value(table, "partition_filters", "false") == "true";
  // RocksDB always writes filter_policy, even if there is none (nullptr).
  const std::string policy = value(table, "filter_policy", "");
  if (options.table != kBlockBasedTable) {
    return options;
  }
  if (policy.empty() && options.unknown.empty()) {
    options.unknown = name_ +
                      " has no filter_policy for this column family, "
                      "so the file was cut short or is no OPTIONS file";
  }
  SetPolicy(policy, &options);
  return options;
}

}  // namespace cassandra_bloom::tools
