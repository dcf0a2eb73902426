// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/export_command_test.cc.

#include <rocksdb/metadata.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/export_names.h"
#include "plugin/export/export_sst.h"
#include "plugin/export/live_ssts.h"
#include "plugin/export/reconcile.h"
#include "plugin/filter_db/read_file.h"
#include "tools/sst_filters/read_only_env.h"
#include "tools/sst_filters/subcommands.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::LiveFileMetaData;

namespace {

struct ExportArguments {
  std::vector<std::string> ssts;
  DatabaseOnDisk database;  // If there are no `ssts`.
  std::string out_dir;
  ExportOptions exporting;
  bool json = false;
};

// ---- The answer ----

Json ToJson(const ExportedFilterDb& exported) {
  Json json = {{"sst", exported.sst_file}, {"file", exported.filter_db}};
  if (exported.num_words == 0) {  // With --dry-run.
    return json;
  }
  json.update({{"from", exported.from_block ? "block" : "keys"},
               {"partition_key", exported.partition_key},
               {"keys", exported.num_keys},
               {"probes", exported.num_probes},
               {"words", exported.num_words},
               {"range_deletions", exported.num_range_deletions}});
  if (!exported.why_not_block.empty()) {
    json["why_not_block"] = exported.why_not_block;
  }
  return json;
}

std::string WhatIsIn(const ExportedFilterDb& exported) {
  const uint64_t count = exported.num_keys;
  return exported.partition_key == "whole"
             ? Count(count, "key")
             : Count(count, "partition key") + " (" + exported.partition_key +
                   ")";
}

void Print(const ExportedFilterDb& exported) {
  if (exported.num_words == 0) {
    std::printf("%s: would be exported from %s\n",
                Printable(exported.filter_db).c_str(),
                Printable(exported.sst_file).c_str());
    return;
  }
  std::printf(
      "%s: %s %s, %s, %s", Printable(exported.filter_db).c_str(),
      WhatIsIn(exported).c_str(),
      exported.from_block ? "from the block" : "hashed anew",
      Count(static_cast<uint64_t>(exported.num_probes), "probe").c_str(),
      Count(exported.num_words, "word").c_str());
  if (!exported.why_not_block.empty()) {
    std::printf(" (%s)", Printable(exported.why_not_block).c_str());
  }
  std::printf("\n");
}

ExitCode Show(const ExportArguments& options,
              const FilterDbExportReport& report, const std::string& error) {
  if (options.json) {
    Json exported = Json::array();
    for (const ExportedFilterDb& one : report.exported) {
      exported.push_back(ToJson(one));
    }
    PrintJson({{"exported", exported},
               {"kept", report.kept},
               {"removed", report.removed},
               {"errors", report.errors}});
  } else {
    for (const ExportedFilterDb& one : report.exported) {
      Print(one);
    }
    for (const std::string& file : report.kept) {
      std::printf("%s: kept\n", Printable(file).c_str());
    }
    for (const std::string& file : report.removed) {
      std::printf("%s: %sremoved\n", Printable(file).c_str(),
                  options.exporting.dry_run ? "would be " : "");
    }
  }
  for (const std::string& one : report.errors) {
    PrintError(Unusable(one));
  }
  if (!error.empty()) {
    throw Unusable(error);
  }
  const bool is_up_to_date = report.exported.empty() && report.removed.empty();
  return options.exporting.dry_run && !is_up_to_date ? kFault : kGood;
}

// ---- Single files ----

// Returns a map from the name of each Filter.db to its SST file. Throws
// Unusable if two SST files would get the same name.
std::map<std::string, std::string> NamesOf(const ExportArguments& options) {
  std::map<std::string, std::string> sst_of_name;
  for (const std::string& sst : options.ssts) {
    const std::optional<uint64_t> number = NumberOfSst(sst);
    if (!number) {
      throw Unusable(sst +
                     ": is not named after a file number, such as 000123.sst, "
                     "so there is no name for its Filter.db");
    }
    const std::string name =
        FilterDbName(options.exporting.sstable_version, *number);
    const auto [other, is_new] = sst_of_name.emplace(name, sst);
    if (!is_new) {
      throw Unusable(other->second + " and " + sst + ": would both be " + name +
                     "; export them to different folders");
    }
  }
  return sst_of_name;
}

void ExportSsts(const ExportArguments& options, const ExportPlan& plan,
                FilterDbExportReport* report, std::string* error) {
  const auto sst_of_name = NamesOf(options);
  std::error_code failure_of_folder;
  std::filesystem::create_directory(options.out_dir, failure_of_folder);
  if (failure_of_folder) {
    throw Unusable(options.out_dir + ": is no folder, and cannot be created: " +
                   failure_of_folder.message());
  }
  for (const auto& [name, sst] : sst_of_name) {
    ExportedFilterDb exported;
    exported.sst_file = sst;
    exported.filter_db = options.out_dir + "/" + name;
    std::string failure;
    if (ExportSst(plan, options.exporting.overwrite, NeverStop, &exported,
                  &failure) == ExportResult::kDone) {
      report->exported.push_back(exported);
    } else {
      report->errors.push_back(failure);
    }
  }
  if (!report->errors.empty()) {
    *error = std::to_string(report->errors.size()) + " of " +
             std::to_string(options.ssts.size()) +
             " SST files were not exported";
  }
}

// ---- The files of a database ----

LiveSst ToListedSst(const LiveFileMetaData& file,
                    const std::vector<std::string>& db_paths) {
  LiveSst sst = ToLiveSst(file);
  sst.path = FindSst(sst.path, db_paths, file.size);
  std::error_code missing;
  const uint64_t size = std::filesystem::file_size(sst.path, missing);
  if (!missing && size != file.size) {
    sst.error = sst.path + ": has " + std::to_string(size) +
                " bytes, but the MANIFEST says " + std::to_string(file.size) +
                ": it was truncated, or it is another file with this number "
                "and the right one is in a folder of db_paths or cf_paths that "
                "was not given";
  }
  return sst;
}

bool ListLiveSsts(const DatabaseOnDisk& database, LiveSsts* live,
                  std::string* error) {
  const auto opened = OpenDatabase(database, /*witness=*/nullptr, error);
  if (opened == nullptr) {
    return false;
  }
  std::set<std::string> wanted;
  for (const OpenedFamily& family : opened->families) {
    wanted.insert(family.name);
  }
  std::vector<LiveFileMetaData> files;
  opened->db->GetLiveFilesMetaData(&files);
  live->database = DatabaseOf(opened->db.get());
  live->files.clear();
  for (const LiveFileMetaData& file : files) {
    if (wanted.count(file.column_family_name) > 0) {
      live->files.push_back(ToListedSst(file, database.db_paths));
    }
  }
  return true;
}

// Does what ReconcileFilterDbExports does for an open database.
bool ExportDatabase(const ExportArguments& options, const ExportPlan& plan,
                    FilterDbExportReport* report, std::string* error) {
  const ListSsts list = [&](LiveSsts* live, std::string* failure) {
    return ListLiveSsts(options.database, live, failure);
  };
  // Without a database, no folder is made.
  LiveSsts ignored;
  std::set<std::string> unreadable;
  return list(&ignored, error) &&
         Reconcile(plan, options.out_dir, list, NeverStop, &unreadable, report,
                   error);
}

ExitCode RunExport(const ExportArguments& options) {
  const ExportPlan plan = *OrUnusable([&](std::string* failure) {
    return PlanExport(options.exporting, failure);
  });
  FilterDbExportReport report;
  std::string error;
  if (!options.ssts.empty()) {
    ExportSsts(options, plan, &report, &error);
  } else if (!ExportDatabase(options, plan, &report, &error) && error.empty()) {
    error = options.database.folder + ": not exported";
  }
  return Show(options, report, error);
}

// ---- The command line ----

void AddSource(CLI::App* command, ExportArguments* options) {
  auto* const source = command->add_option_group("source")->require_option(1);
  source
      ->add_option("--sst", options->ssts,
                   "An SST file, named by its number as in a database "
                   "(000123.sst); may be given several times")
      ->type_name("FILE");
  auto* const db = AddDatabase(source, command, &options->database);
  command
      ->add_flag("--dry-run", options->exporting.dry_run,
                 "Only say what would be done. It is a fault if the folder is "
                 "not up to date")
      ->needs(db);
}

void AddKeysOptions(CLI::App* command, ExportOptions* options) {
  command
      ->add_option("--from", options->from,
                   "block: copy the filter block of the SST file if it is a "
                   "full filter of cassandra_bloom that holds only keys, and "
                   "otherwise hash the keys anew [block]. keys: always hash "
                   "the keys anew")
      ->transform(CLI::Transformer(std::map<std::string, ExportFrom>{
          {"block", ExportFrom::kBlockOrKeys}, {"keys", ExportFrom::kKeys}}))
      ->type_name("block|keys");
  auto* const bits =
      command
          ->add_option("--bits", options->bits_per_key,
                       "Bits per key of filters made from keys, 1 to 100 [10]")
          ->check(IsBitsPerKey());
  command
      ->add_option("--fp-chance", options->fp_chance,
                   "Cassandra's bloom_filter_fp_chance instead of --bits, "
                   "0.0000671 to below 1")
      ->check(IsFpChance())
      ->excludes(bits);
  command
      ->add_option("--partition-key", options->partition_key,
                   "Which part of a key to export: whole, fixed:N, skip:S, "
                   "skip:S,fixed:N, skip:S,u16 or skip:S,composite:C. By "
                   "default the part that the SST file's filter holds, if it "
                   "is a cassandra_bloom filter, otherwise the whole key")
      ->type_name("EXTRACTOR");
}

}  // namespace

void AddExport(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "export",
      "Writes a Filter.db for each SST file. With --db, makes the folder of "
      "--out-dir hold exactly the filters of the live SST files. Filters that "
      "an export made of these files with these options are kept, and all "
      "others are made anew or removed. Other files are not touched. A folder "
      "of another database is refused. So is, without --force, a folder of "
      "filters that no such export made");
  auto* const options = NewOptions(command, run, RunExport);
  AddSource(command, options);
  command
      ->add_option("--out-dir", options->out_dir,
                   "The folder for the Filter.db files, such as "
                   "nb-123-big-Filter.db for 000123.sst")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--sstable-version", options->exporting.sstable_version,
                   "SSTable version of the Filter.db files, such as nb")
      ->required()
      ->type_name("VERSION");
  AddKeysOptions(command, &options->exporting);
  command->add_flag("--force", options->exporting.overwrite,
                    "Overwrite existing files. With --db: make all filters "
                    "anew, and remove or replace also those that no such "
                    "export made");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
