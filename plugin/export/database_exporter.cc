// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/database_exporter.h"

#include <unistd.h>

#include <algorithm>

#include "plugin/export/target.h"

namespace cassandra_bloom {
namespace {

bool ReportErrors(const FilterDbExportReport& report, const std::string& what,
                  std::string* error) {
  const size_t count = report.errors.size();
  if (count > 0) {
    *error = what + ": " + std::to_string(count) +
             (count == 1 ? " SST file was" : " SST files were") +
             " not exported";
  }
  return count == 0;
}

}  // namespace

DatabaseExporter::DatabaseExporter(const std::string& out_dir, bool sync,
                                   const FilterDbExportOptions& options,
                                   FilterForm form,
                                   FilterDbExportReport* report)
    : out_dir_(out_dir),
      sync_(sync),
      overwrite_all_(options.overwrite),
      options_(options),
      form_(form),
      report_(report) {
  // What sync does not keep it makes anew.
  options_.overwrite |= sync;
}

bool DatabaseExporter::Export(const LiveSsts& live) {
  uint64_t done = 0;
  uint64_t all = 0;
  for (const LiveSst& file : live.files) {
    all += file.num_entries;
  }
  bool all_there = true;
  for (const LiveSst& file : live.files) {
    const ExportProgress progress = [&](uint64_t entries, uint64_t) {
      if (options_.progress) {
        options_.progress(done + std::min(entries, file.num_entries), all);
      }
    };
    all_there &= ExportOne(live, file, progress);
    done += file.num_entries;
    progress(0, 0);
  }
  return all_there;
}

bool DatabaseExporter::ExportOne(const LiveSsts& live, const LiveSst& file,
                                 const ExportProgress& progress) {
  if (!finished_.insert(file.number).second) {
    return true;
  }
  ExportedFilterDb exported;
  exported.sst_file = file.path;
  exported.filter_db =
      out_dir_ + "/" + FilterDbName(options_.sstable_version, file.number);
  std::string error;
  if (!MayBeOfExport(exported.filter_db, &error)) {
    write_failed_ = true;
    report_->errors.push_back(error);
    return true;
  }
  if (sync_ && !overwrite_all_ &&
      IsUpToDate(exported.filter_db, form_, file.path)) {
    report_->kept.push_back(exported.filter_db);
    return true;
  }
  // None is better than that of another file, should this one not come about.
  if (sync_) {
    std::vector<std::string> replaced;
    RemoveFilterDb(out_dir_, options_.sstable_version, file.number, &replaced,
                   &error);
  }
  if (!file.error.empty()) {
    report_->errors.push_back(file.error);
    return true;
  }
  FilterDbExportOptions options = options_;
  SstExporter exporter(options, form_, progress, &exported);
  if (!FindExtractor(live, file, &options, &error) ||
      !exporter.Export(&error)) {
    if (access(file.path.c_str(), F_OK) != 0) {
      if (gone_.insert(file.number).second) {
        finished_.erase(file.number);
        return false;
      }
      error =
          file.path + ": " + WhyMissing(file) + "; " + RemedyForMissing(file);
    }
    write_failed_ |= exporter.write_failed();
    report_->errors.push_back(error);
    return true;
  }
  report_->exported.push_back(exported);
  return true;
}

bool DatabaseExporter::FindExtractor(const LiveSsts& live, const LiveSst& file,
                                     FilterDbExportOptions* options,
                                     std::string* error) {
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

std::set<uint64_t> NumbersOf(const LiveSsts& live) {
  std::set<uint64_t> numbers;
  for (const LiveSst& file : live.files) {
    numbers.insert(file.number);
  }
  return numbers;
}

FilterContents ContentsOf(const FilterDbExportOptions& options,
                          const LiveSsts& live) {
  std::string ignored;  // It was checked before.
  const auto partition_key =
      PartitionKeyExtractor::Parse(options.partition_key, &ignored);
  FilterContents contents;
  contents.sstable_version = options.sstable_version;
  contents.asked =
      "partition_key=" + (options.partition_key.empty() || !partition_key
                              ? "default"
                              : partition_key->spelling());
  if (options.prefixes) {
    contents.asked += " prefixes";
  } else if (options.from == ExportFrom::kKeys) {
    // A block that holds prefixes alone would be exported as such.
    contents.asked += " from=keys";
  }
  if (options.live_keys_only) {
    contents.asked += " live_keys_only";
  }
  if (options.prefixes && options.prefix_extractor != nullptr) {
    contents.extractors = PercentEncoded(options.prefix_extractor->AsString());
  } else if (options.prefixes) {
    for (const auto& [name, settings] : live.column_families) {
      if (settings.prefix_extractor != nullptr) {
        contents.extractors +=
            PercentEncoded(name) + ":" +
            PercentEncoded(settings.prefix_extractor->AsString()) + " ";
      }
    }
  }
  return contents;
}

bool ExportListedSsts(const std::string& what, const ListSsts& list,
                      const std::string& out_dir, bool sync,
                      const FilterDbExportOptions& options,
                      FilterDbExportReport* report, std::string* error) {
  *report = {};
  FilterForm form;
  LiveSsts live;
  // The first listing shows that there is a database, before anything is
  // written; what is removed goes by one from when nobody else adds files.
  if (!AreGoodExportOptions(options, &form, error) ||
      !IsNameableVersion(options.sstable_version, error) ||
      !list(&live, error) || !PrepareExportFolder(out_dir, error) ||
      (sync && !MayBeSynced(out_dir, error))) {
    return false;
  }
  const ExportFolderLock lock(out_dir, ExportFolderLock::WaitForever);
  if (sync && !list(&live, error)) {
    return false;
  }
  if (!sync && !FollowsNoDatabase(out_dir, error)) {
    return false;
  }
  RemoveLeftOversIn(out_dir, options.sstable_version);
  bool is_new = false;
  const FilterContents contents = ContentsOf(options, live);
  if (sync &&
      !CheckFolderMark(out_dir, live.database, contents, NumbersOf(live),
                       options.overwrite, &is_new, error)) {
    return false;
  }
  if (is_new && !MarkFolder(out_dir, live.database, contents, NumbersOf(live),
                            &report->removed, error)) {
    return false;
  }
  FilterDbExportOptions exporting = options;
  exporting.overwrite |= is_new;
  DatabaseExporter exporter(out_dir, sync, exporting, form, report);
  // A compaction may remove files that were listed; its own files are then
  // live.
  constexpr int kListings = 20;
  for (int listing = 1; !exporter.Export(live); ++listing) {
    if (listing == kListings) {
      *error = what + ": its files go faster than they are exported";
      return false;
    }
    if (!list(&live, error)) {
      return false;
    }
  }
  if (sync && !RemoveOtherFilterDbs(out_dir, options.sstable_version,
                                    NumbersOf(live), &report->removed, error)) {
    return false;
  }
  return ReportErrors(*report, what, error);
}

}  // namespace cassandra_bloom
