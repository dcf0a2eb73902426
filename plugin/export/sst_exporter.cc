// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/sst_exporter.h"

#include <rocksdb/convenience.h>

#include "plugin/filter/sizing.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/io/output_file.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/partition_transform.h"
#include "plugin/policy/running_rocksdb.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::TableProperties;

namespace {

std::unique_ptr<FilterDbBuilder> NewBuilder(const ExportPlan& plan,
                                            uint64_t num_keys,
                                            std::string* error) {
  const FilterDbExportOptions& options = plan.options;
  return options.fp_chance != 0
             ? FilterDbBuilder::ForFpChance(options.fp_chance, num_keys,
                                            plan.form, error)
             : FilterDbBuilder::ForBitsPerKey(options.bits_per_key, num_keys,
                                              plan.form, error);
}

ExtractorPtr RecordedExtractor(const SstFile& sst, std::string* error) {
  const std::string& name = sst.properties().prefix_extractor_name;
  ExtractorPtr extractor;
  if (!name.empty() && name != "nullptr") {
    SliceTransform::CreateFromString(ConfigOptions(), name, &extractor)
        .PermitUncheckedError();
  }
  if (extractor == nullptr) {
    *error = sst.path() + ": has no prefixes: its prefix extractor is " +
             (name.empty() || name == "nullptr"
                  ? "none"
                  : "'" + name + "', which is not known here");
  }
  return extractor;
}

// Returns true if each prefix of this file ends where its partition key ends.
bool PrefixesEndWithPartitionKeys(const SstFile& sst) {
  return sst.partition_key() &&
         sst.properties().prefix_extractor_name ==
             PartitionTransform::IdFor(*sst.partition_key());
}

}  // namespace

std::optional<ExportPlan> PlanExport(const FilterDbExportOptions& options,
                                     std::string* error) {
  if (!RocksdbReleaseMatches()) {
    *error =
        "this process runs another release of RocksDB than the one that "
        "the export was compiled for";
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
  return plan;
}

bool SstExporter::Export(std::string* error) {
  const ExportFrom from = plan_.options.from;
  Slice last_block;
  SstFile::VisitBlock visit;
  if (from != ExportFrom::kKeys) {
    visit = [&](const Slice& block, FilterKind) { last_block = block; };
  }
  sst_ = SstFile::Open(exported_->sst_file, visit, error);
  if (sst_ == nullptr) {
    return false;
  }
  exported_->num_range_deletions = sst_->properties().num_range_deletions;
  exported_->partition_key = PartitionKey().spelling();
  if (from == ExportFrom::kKeys) {
    return ExportKeys(error);
  }
  ParsedFilter filter;
  std::string& why_not = exported_->why_not_block;
  why_not = ParseBlock(last_block, &filter);
  if (why_not.empty()) {
    return WriteBlock(filter, error);
  }
  if (from == ExportFrom::kBlock) {
    *error = exported_->sst_file + ": " + why_not +
             "; its keys can be hashed anew (--from=keys)";
    return false;
  }
  const bool good = ExportKeys(error);
  if (!good && !write_failed_) {
    *error += " (from its block it cannot be exported: " + why_not + ")";
  }
  return good;
}

PartitionKeyExtractor SstExporter::PartitionKey() const {
  return (plan_.partition_key ? plan_.partition_key : sst_->partition_key())
      .value_or(PartitionKeyExtractor());
}

// Returns why the block cannot be exported, or "". Looks only at options and
// properties, not at the block.
std::string SstExporter::WhyNotBlock() const {
  const TableProperties& properties = sst_->properties();
  if (plan_.form.hash_order != kNaAndLater.hash_order) {
    return "the filter in an SST file cannot be had in the form " +
           std::string(FormName(plan_.form)) +
           ", where every key has other bits";
  }
  if (properties.filter_size == 0) {
    return "there is no filter in the file";
  }
  const std::string why_not = WhyNotItsPolicy();
  if (!why_not.empty()) {
    return why_not;
  }
  return plan_.options.prefixes ? WhyNotItsPrefixes() : WhyNotItsKeys();
}

std::string SstExporter::WhyNotItsPolicy() const {
  const std::string& policy = sst_->properties().filter_policy_name;
  switch (sst_->filter_kind()) {
    case FilterKind::kRocksdbsBloom:
      return "it has RocksDB's Bloom filter, not ours";
    case FilterKind::kRocksdbsRibbon:
      return "it has RocksDB's Ribbon filter, not ours";
    case FilterKind::kRocksdbsOther:
      return "it has a filter of RocksDB's own, not ours";
    case FilterKind::kBesideRocksdb:
      return PartitionKey().is_whole() ? "" : "its filter holds whole keys";
    default:
      break;
  }
  if (policy != FilterNameFor(PartitionKey())) {
    return "its filter is of the policy '" + policy + "'";
  }
  const bool is_missing = sst_->filter_kind() == FilterKind::kUnknown &&
                          sst_->filter_damage().empty();
  return is_missing ? "its filter is not of the policy '" + policy +
                          "', which the file names"
                    : "";
}

std::string SstExporter::WhyNotItsKeys() const {
  const FilterHolds holds = sst_->filter_holds();
  if (holds == FilterHolds::kPrefixes) {
    return "its filter holds prefixes, which are exported only if prefixes are "
           "asked for (--prefixes)";
  }
  return holds == FilterHolds::kKeys || PrefixesEndWithPartitionKeys(*sst_)
             ? ""
             : "its filter does not hold whole keys alone";
}

std::string SstExporter::WhyNotItsPrefixes() const {
  const std::string& name = sst_->properties().prefix_extractor_name;
  if (sst_->filter_holds() != FilterHolds::kPrefixes) {
    return "its filter does not hold prefixes alone";
  }
  if (extractor_ != nullptr && extractor_->AsString() != name) {
    return "its filter holds the prefixes of another extractor, '" + name + "'";
  }
  return "";
}

std::string SstExporter::ParseBlock(const Slice& block,
                                    ParsedFilter* filter) const {
  const std::string why_not = WhyNotBlock();
  if (!why_not.empty()) {
    return why_not;
  }
  if (!sst_->filter_damage().empty()) {
    return "its filter is damaged: " + sst_->filter_damage();
  }
  if (!sst_->has_full_filter()) {
    return "its filter is partitioned";
  }
  const bool good = ParseFilterDb(block.data(), block.size(), filter) &&
                    filter->num_probes <= kMaxProbes;
  return good ? "" : "its filter is empty or damaged";
}

bool SstExporter::WriteBlock(const ParsedFilter& filter, std::string* error) {
  exported_->from_block = true;
  exported_->holds_prefixes = sst_->filter_holds() == FilterHolds::kPrefixes;
  exported_->num_keys = sst_->properties().num_filter_entries;
  return Write(filter.num_probes, filter.num_words, filter.bits, error);
}

bool SstExporter::ExportKeys(std::string* error) {
  exported_->holds_prefixes = plan_.options.prefixes;
  ExtractorPtr extractor;
  if (plan_.options.prefixes) {
    extractor =
        extractor_ != nullptr ? extractor_ : RecordedExtractor(*sst_, error);
    if (extractor == nullptr) {
      return false;
    }
  }
  // Reads the keys twice, first to count them and then to add them, so that
  // only the filter is kept in memory.
  uint64_t num_keys = 0;
  if (!ForEachEntry(
          extractor.get(), /*pass=*/0, [&](std::string_view) { ++num_keys; },
          error)) {
    return false;
  }
  const auto builder = NewBuilder(plan_, num_keys, error);
  if (builder == nullptr ||
      !ForEachEntry(
          extractor.get(), /*pass=*/1,
          [&](std::string_view key) { builder->Add(key); }, error)) {
    return false;
  }
  exported_->num_keys = num_keys;
  return Write(builder->num_probes(), builder->num_words(), builder->bits(),
               error);
}

// Calls `visit` with the partition key of each key or, with `extractor`, of
// each prefix. Visits equal partition keys in a row once. `pass` is 0 or 1, and
// is needed only to report the progress.
bool SstExporter::ForEachEntry(
    const SliceTransform* extractor, uint64_t pass,
    const std::function<void(std::string_view)>& visit, std::string* error) {
  const PartitionKeyExtractor partition_key = PartitionKey();
  const bool all_of_key = extractor == nullptr && partition_key.is_whole();
  const uint64_t num_entries = sst_->properties().num_entries;
  uint64_t num_keys = 0;
  std::optional<std::string> last;
  const auto visit_key = [&](std::string_view key) {
    if (++num_keys % 65536 == 0 && progress_) {
      progress_((pass * num_entries + num_keys) / 2, num_entries);
    }
    std::string_view entry = key;
    if (extractor != nullptr) {
      const Slice slice(key.data(), key.size());
      if (!extractor->InDomain(slice)) {
        return;
      }
      entry = extractor->Transform(slice).ToStringView();
    }
    entry = partition_key.Extract(entry);
    if (all_of_key) {
      visit(key);  // ForEachKey gives each key once.
    } else if (entry != last) {
      visit(entry);
      last = entry;
    }
  };
  return sst_->ForEachKey(plan_.options.live_keys_only, visit_key, error);
}

bool SstExporter::Write(int num_probes, uint32_t num_words, const char* bits,
                        std::string* error) {
  exported_->num_probes = num_probes;
  exported_->num_words = num_words;
  write_failed_ = !WriteOutput(
      exported_->filter_db, overwrite_,
      FilterDbContent(plan_.form, num_probes, num_words, bits), error);
  return !write_failed_;
}

}  // namespace cassandra_bloom
