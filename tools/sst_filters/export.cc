// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/export_command_test.cc.

#include <rocksdb/metadata.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugin/export/export_folder.h"
#include "plugin/filter_db/read_file.h"
#include "tools/export/reconcile.h"
#include "tools/sst_filters/subcommands.h"

namespace cassandra_bloom::tools {
namespace {

struct ExportArguments {
  DatabaseOnDisk database;
  std::string out_dir;
  ExportOptions exporting;
  bool json = false;
};

// ---- The answer ----

Json ToJson(const ExportedFilterDb& exported) {
  Json json = {{"sst", exported.sst_file}, {"file", exported.filter_db}};
  if (exported.num_words > 0) {  // Not with --dry-run.
    json.update({{"from", exported.from_block ? "block" : "keys"},
                 {"partition_key", exported.partition_key},
                 {"keys", exported.num_keys},
                 {"probes", exported.num_probes},
                 {"words", exported.num_words},
                 {"range_deletions", exported.num_range_deletions}});
  }
  if (!exported.why_not_block.empty()) {
    json["why_not_block"] = exported.why_not_block;
  }
  return json;
}

ExitCode Show(const ExportArguments& options, const ExportReport& report,
              const std::string& error) {
  Json exported = Json::array();
  for (const ExportedFilterDb& one : report.exported) {
    exported.push_back(ToJson(one));
  }
  const std::string would_be = options.exporting.dry_run ? "would be " : "";
  if (options.json) {
    PrintJson({{"exported", exported},
               {"kept", report.kept},
               {"removed", report.removed},
               {"errors", report.errors}});
  } else {
    if (!exported.empty()) {
      // With --dry-run, only the name is known.
      constexpr bool kIsRare = true;
      PrintText(would_be + "exported:\n" +
                TableText(exported,
                          {{"file", "Filter.db"},
                           {"keys", "keys", AsText, kIsRare},
                           {"partition_key", "partition key", AsText, kIsRare},
                           {"probes", "probes", AsText, kIsRare},
                           {"words", "words", AsText, kIsRare},
                           {"from", "made from", AsText, kIsRare},
                           {"why_not_block", "why not from block", AsText,
                            kIsRare}}));
    }
    for (const std::string& file : report.kept) {
      PrintText(Printable(file) + ": kept\n");
    }
    for (const std::string& file : report.removed) {
      PrintText(Printable(file) + ": " + would_be + "removed\n");
    }
  }
  for (const std::string& one : report.errors) {
    PrintError(Unusable(one));
  }
  if (!report.errors.empty()) {
    PrintError(Unusable(error));
    return kHarm;
  }
  if (!error.empty()) {
    throw Unusable(error);
  }
  const bool is_up_to_date = report.exported.empty() && report.removed.empty();
  return options.exporting.dry_run && !is_up_to_date ? kFault : kGood;
}

ExitCode RunExport(const ExportArguments& options) {
  std::string error;
  const auto plan = PlanExport(options.exporting, &error);
  if (!plan) {
    throw WrongUsage(error);
  }
  const DatabaseOnDisk& database = options.database;
  // Without a database, no folder is made.
  if (!FileExists(database.folder + "/CURRENT")) {
    throw Unusable(database.folder +
                   ": is no database: it has no file CURRENT");
  }
  const auto list = [&] {
    LiveSsts live;
    live.database = DatabaseOf(database.folder);
    live.folders = {database.db_paths.begin(), database.db_paths.end()};
    live.folders.insert(database.folder);
    const auto opened = OpenDatabase(database, /*witness=*/nullptr);
    std::vector<rocksdb::LiveFileMetaData> files;
    opened.db->GetLiveFilesMetaData(&files);
    for (const rocksdb::LiveFileMetaData& file : files) {
      const auto& wanted = database.column_families;
      const bool is_wanted =
          wanted.empty() ||
          std::count(wanted.begin(), wanted.end(), file.column_family_name) > 0;
      (is_wanted ? live.files : live.others)[file.file_number] =
          PathOnDisk(file.db_path + file.name);
    }
    return live;
  };
  ExportReport report;
  Reconcile(*plan, options.out_dir, list, &report, &error);
  return Show(options, report, error);
}

// ---- The command line ----

void AddKeysOptions(CLI::App* command, ExportOptions* options) {
  command
      ->add_option_function<std::string>(
          "--from",
          [options](const std::string& from) {
            options->from_keys = from == "keys";
          },
          "block: copy the filter block of the SST file if it is a "
          "full filter of cassandra_bloom that holds only keys, and "
          "otherwise hash the keys anew [block]. keys: always hash "
          "the keys anew")
      ->check(CLI::IsMember({"block", "keys"}).description(""))
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
      "Writes a Filter.db for each SST file of a RocksDB database. Makes the "
      "folder of --out-dir hold exactly the filters of the SST files. Filters "
      "that an export made of these files with these options are kept. All "
      "others are made anew, or removed if the database has no such file. "
      "Other files are not touched. A folder of another database is refused. "
      "So is, without --force, a folder of filters that no such export made");
  auto* const options = NewOptions(command, run, RunExport);
  AddDatabase(command, &options->database);
  command->add_flag("--dry-run", options->exporting.dry_run,
                    "Only say what would be done. It is a fault if the folder "
                    "is not up to date");
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
                    "Make all filters anew, and remove or replace also those "
                    "that no such export made");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
