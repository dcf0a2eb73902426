// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/database_exporter.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "plugin/export/sst_file.h"
#include "plugin/export/target.h"

namespace cassandra_bloom {
namespace {

std::set<uint64_t> NumbersOf(const LiveSsts& live) {
  std::set<uint64_t> numbers;
  for (const LiveSst& file : live.files) {
    numbers.insert(file.number);
  }
  return numbers;
}

}  // namespace

bool DatabaseExporter::Export(const LiveSsts& live) {
  uint64_t done = 0;
  uint64_t all = 0;
  for (const LiveSst& file : live.files) {
    all += file.num_entries;
  }
  bool all_there = true;
  for (const LiveSst& file : live.files) {
    const ExportProgress progress = [&](uint64_t entries, uint64_t) {
      if (plan_.options.progress) {
        plan_.options.progress(done + std::min(entries, file.num_entries), all);
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
  exported.filter_db = folder_.FilterDbOf(file.number);
  std::string error;
  if (!MayBeOfExport(exported.filter_db, &error)) {
    write_failed_ = true;
    report_->errors.push_back(error);
  } else if (MayKeep(file)) {
    report_->kept.push_back(exported.filter_db);
  } else if (Write(live, file, progress, &exported, &error)) {
    report_->exported.push_back(exported);
  } else if (!file.error.empty() || access(file.path.c_str(), F_OK) == 0) {
    report_->errors.push_back(error);
  } else if (gone_.insert(file.number).second) {
    finished_.erase(file.number);
    return false;
  } else {
    report_->errors.push_back(file.path + ": " + WhyMissing(file) + "; " +
                              RemedyForMissing(file));
  }
  return true;
}

bool DatabaseExporter::MayKeep(const LiveSst& file) const {
  return sync_ && !plan_.options.overwrite &&
         IsUpToDate(folder_.mark(), folder_.FilterDbOf(file.number), plan_.form,
                    file.path);
}

bool DatabaseExporter::Write(const LiveSsts& live, const LiveSst& file,
                             const ExportProgress& progress,
                             ExportedFilterDb* exported, std::string* error) {
  // First removes the old filter, because it may belong to another SST file. If
  // the export then fails, the folder must not keep a wrong filter.
  if (sync_) {
    std::vector<std::string> replaced;
    folder_.Remove(file.number, &replaced, error);
  }
  if (!file.error.empty()) {
    *error = file.error;
    return false;
  }
  ExtractorPtr extractor = plan_.options.prefix_extractor;
  if (plan_.options.prefixes && extractor == nullptr) {
    extractor = live.column_families.at(file.column_family).prefix_extractor;
    if (extractor == nullptr) {
      *error = file.path + ": the column family '" + file.column_family +
               "' has no prefix extractor, or one that is not known here";
      return false;
    }
  }
  SstExporter exporter(plan_, extractor, plan_.options.overwrite || sync_,
                       progress, exported);
  if (!exporter.Export(error)) {
    write_failed_ |= exporter.write_failed();
    return false;
  }
  const bool recorded =
      !sync_ || folder_.Record(file.number, exporter.SstIdentity(), error);
  write_failed_ |= !recorded;
  return recorded;
}

bool IsUpToDate(const FolderMark& mark, const std::string& filter_db,
                FilterForm form, const std::string& sst_file) {
  const auto recorded =
      mark.filters.find(std::filesystem::path(filter_db).filename());
  if (recorded == mark.filters.end() || recorded->second.sst.empty() ||
      recorded->second.written != TimeWritten(filter_db)) {
    return false;
  }
  std::string ignored;
  const auto filter = FilterDbFile::Open(filter_db, form, &ignored);
  if (filter == nullptr || filter->always_present()) {
    return false;
  }
  const auto sst = SstFile::Open(sst_file, /*visit=*/nullptr, &ignored);
  return sst != nullptr && sst->identity() == recorded->second.sst;
}

FilterContents ContentsOf(const ExportPlan& plan, const LiveSsts& live) {
  const FilterDbExportOptions& options = plan.options;
  FilterContents contents;
  contents.asked =
      "partition_key=" +
      (plan.partition_key ? plan.partition_key->spelling() : "default");
  if (options.prefixes) {
    contents.asked += " prefixes";
  } else if (options.from == ExportFrom::kKeys) {
    // The mark must also record from=keys, because live_keys_only has an effect
    // only on filters that are built from keys.
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
  LiveSsts live;
  const auto plan = PlanExport(options, error);
  // Lists the files before it opens the folder. So nothing is written if there
  // is no database.
  if (!plan || !IsNameableVersion(options.sstable_version, error) ||
      !list(&live, error)) {
    return false;
  }
  const auto folder = ExportFolder::Open(out_dir, options.sstable_version, sync,
                                         ExportFolderLock::WaitForever, error);
  // With `sync`, lists the files again while the folder is locked, because the
  // first listing may be out of date. Filters of files that are not listed will
  // be removed.
  if (folder == nullptr ||
      !(sync ? list(&live, error) : FollowsNoDatabase(out_dir, error))) {
    return false;
  }
  folder->RemoveLeftOvers();
  if (sync && !folder->ClaimFor({live.database, ContentsOf(*plan, live),
                                 NumbersOf(live), options.overwrite},
                                &report->removed, error)) {
    return false;
  }
  DatabaseExporter exporter(*plan, *folder, sync, report);
  // A compaction may remove files that were listed. The next listing has the
  // files that replaced them.
  constexpr int kListings = 20;
  for (int listing = 1; !exporter.Export(live); ++listing) {
    if (listing == kListings) {
      *error = what + ": its files disappear faster than they are exported";
      return false;
    }
    if (!list(&live, error)) {
      return false;
    }
  }
  if (sync && !folder->RemoveOthers(NumbersOf(live), &report->removed, error)) {
    return false;
  }
  if (const size_t count = report->errors.size(); count > 0) {
    *error = what + ": " + std::to_string(count) +
             (count == 1 ? " SST file was" : " SST files were") +
             " not exported";
    return false;
  }
  return true;
}

}  // namespace cassandra_bloom
