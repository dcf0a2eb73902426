// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/install.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "filterdb/health/examine_all.h"
#include "filterdb/mending/lease.h"
#include "filterdb/mending/place.h"
#include "filterdb/sstable/bytes/byte_source.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// Asks for a few SSTables of each data directory, so that a node that runs, and
// a file system that tells nothing, are known before anything is written.
// Returns what a rehearsal, which may go on, is to say, or "".
std::string CheckNotInUse(const RunFolder& run, const InstallOptions& options) {
  std::string warning;
  constexpr int kFew = 3;
  std::map<std::string, int> num_asked;  // By the data directory.
  for (const auto& [prefix, line] : run.lines()) {
    const fs::path table = TableOf(line.folder());
    int& num = num_asked[table.parent_path().parent_path().string()];
    const std::string data = prefix + "Data.db";
    if (num >= kFew || !line.HasWork() || !NameExists(data)) {
      continue;
    }
    ++num;
    try {
      Lease(data, options.node_is_down).Check();
    } catch (const End& end) {
      if (!options.dry_run) {
        Fail("nothing was changed: " + data + ": " + end.reason);
      }
      warning =
          end.kind == Outcome::kInUse ? warning : data + ": " + end.reason;
    }
  }
  return warning;
}

void CheckSpace(const RunFolder& run, bool undo) {
  struct Need {
    std::string folder;
    uint64_t bytes = 0;
  };
  std::map<dev_t, Need> needs;
  for (const auto& [prefix, line] : run.lines()) {
    struct stat filter;
    struct stat folder;
    if (line.HasWork() &&
        stat((undo ? run.OldPath(line) : run.NewPath(line)).c_str(), &filter) ==
            0 &&
        stat(line.folder().c_str(), &folder) == 0) {
      const auto block = static_cast<uint64_t>(filter.st_blksize);
      Need& need = needs[folder.st_dev];
      need.folder = line.folder();
      need.bytes += (static_cast<uint64_t>(filter.st_size) / block + 1) * block;
    }
  }
  for (const auto& [device, need] : needs) {
    struct statvfs space;
    // A file system such as ramfs does not count its blocks.
    if (statvfs(need.folder.c_str(), &space) == 0 && space.f_blocks != 0 &&
        uint64_t{space.f_bavail} * space.f_frsize < need.bytes) {
      Fail("nothing was changed: " + need.folder + ": at least " +
           std::to_string(need.bytes) +
           " bytes are needed on its file system, and " +
           std::to_string(uint64_t{space.f_bavail} * space.f_frsize) +
           " are free");
    }
  }
}

// Says which of the SSTables that came after the mend do harm, or may.
void ExamineUnlisted(std::vector<Sstable> unlisted,
                     const OnOutcome& on_outcome) {
  ExamineJob job;
  job.next = [&]() -> std::optional<Sstable> {
    if (unlisted.empty()) {
      return std::nullopt;
    }
    Sstable next = std::move(unlisted.back());
    unlisted.pop_back();
    return next;
  };
  job.done = [&](const Examined& examined) {
    if (examined.worst() >= Harm::kDamaged ||
        examined.harms().has(Harm::kNotKnown)) {
      Outcome outcome;
      outcome.kind = Outcome::kNotListed;
      outcome.path = examined.sstable.Path(kFilterDb);
      outcome.verdict = examined.VerdictText();
      outcome.note =
          "is not of this run; mend again, with a new folder for the run";
      outcome.left = examined.harms();
      on_outcome(outcome);
    }
  };
  ExamineAll(job);
}

}  // namespace

InstallSums Install(const RunFolder& run, const InstallOptions& options,
                    const OnOutcome& on_outcome) {
  InstallSums sums;
  sums.warning = CheckNotInUse(run, options);
  if (!options.dry_run) {
    KeepAllPages();
    CheckSpace(run, options.undo);
  }
  std::map<std::string, std::vector<const RunLine*>> tables;
  for (const auto& [prefix, line] : run.lines()) {
    tables[TableOf(line.folder())].push_back(&line);
    sums.num_listed += line.HasWork() ? 1 : 0;
  }
  for (const auto& [table, lines] : tables) {
    if (sums.has_ended) {
      break;
    }
    std::vector<Sstable> unlisted =
        InstallTable(run, options, table, lines, on_outcome, &sums);
    if (!options.dry_run && !options.undo && !sums.has_ended) {
      ExamineUnlisted(std::move(unlisted), on_outcome);
    }
  }
  return sums;
}

}  // namespace cassandra_bloom::tools
