// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/export_sst.h"

#include <algorithm>
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

// The export of one SST file.
class SstExport {
 public:
  SstExport(const ExportPlan& plan, bool overwrite, const StopExport& stop,
            ExportedFilterDb* exported, std::string* error)
      : plan_(plan),
        overwrite_(overwrite),
        stop_(stop),
        exported_(exported),
        error_(error) {}

  ExportResult Run();

 private:
  std::string FindBlock(ParsedFilter* filter);
  ExportResult FromKeys();
  ExportResult ForEachEntry(const std::function<void(std::string_view)>& visit);
  ExportResult Write(int num_probes, uint32_t num_words, const char* bits);

  const ExportPlan& plan_;
  const bool overwrite_;
  const StopExport& stop_;
  ExportedFilterDb* const exported_;
  std::string* const error_;
  std::unique_ptr<SstReader> sst_;
  PartitionKeyExtractor partition_key_;
};

ExportResult SstExport::Run() {
  sst_ = SstReader::Open(exported_->sst_file, error_);
  if (sst_ == nullptr) {
    return ExportResult::kCannotRead;
  }
  partition_key_ =
      (plan_.partition_key ? plan_.partition_key : sst_->partition_key())
          .value_or(PartitionKeyExtractor());
  exported_->partition_key = partition_key_.spelling();
  exported_->num_range_deletions = sst_->properties().num_range_deletions;
  if (plan_.options.from == ExportFrom::kKeys) {
    return FromKeys();
  }
  ParsedFilter filter;
  std::string& why_not = exported_->why_not_block;
  why_not = FindBlock(&filter);
  if (why_not.empty()) {
    exported_->from_block = true;
    exported_->num_keys = sst_->properties().num_filter_entries;
    return Write(filter.num_probes, filter.num_words, filter.bits);
  }
  const ExportResult result = FromKeys();
  if (result == ExportResult::kCannotRead) {
    *error_ += " (from its block it cannot be exported: " + why_not + ")";
  }
  return result;
}

// Returns why the file's filter cannot be exported as it is, or "".
std::string SstExport::FindBlock(ParsedFilter* filter) {
  if (plan_.form.hash_order != kNaAndLater.hash_order) {
    return "the filter in an SST file cannot be had in the form " +
           std::string(FormName(plan_.form)) +
           ", where every key has other bits";
  }
  std::string_view block;
  const std::string why_not = sst_->FindBlock(partition_key_, &block);
  if (!why_not.empty()) {
    return why_not;
  }
  return ParseFilterDb(block.data(), block.size(), filter) &&
                 filter->num_probes <= kMaxProbes
             ? ""
             : "its filter is empty or damaged";
}

// Reads the keys twice, first to count them and then to add them, so that only
// the filter is kept in memory.
ExportResult SstExport::FromKeys() {
  uint64_t num_keys = 0;
  const auto count = [&](std::string_view) { ++num_keys; };
  ExportResult result = ForEachEntry(count);
  if (result != ExportResult::kDone) {
    return result;
  }
  const auto builder = NewBuilder(plan_, num_keys, error_);
  if (builder == nullptr) {
    return ExportResult::kCannotRead;
  }
  const auto add = [&](std::string_view key) { builder->Add(key); };
  result = ForEachEntry(add);
  if (result != ExportResult::kDone) {
    return result;
  }
  exported_->num_keys = num_keys;
  return Write(builder->num_probes(), builder->num_words(), builder->bits());
}

// Calls `visit` with the partition key of each key. Visits equal partition keys
// in a row once.
ExportResult SstExport::ForEachEntry(
    const std::function<void(std::string_view)>& visit) {
  // Values may be large, so that few entries may take long to read.
  constexpr uint64_t kEntriesPerStop = 64;
  uint64_t num_seen = 0;
  bool stopped = false;
  std::optional<std::string> last;
  const auto visit_key = [&](std::string_view key) {
    stopped = num_seen++ % kEntriesPerStop == 0 && stop_();
    if (stopped) {
      return false;
    }
    const std::string_view entry = partition_key_.Extract(key);
    if (entry != last) {
      visit(entry);
      last = entry;
    }
    return true;
  };
  return sst_->ForEachKey(visit_key, error_) ? ExportResult::kDone
         : stopped                           ? ExportResult::kStopped
                                             : ExportResult::kCannotRead;
}

// Writes in pieces, so that the export can stop between two of them.
ExportResult SstExport::Write(int num_probes, uint32_t num_words,
                              const char* bits) {
  constexpr size_t kPiece = size_t{1} << 20;
  exported_->num_probes = num_probes;
  exported_->num_words = num_words;
  bool stopped = false;
  const WriteContent content =
      FilterDbContent(plan_.form, num_probes, num_words, bits);
  const auto write = [&](const Append& append) {
    return content([&](const char* data, size_t size) {
      for (size_t done = 0; done < size; done += kPiece) {
        stopped = stop_();
        if (stopped || !append(data + done, std::min(kPiece, size - done))) {
          return false;
        }
      }
      return true;
    });
  };
  std::string failure;
  if (WriteFileAtomically(exported_->filter_db, overwrite_, write, &failure)) {
    return ExportResult::kDone;
  }
  if (stopped) {
    return ExportResult::kStopped;
  }
  *error_ = failure;
  return ExportResult::kCannotWrite;
}

}  // namespace

std::optional<ExportPlan> PlanExport(const ExportOptions& options,
                                     std::string* error) {
  if (!RocksdbReleaseMatches()) {
    *error =
        "this process runs another release of RocksDB than the one that "
        "the export was compiled for";
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

ExportResult ExportSst(const ExportPlan& plan, bool overwrite,
                       const StopExport& stop, ExportedFilterDb* exported,
                       std::string* error) {
  return SstExport(plan, overwrite, stop, exported, error).Run();
}

}  // namespace cassandra_bloom
