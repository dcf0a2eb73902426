// Filter.db files for SST files: include/cassandra_bloom/filter_db_export.h.

#include "cassandra_bloom/filter_db_export.h"

#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cassandra_bloom/filter_db.h"
#include "plugin/core/filter_db.h"
#include "plugin/core/sizing.h"
#include "plugin/rocksdb/export_folder.h"
#include "plugin/rocksdb/live_ssts.h"
#include "plugin/rocksdb/policy_settings.h"
#include "plugin/rocksdb/running_rocksdb.h"
#include "plugin/rocksdb/sst_file.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::TableProperties;

namespace {

using Progress = std::function<void(uint64_t done, uint64_t all)>;

std::unique_ptr<FilterDbBuilder> NewBuilder(
    const FilterDbExportOptions& options, uint64_t num_keys, FilterForm form,
    std::string* error) {
  return options.fp_chance != 0
             ? FilterDbBuilder::ForFpChance(options.fp_chance, num_keys, form,
                                            error)
             : FilterDbBuilder::ForBitsPerKey(options.bits_per_key, num_keys,
                                              form, error);
}

// What can be said of the options before any file is read.
bool AreGoodOptions(const FilterDbExportOptions& options, FilterForm* form,
                    std::string* error) {
  if (!RunningRocksdbIsOurs()) {
    *error =
        "this process runs another release of RocksDB than the one that "
        "the export was compiled for";
    return false;
  }
  return FormOfSstableVersion(options.sstable_version, form, error) &&
         NewBuilder(options, /*num_keys=*/0, *form, error) != nullptr;
}

// ---- One SST file ----

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

// Exports an SST file in its two ways.
class Exporter {
 public:
  Exporter(const FilterDbExportOptions& options, FilterForm form,
           const Progress& progress, ExportedFilterDb* exported)
      : options_(options),
        form_(form),
        progress_(progress),
        exported_(exported) {}

  bool Export(std::string* error) {
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
    return ExportKeys(error);
  }

 private:
  // Ways that need not read the block.
  std::string WhyNotBlock(const SstFile& sst) const {
    const TableProperties& properties = sst.properties();
    if (form_.hash_order != kNaAndLater.hash_order) {
      return "the filter in an SST file cannot be had in the form " +
             std::string(FormName(form_)) + ", where every key has other bits";
    }
    if (properties.filter_size == 0) {
      return "there is no filter in the file";
    }
    if (properties.filter_policy_name != kPolicyName) {
      return "its filter is of the policy '" + properties.filter_policy_name +
             "'";
    }
    const FilterHolds holds = sst.filter_holds();
    if (holds != FilterHolds::kKeys && holds != FilterHolds::kPrefixes) {
      return "its filter does not hold whole keys alone, or prefixes alone";
    }
    return options_.prefixes ? WhyNotItsPrefixes(sst) : "";
  }

  std::string WhyNotItsPrefixes(const SstFile& sst) const {
    const std::string& name = sst.properties().prefix_extractor_name;
    if (sst.filter_holds() != FilterHolds::kPrefixes) {
      return "its filter holds whole keys";
    }
    if (options_.prefix_extractor != nullptr &&
        options_.prefix_extractor->AsString() != name) {
      return "its filter holds the prefixes of another extractor, '" + name +
             "'";
    }
    return "";
  }

  void SetProperties(const SstFile& sst) {
    exported_->num_range_deletions = sst.properties().num_range_deletions;
  }

  // Writes the block if that can be, otherwise says why not. False for errors
  // alone.
  bool TryBlock(std::string* error) {
    int num_blocks = 0;
    Slice block;
    const auto sst =
        SstFile::Open(exported_->sst_file,
                      std::make_shared<BlockObserver>([&](const Slice& read) {
                        ++num_blocks;
                        block = read;
                      }),
                      error);
    if (sst == nullptr) {
      return false;
    }
    SetProperties(*sst);
    exported_->why_not_block = WhyNotBlock(*sst);
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
    exported_->holds_prefixes = sst->filter_holds() == FilterHolds::kPrefixes;
    exported_->num_keys = sst->properties().num_filter_entries;
    return Write(filter.num_probes, filter.num_words, filter.bits, error);
  }

  bool ExportKeys(std::string* error) {
    const auto sst = SstFile::Open(exported_->sst_file, nullptr, error);
    if (sst == nullptr) {
      return false;
    }
    SetProperties(*sst);
    exported_->holds_prefixes = options_.prefixes;
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

  // The keys, or the prefixes of those that have one.
  bool ForEachEntry(SstFile* sst, const SliceTransform* extractor,
                    uint64_t pass,
                    const std::function<void(std::string_view)>& visit,
                    std::string* error) {
    const uint64_t num_entries = sst->properties().num_entries;
    uint64_t num_keys = 0;
    std::string last_prefix;
    bool any_prefix = false;
    const auto visit_key = [&](std::string_view key) {
      if (++num_keys % 65536 == 0 && progress_) {
        progress_((pass * num_entries + num_keys) / 2, num_entries);
      }
      const Slice slice(key.data(), key.size());
      if (extractor == nullptr) {
        visit(key);
      } else if (extractor->InDomain(slice)) {
        const Slice prefix = extractor->Transform(slice);
        if (!any_prefix || prefix != last_prefix) {
          last_prefix = prefix.ToString();
          any_prefix = true;
          visit(last_prefix);
        }
      }
    };
    return sst->ForEachKey(options_.live_keys_only, visit_key, error);
  }

  bool Write(int num_probes, uint32_t num_words, const char* bits,
             std::string* error) {
    exported_->num_probes = num_probes;
    exported_->num_words = num_words;
    return WriteFilterDbFile(exported_->filter_db, form_, num_probes, num_words,
                             bits, options_.overwrite, error);
  }

  const FilterDbExportOptions& options_;
  const FilterForm form_;
  const Progress& progress_;
  ExportedFilterDb* const exported_;
};

// ---- A database ----

// Exports the live SST files of one listing.
class DatabaseExporter {
 public:
  DatabaseExporter(const std::string& out_dir, bool sync,
                   const FilterDbExportOptions& options, FilterForm form,
                   FilterDbExportReport* report)
      : out_dir_(out_dir),
        sync_(sync),
        options_(options),
        form_(form),
        report_(report) {
    // What sync does not keep it makes anew.
    options_.overwrite |= sync;
  }

  // `*gone`: whether there was a file that is there no more.
  void Export(const LiveSsts& live, bool* gone) {
    *gone = false;
    uint64_t done = 0;
    uint64_t all = 0;
    for (const LiveSst& file : live.files) {
      all += file.num_entries;
    }
    for (const LiveSst& file : live.files) {
      const Progress progress = [&](uint64_t entries, uint64_t) {
        if (options_.progress) {
          options_.progress(done + std::min(entries, file.num_entries), all);
        }
      };
      *gone |= !ExportOne(live, file, progress);
      done += file.num_entries;
      progress(0, 0);
    }
  }

 private:
  // False if the file is gone, which it may be once: still listed, it is
  // missing.
  bool ExportOne(const LiveSsts& live, const LiveSst& file,
                 const Progress& progress) {
    if (!finished_.insert(file.number).second) {
      return true;
    }
    if (!file.error.empty()) {
      report_->errors.push_back(file.error);
      return true;
    }
    ExportedFilterDb exported;
    exported.sst_file = file.path;
    exported.filter_db =
        out_dir_ + "/" + FilterDbName(options_.sstable_version, file.number);
    if (sync_ && !overwrite_all_ &&
        IsUpToDate(exported.filter_db, form_, file.path)) {
      report_->kept.push_back(exported.filter_db);
      return true;
    }
    std::string error;
    FilterDbExportOptions options = options_;
    if (!FindExtractor(live, file, &options, &error) ||
        !Exporter(options, form_, progress, &exported).Export(&error)) {
      if (access(file.path.c_str(), F_OK) != 0 &&
          gone_.insert(file.number).second) {
        finished_.erase(file.number);
        return false;
      }
      report_->errors.push_back(error);
      return true;
    }
    report_->exported.push_back(exported);
    return true;
  }

  bool FindExtractor(const LiveSsts& live, const LiveSst& file,
                     FilterDbExportOptions* options, std::string* error) {
    if (!options->prefixes || options->prefix_extractor != nullptr) {
      return true;
    }
    options->prefix_extractor =
        live.column_families.at(file.column_family).prefix_extractor;
    if (options->prefix_extractor == nullptr) {
      *error = file.path + ": the column family '" + file.column_family +
               "' has no prefix extractor, or one that is not known here";
    }
    return options->prefix_extractor != nullptr;
  }

  const std::string out_dir_;
  const bool sync_;
  FilterDbExportOptions options_;
  const FilterForm form_;
  FilterDbExportReport* const report_;
  const bool overwrite_all_ = options_.overwrite;
  std::set<uint64_t> finished_;
  std::set<uint64_t> gone_;
};

std::set<uint64_t> NumbersOf(const LiveSsts& live) {
  std::set<uint64_t> numbers;
  for (const LiveSst& file : live.files) {
    numbers.insert(file.number);
  }
  return numbers;
}

bool ReportErrors(const FilterDbExportReport& report, const std::string& db_dir,
                  std::string* error) {
  const size_t count = report.errors.size();
  if (count > 0) {
    *error = db_dir + ": " + std::to_string(count) +
             (count == 1 ? " SST file was" : " SST files were") +
             " not exported";
  }
  return count == 0;
}

}  // namespace

bool ExportedFilterDbName(const std::string& sst_file,
                          const std::string& sstable_version, std::string* name,
                          std::string* error) {
  if (!IsNameableVersion(sstable_version, error)) {
    return false;
  }
  const std::optional<uint64_t> number = NumberOfSst(sst_file);
  if (!number) {
    *error = sst_file +
             ": is not named after a file number, as 000123.sst, "
             "so its Filter.db has no name";
    return false;
  }
  *name = FilterDbName(sstable_version, *number);
  return true;
}

bool ExportFilterDb(const std::string& sst_file, const std::string& filter_db,
                    const FilterDbExportOptions& options,
                    ExportedFilterDb* exported, std::string* error) {
  FilterForm form;
  if (!AreGoodOptions(options, &form, error)) {
    return false;
  }
  *exported = {};
  exported->sst_file = sst_file;
  exported->filter_db = filter_db;
  return Exporter(options, form, options.progress, exported).Export(error);
}

bool ExportFilterDbs(const std::string& db_dir,
                     const std::string& column_family,
                     const std::string& out_dir, bool sync,
                     const FilterDbExportOptions& options,
                     FilterDbExportReport* report, std::string* error) {
  *report = {};
  FilterForm form;
  LiveSsts live;
  if (!AreGoodOptions(options, &form, error) ||
      !IsNameableVersion(options.sstable_version, error) ||
      !ListLiveSsts(db_dir, column_family, &live, error) ||
      !PrepareExportFolder(out_dir, error)) {
    return false;
  }
  DatabaseExporter exporter(out_dir, sync, options, form, report);
  // A compaction may remove files that were listed; its own files are then
  // live.
  constexpr int kListings = 20;
  bool gone = true;
  for (int listing = 1; gone; ++listing) {
    exporter.Export(live, &gone);
    if (gone && listing == kListings) {
      *error = db_dir + ": its files go faster than they are exported";
      return false;
    }
    if (gone && !ListLiveSsts(db_dir, column_family, &live, error)) {
      return false;
    }
  }
  if (sync && !RemoveOtherFilterDbs(out_dir, options.sstable_version,
                                    NumbersOf(live), &report->removed, error)) {
    return false;
  }
  return ReportErrors(*report, db_dir, error);
}

}  // namespace cassandra_bloom
