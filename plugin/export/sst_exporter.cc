// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/sst_exporter.h"

#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>

#include <memory>
#include <optional>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/block_layout.h"
#include "plugin/filter/sizing.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/partition_transform.h"
#include "plugin/policy/running_rocksdb.h"
#include "plugin/policy/slice_view.h"
#include "plugin/sstable/filter_db_file.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::TableProperties;

namespace {

std::unique_ptr<FilterDbBuilder> NewBuilder(
    const FilterDbExportOptions& options, uint64_t num_keys, FilterForm form,
    std::string* error) {
  return options.fp_chance != 0
             ? FilterDbBuilder::ForFpChance(options.fp_chance, num_keys, form,
                                            error)
             : FilterDbBuilder::ForBitsPerKey(options.bits_per_key, num_keys,
                                              form, error);
}

// The extractor whose name is in the file.
std::shared_ptr<const SliceTransform> RecordedExtractor(const SstFile& sst,
                                                        std::string* error) {
  const std::string& name = sst.properties().prefix_extractor_name;
  std::shared_ptr<const SliceTransform> extractor;
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

// The filter's entries for keys and for prefixes are the same.
bool PrefixesEndWithPartitionKeys(const SstFile& sst) {
  return sst.partition_key() &&
         sst.properties().prefix_extractor_name ==
             PartitionTransform::IdFor(*sst.partition_key());
}

}  // namespace

bool AreGoodExportOptions(const FilterDbExportOptions& options,
                          FilterForm* form, std::string* error) {
  if (!RunningRocksdbIsOurs()) {
    *error =
        "this process runs another release of RocksDB than the one that "
        "the export was compiled for";
    return false;
  }
  if (!options.partition_key.empty() &&
      !PartitionKeyExtractor::Parse(options.partition_key, error)) {
    return false;
  }
  return FormOfSstableVersion(options.sstable_version, form, error) &&
         NewBuilder(options, /*num_keys=*/0, *form, error) != nullptr;
}

bool SstExporter::Export(std::string* error) {
  if (options_.from != ExportFrom::kKeys) {
    if (!TryBlock(error)) {
      return false;
    }
    if (exported_->from_block) {
      return true;
    }
    if (options_.from == ExportFrom::kBlock) {
      *error = exported_->sst_file + ": " + exported_->why_not_block +
               "; its keys can be hashed anew (--from=keys)";
      return false;
    }
  }
  const bool good = ExportKeys(error);
  if (!good && !write_failed_ && !exported_->why_not_block.empty()) {
    *error +=
        " (from its block it cannot be exported: " + exported_->why_not_block +
        ")";
  }
  return good;
}

PartitionKeyExtractor SstExporter::PartitionKeyOf(const SstFile& sst) const {
  std::string checked_before;
  return (options_.partition_key.empty()
              ? sst.partition_key()
              : PartitionKeyExtractor::Parse(options_.partition_key,
                                             &checked_before))
      .value_or(PartitionKeyExtractor());
}

// Ways that need not read the block.
std::string SstExporter::WhyNotBlock(const SstFile& sst) const {
  const TableProperties& properties = sst.properties();
  if (form_.hash_order != kNaAndLater.hash_order) {
    return "the filter in an SST file cannot be had in the form " +
           std::string(FormName(form_)) + ", where every key has other bits";
  }
  if (properties.filter_size == 0) {
    return "there is no filter in the file";
  }
  if (properties.filter_policy_name != FilterNameFor(PartitionKeyOf(sst))) {
    return "its filter is of the policy '" + properties.filter_policy_name +
           "'";
  }
  const FilterHolds holds = sst.filter_holds();
  if (holds != FilterHolds::kKeys && holds != FilterHolds::kPrefixes &&
      !PrefixesEndWithPartitionKeys(sst)) {
    return "its filter does not hold whole keys alone, or prefixes alone";
  }
  return options_.prefixes ? WhyNotItsPrefixes(sst) : "";
}

std::string SstExporter::WhyNotItsPrefixes(const SstFile& sst) const {
  const std::string& name = sst.properties().prefix_extractor_name;
  if (sst.filter_holds() != FilterHolds::kPrefixes) {
    return "its filter holds whole keys";
  }
  if (options_.prefix_extractor != nullptr &&
      options_.prefix_extractor->AsString() != name) {
    return "its filter holds the prefixes of another extractor, '" + name + "'";
  }
  return "";
}

// Writes the block if that can be, otherwise says why not. False for errors
// alone.
bool SstExporter::TryBlock(std::string* error) {
  int num_blocks = 0;
  Slice block;
  const auto sst = SstFile::Open(
      exported_->sst_file,
      [&](const Slice& read) {
        ++num_blocks;
        block = read;
      },
      error);
  if (sst == nullptr) {
    return false;
  }
  exported_->num_range_deletions = sst->properties().num_range_deletions;
  exported_->why_not_block = WhyNotBlock(*sst);
  if (exported_->why_not_block.empty() && !sst->filter_damage().empty()) {
    exported_->why_not_block = "its filter is damaged: " + sst->filter_damage();
  }
  if (!exported_->why_not_block.empty()) {
    return true;
  }
  if (num_blocks != 1 || block.size() != sst->properties().filter_size) {
    exported_->why_not_block = "its filter is partitioned";
    return true;
  }
  FilterDb filter;
  if (!ParseFilterDb(block.data(), block.size(), &filter) ||
      filter.num_probes > kMaxProbes) {
    exported_->why_not_block = "its filter is empty or damaged";
    return true;
  }
  exported_->from_block = true;
  exported_->partition_key = PartitionKeyOf(*sst).spelling();
  exported_->holds_prefixes = sst->filter_holds() == FilterHolds::kPrefixes;
  exported_->num_keys = sst->properties().num_filter_entries;
  return Write(filter.num_probes, filter.num_words, filter.bits, error);
}

bool SstExporter::ExportKeys(std::string* error) {
  const auto sst = SstFile::Open(exported_->sst_file, nullptr, error);
  if (sst == nullptr) {
    return false;
  }
  exported_->num_range_deletions = sst->properties().num_range_deletions;
  exported_->holds_prefixes = options_.prefixes;
  exported_->partition_key = PartitionKeyOf(*sst).spelling();
  std::shared_ptr<const SliceTransform> extractor;
  if (options_.prefixes) {
    extractor = options_.prefix_extractor != nullptr
                    ? options_.prefix_extractor
                    : RecordedExtractor(*sst, error);
    if (extractor == nullptr) {
      return false;
    }
  }
  // Once to count and once to add, so that no more than the filter is kept.
  uint64_t num_keys = 0;
  if (!ForEachEntry(
          sst.get(), extractor.get(), /*pass=*/0,
          [&](std::string_view) { ++num_keys; }, error)) {
    return false;
  }
  const auto builder = NewBuilder(options_, num_keys, form_, error);
  if (builder == nullptr ||
      !ForEachEntry(
          sst.get(), extractor.get(), /*pass=*/1,
          [&](std::string_view key) { builder->Add(key); }, error)) {
    return false;
  }
  exported_->num_keys = num_keys;
  return Write(builder->num_probes(), builder->num_words(), builder->bits(),
               error);
}

// The partition keys of the keys, or of the prefixes of those that have one; of
// those that are equal and beside each other one.
bool SstExporter::ForEachEntry(
    SstFile* sst, const SliceTransform* prefix_extractor, uint64_t pass,
    const std::function<void(std::string_view)>& visit, std::string* error) {
  const PartitionKeyExtractor partition_key = PartitionKeyOf(*sst);
  const bool all_of_key =
      prefix_extractor == nullptr && partition_key.is_whole();
  const uint64_t num_entries = sst->properties().num_entries;
  uint64_t num_keys = 0;
  std::optional<std::string> last;
  const auto visit_key = [&](std::string_view key) {
    if (++num_keys % 65536 == 0 && progress_) {
      progress_((pass * num_entries + num_keys) / 2, num_entries);
    }
    std::string_view entry = key;
    if (prefix_extractor != nullptr) {
      const Slice slice(key.data(), key.size());
      if (!prefix_extractor->InDomain(slice)) {
        return;
      }
      entry = ViewOf(prefix_extractor->Transform(slice));
    }
    entry = partition_key.Extract(entry);
    if (all_of_key) {
      visit(key);  // None is repeated.
    } else if (entry != last) {
      visit(entry);
      last = entry;
    }
  };
  return sst->ForEachKey(options_.live_keys_only, visit_key, error);
}

bool SstExporter::Write(int num_probes, uint32_t num_words, const char* bits,
                        std::string* error) {
  exported_->num_probes = num_probes;
  exported_->num_words = num_words;
  write_failed_ =
      !WriteOneOfManyFilterDbFiles(exported_->filter_db, form_, num_probes,
                                   num_words, bits, options_.overwrite, error);
  return !write_failed_;
}

}  // namespace cassandra_bloom
