// SPDX-License-Identifier: Apache-2.0

#include "tests/policy/option_routes.h"

#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/version.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

namespace {

using OptionMap = std::unordered_map<std::string, std::string>;

std::string InTable(const std::string& policy) {
  return "block_based_table_factory={block_size=8192;filter_policy=" + policy +
         "}";
}

BlockBasedTableOptions TableOptionsOf(const Options& options) {
  return *options.table_factory->GetOptions<BlockBasedTableOptions>();
}

template <typename LoadFamily>
Status IntoFamily(const Options& base, Options* result, LoadFamily load) {
  ColumnFamilyOptions family;
  const Status status = load(ColumnFamilyOptions(base), &family);
  *result = Options(DBOptions(base), family);
  return status;
}

template <typename LoadTable>
Status IntoTable(const Options& base, Options* result, LoadTable load) {
  BlockBasedTableOptions table_options;
  const Status status = load(TableOptionsOf(base), &table_options);
  *result = base;
  result->table_factory.reset(NewBlockBasedTableFactory(table_options));
  return status;
}

Status FamilyString(const ConfigOptions& config, const Options& base,
                    const std::string& text, Options* result) {
  return IntoFamily(base, result, [&](const auto& from, auto* to) {
    return GetColumnFamilyOptionsFromString(config, from, text, to);
  });
}

Status InFamilyString(const ConfigOptions& config, const Options& base,
                      const std::string& policy, Options* result) {
  return FamilyString(config, base, InTable(policy), result);
}

Status InFamilyMap(const ConfigOptions& config, const Options& base,
                   const std::string& policy, Options* result) {
  const OptionMap map = {
      {"block_based_table_factory", "{filter_policy=" + policy + "}"}};
  return IntoFamily(base, result, [&](const auto& from, auto* to) {
    return GetColumnFamilyOptionsFromMap(config, from, map, to);
  });
}

Status InOptionsString(const ConfigOptions& config, const Options& base,
                       const std::string& policy, Options* result) {
  return GetOptionsFromString(config, base,
                              "max_open_files=100;" + InTable(policy), result);
}

// block_based_table_factory is an alias of `table_factory`.
Status InTableFactory(const ConfigOptions& config, const Options& base,
                      const std::string& policy, Options* result) {
  return FamilyString(
      config, base,
      "table_factory={id=BlockBasedTable;filter_policy=" + policy + "}",
      result);
}

Status InPolicyId(const ConfigOptions& config, const Options& base,
                  const std::string& policy, Options* result) {
  return FamilyString(
      config, base,
      "block_based_table_factory={filter_policy.id=" + policy + "}", result);
}

Status InTableString(const ConfigOptions& config, const Options& base,
                     const std::string& policy, Options* result) {
  return IntoTable(base, result, [&](const auto& from, auto* to) {
    return GetBlockBasedTableOptionsFromString(config, from,
                                               "filter_policy=" + policy, to);
  });
}

class OptionsFolder {
 public:
  explicit OptionsFolder(const std::string& policy) {
    WriteFile(file(), OptionsFileText(policy));
  }
  std::string file() const { return folder_ / "OPTIONS-000007"; }
  const std::string& path() const { return folder_.path(); }

 private:
  TempDir folder_;
};

template <typename LoadFile>
Status FromFile(const Options& base, Options* result, LoadFile load) {
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  const Status status = load(&db_options, &families);
  db_options.create_if_missing = true;
  *result =
      families.empty() ? base : Options(db_options, families.front().options);
  return status;
}

Status InOptionsFile(const ConfigOptions& config, const Options& base,
                     const std::string& policy, Options* result) {
  const OptionsFolder folder(policy);
  return FromFile(base, result, [&](DBOptions* db_options, auto* families) {
    return LoadOptionsFromFile(config, folder.file(), db_options, families);
  });
}

Status InLatestOptions(const ConfigOptions& config, const Options& base,
                       const std::string& policy, Options* result) {
  const OptionsFolder folder(policy);
  return FromFile(base, result, [&](DBOptions* db_options, auto* families) {
    return LoadLatestOptions(config, folder.path(), db_options, families);
  });
}

}  // namespace

const std::vector<OptionRoute>& OptionRoutes() {
  static const std::vector<OptionRoute> routes = {
      {"GetColumnFamilyOptionsFromString", true, InFamilyString},
      {"GetColumnFamilyOptionsFromMap", true, InFamilyMap},
      {"GetOptionsFromString", true, InOptionsString},
      {"table_factory={}", true, InTableFactory},
      {"filter_policy.id", false, InPolicyId},
      {"GetBlockBasedTableOptionsFromString", true, InTableString},
      {"LoadOptionsFromFile", true, InOptionsFile},
      {"LoadLatestOptions", true, InLatestOptions},
  };
  return routes;
}

std::string OptionsFileText(const std::string& policy) {
  return "[Version]\n"
         "  rocksdb_version=" +
         std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) +
         "." + std::to_string(ROCKSDB_PATCH) +
         "\n"
         "  options_file_version=1.1\n"
         "[DBOptions]\n"
         "  max_open_files=100\n"
         "[CFOptions \"default\"]\n"
         "  write_buffer_size=4194304\n"
         "[TableOptions/BlockBasedTable \"default\"]\n"
         "  block_size=8192\n"
         "  filter_policy=" +
         policy + "\n";
}

}  // namespace cassandra_bloom::testing
