// SPDX-License-Identifier: Apache-2.0

#include "tools/export/export_sst.h"

#include <functional>
#include <memory>
#include <string_view>

#include "plugin/export/sst_reader.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/format_number.h"
#include "plugin/filter/sizing.h"
#include "tools/export/sst_keys.h"

namespace cassandra_bloom {

namespace {

std::unique_ptr<FilterDbBuilder> NewBuilder(const ExportPlan& plan,
                                            uint64_t num_keys,
                                            std::string* error) {
  const ExportOptions& options = plan.options;
  return options.fp_chance != 0
             ? FilterDbBuilder::ForFpChance(options.fp_chance, num_keys,
                                            plan.form, error)
             : FilterDbBuilder::ForBitsPerKey(options.bits_per_key, num_keys,
                                              plan.form, error);
}

// Returns a filter of the file's partition keys, or null. Reads the keys twice,
// first to count them and then to add them, so that only the filter is kept in
// memory. Equal partition keys that follow each other count once.
std::unique_ptr<FilterDbBuilder> FromKeys(
    const ExportPlan& plan, const PartitionKeyExtractor& partition_key,
    const std::string& path, const rocksdb::TableProperties& properties,
    uint64_t* num_keys, std::string* error) {
  *num_keys = 0;
  std::unique_ptr<FilterDbBuilder> builder;
  std::optional<std::string> last;
  const auto visit = [&](std::string_view key) {
    const std::string_view entry = partition_key.Extract(key);
    if (entry == last) {
      return;
    }
    last = entry;
    if (builder == nullptr) {
      ++*num_keys;
    } else {
      builder->Add(entry);
    }
  };
  if (!ForEachKey(path, properties, visit, error)) {
    return nullptr;
  }
  builder = NewBuilder(plan, *num_keys, error);
  last.reset();
  return builder != nullptr && ForEachKey(path, properties, visit, error)
             ? std::move(builder)
             : nullptr;
}

}  // namespace

std::optional<ExportPlan> PlanExport(const ExportOptions& options,
                                     std::string* error) {
  const auto form = FormOfExports(options.sstable_version, error);
  if (!form) {
    return std::nullopt;
  }
  ExportPlan plan;
  plan.options = options;
  plan.form = *form;
  if (!options.partition_key.empty()) {
    plan.partition_key =
        PartitionKeyExtractor::Parse(options.partition_key, error);
    if (!plan.partition_key) {
      return std::nullopt;
    }
  }
  return NewBuilder(plan, /*num_keys=*/0, error) == nullptr
             ? std::nullopt
             : std::optional<ExportPlan>(plan);
}

ExportFolder FolderOf(const ExportPlan& plan, const std::string& path) {
  const ExportOptions& options = plan.options;
  FolderSettings settings;
  settings.sstable_version = options.sstable_version;
  settings.filters =
      "partition_key=" +
      (plan.partition_key ? plan.partition_key->spelling() : "default") +
      (options.from_keys ? " from=keys" : "") +
      (options.fp_chance != 0
           ? " fp_chance=" + FormatNumber(options.fp_chance)
           : " bits_per_key=" + FormatNumber(options.bits_per_key));
  settings.overwrite = options.overwrite;
  settings.dry_run = options.dry_run;
  return ExportFolder(path, settings);
}

ExportResult ExportSst(const ExportPlan& plan, ExportedFilterDb* exported,
                       std::string* error) {
  const auto sst = SstReader::Open(exported->sst_file, error);
  if (sst == nullptr) {
    return ExportResult::kCannotRead;
  }
  const PartitionKeyExtractor partition_key =
      (plan.partition_key ? plan.partition_key : sst->partition_key())
          .value_or(PartitionKeyExtractor());
  exported->partition_key = partition_key.spelling();
  exported->num_keys = sst->properties().num_filter_entries;
  exported->num_range_deletions = sst->properties().num_range_deletions;
  std::string& why_not = exported->why_not_block;
  ParsedFilter filter;
  if (!plan.options.from_keys) {
    why_not = plan.form != kBeforeMa
                  ? sst->FindBlock(partition_key, &filter)
                  : "the filter in an SST file cannot be had in the form " +
                        std::string(FormName(plan.form)) +
                        ", where every key has other bits";
    exported->from_block = why_not.empty();
  }
  std::unique_ptr<FilterDbBuilder> builder;
  if (!exported->from_block) {
    builder = FromKeys(plan, partition_key, exported->sst_file,
                       sst->properties(), &exported->num_keys, error);
    if (builder == nullptr) {
      *error +=
          why_not.empty()
              ? ""
              : " (from its block it cannot be exported: " + why_not + ")";
      return ExportResult::kCannotRead;
    }
    filter = {builder->num_probes(), builder->num_words(), builder->bits()};
  }
  exported->num_probes = filter.num_probes;
  exported->num_words = filter.num_words;
  return WriteFilter(filter, plan.form, exported->filter_db, error);
}

}  // namespace cassandra_bloom
