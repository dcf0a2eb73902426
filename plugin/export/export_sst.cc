// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/export_sst.h"

#include <functional>
#include <memory>
#include <string_view>

#include "plugin/export/sst_reader.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/format_number.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/sstable_version.h"
#include "plugin/filter_db/write_file.h"
#include "plugin/policy/running_rocksdb.h"

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

// Returns false for SSTable versions before `ma`, whose hash has another order.
bool HasFormOfBlocks(const ExportPlan& plan) { return plan.form != kBeforeMa; }

// Returns a filter of the file's partition keys, or null. Reads the keys twice,
// first to count them and then to add them, so that only the filter is kept in
// memory. Equal partition keys that follow each other count once.
std::unique_ptr<FilterDbBuilder> FromKeys(
    const ExportPlan& plan, const PartitionKeyExtractor& partition_key,
    SstReader* sst, uint64_t* num_keys, std::string* error) {
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
  if (!sst->ForEachKey(visit, error)) {
    return nullptr;
  }
  builder = NewBuilder(plan, *num_keys, error);
  last.reset();
  return builder != nullptr && sst->ForEachKey(visit, error)
             ? std::move(builder)
             : nullptr;
}

}  // namespace

std::optional<ExportPlan> PlanExport(const ExportOptions& options,
                                     std::string* error) {
  if (const std::string fault = RunningRocksdbFault(); !fault.empty()) {
    *error = fault;
    return std::nullopt;
  }
  if (IsFormName(options.sstable_version)) {
    *error = "'" + options.sstable_version +
             "' is a form, but the names of the files need an SSTable version, "
             "such as nb";
    return std::nullopt;
  }
  ExportPlan plan;
  plan.options = options;
  if (!options.partition_key.empty()) {
    plan.partition_key =
        PartitionKeyExtractor::Parse(options.partition_key, error);
    if (!plan.partition_key) {
      return std::nullopt;
    }
  }
  if (!FormOfSstableVersion(options.sstable_version, &plan.form, error) ||
      NewBuilder(plan, /*num_keys=*/0, error) == nullptr) {
    return std::nullopt;
  }
  if (options.from == ExportFrom::kBlock && !HasFormOfBlocks(plan)) {
    *error = "filter blocks cannot be copied for SSTable version '" +
             options.sstable_version +
             "', in which every key has other bits; `sst_filters export` "
             "builds such filters from the keys";
    return std::nullopt;
  }
  return plan;
}

std::string ExportOptionsText(const ExportPlan& plan) {
  const ExportOptions& options = plan.options;
  return "partition_key=" +
         (plan.partition_key ? plan.partition_key->spelling() : "default") +
         (options.from == ExportFrom::kKeys ? " from=keys" : "") +
         (options.fp_chance != 0
              ? " fp_chance=" + FormatNumber(options.fp_chance)
              : " bits_per_key=" + FormatNumber(options.bits_per_key));
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
  if (plan.options.from != ExportFrom::kKeys) {
    why_not = HasFormOfBlocks(plan)
                  ? sst->FindBlock(partition_key, &filter)
                  : "the filter in an SST file cannot be had in the form " +
                        std::string(FormName(plan.form)) +
                        ", where every key has other bits";
    exported->from_block = why_not.empty();
  }
  if (!exported->from_block && plan.options.from == ExportFrom::kBlock) {
    return ExportResult::kNoBlock;
  }
  std::unique_ptr<FilterDbBuilder> builder;
  if (!exported->from_block) {
    builder =
        FromKeys(plan, partition_key, sst.get(), &exported->num_keys, error);
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
  return WriteFileAtomically(exported->filter_db, /*overwrite=*/true,
                             FilterDbContent(plan.form, filter.num_probes,
                                             filter.num_words, filter.bits),
                             error)
             ? ExportResult::kDone
             : ExportResult::kCannotWrite;
}

}  // namespace cassandra_bloom
