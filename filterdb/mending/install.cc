// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/install.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "filterdb/health/examine_all.h"
#include "filterdb/mending/before_install.h"
#include "filterdb/mending/lease.h"
#include "filterdb/mending/place.h"
#include "filterdb/mending/run_files.h"
#include "filterdb/sstable/bytes/cached_pages.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/sstable_finder.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// The folders of a table's folder in which a node keeps SSTables that it may
// move into the table's folder, or out of it.
constexpr const char* kFoldersBeside[] = {"staging", "quarantine", "upload"};

// Returns the folder of the table, for one of its folders.
std::string TableOf(const std::string& folder) {
  const std::string_view name = FileNameOf(folder);
  return std::any_of(std::begin(kFoldersBeside), std::end(kFoldersBeside),
                     [name](const char* beside) { return name == beside; })
             ? fs::path(folder).parent_path().string()
             : folder;
}

// An SSTable of the list, which is being changed.
struct Job {
  const RunLine* line;
  Outcome outcome;
  std::list<Place> places;  // One for each of its names.
};

// Works on the SSTables of one table.
class TableInstall {
 public:
  TableInstall(const RunFolder& run, const InstallOptions& options,
               const OnOutcome& on_outcome, InstallSums* sums)
      : run_(run),
        files_(run, options.dry_run),
        options_(options),
        on_outcome_(on_outcome),
        sums_(*sums) {}

  void Do(const std::string& table, const std::vector<const RunLine*>& lines) {
    ListFolders(table);
    std::list<Job> jobs;
    for (const RunLine* const line : lines) {
      Find(*line);
    }
    for (const RunLine* const line : lines) {
      if (options_.undo && !HasWork(*line)) {
        continue;
      }
      jobs.push_back({line, {}, {}});
      Job& job = jobs.back();
      job.outcome.path = line->prefix + kFilterDb;
      job.outcome.verdict = NameOf(line->harms.worst());
      if (!Try(&job, [&] { Prepare(&job); })) {
        Report(job);
        jobs.pop_back();
      }
    }
    if (!options_.dry_run) {
      Commit(&jobs);
    }
    for (const Job& job : jobs) {
      Report(job);
    }
    if (!options_.dry_run && !options_.undo && !sums_.has_ended) {
      ExamineUnlisted();
    }
  }

 private:
  // Returns whether `work` ended as it should. Else the outcome says why not,
  // and the temporary files are removed.
  bool Try(Job* job, const std::function<void()>& work) {
    const auto fail = [&](Outcome::Kind kind, const std::string& why) {
      job->outcome.kind = kind;
      job->outcome.note = why;
      for (Place& place : job->places) {
        place.RemoveTemporary();
      }
      return false;
    };
    try {
      work();
      return true;
    } catch (const End& end) {
      return fail(end.kind, end.reason);
    } catch (const std::exception& error) {
      return fail(Outcome::kFailed, job->outcome.path + ": " + error.what());
    }
  }

  // What the run has not changed does harm as before.
  void Report(const Job& job) {
    Outcome outcome = job.outcome;
    const Harms before = job.line->harms;
    switch (outcome.kind) {
      case Outcome::kInstalled:
        break;
      case Outcome::kUnchanged:
        if (options_.undo && job.line->old_filter) {
          outcome.left.Add(before);
        } else if (job.line->kind == RunLine::kGood) {
          return;
        }
        break;
      case Outcome::kPutBack:
      case Outcome::kWouldPutBack:
        outcome.left.Add(before);
        break;
      case Outcome::kGone:
        ++sums_.num_gone;
        break;
      case Outcome::kWouldInstall:
      case Outcome::kLeft:
        outcome.left.Add(before);
        break;
      default:  // It is not known what is there now.
        outcome.left.Add(Harm::kNotKnown);
        outcome.left.Add(before);
    }
    on_outcome_(outcome);
  }

  // ---- Where the SSTables are ----

  void ListFolders(const std::string& table) {
    std::vector<std::string> folders = {table};
    for (const char* const name : kFoldersBeside) {
      folders.push_back(table + "/" + name);
    }
    for (const std::string& folder : folders) {
      std::error_code failure;
      FolderListing listing =
          ListFolder(folder, /*node_is_down=*/!options_.dry_run, &failure);
      for (const auto& [name_prefix, components] : listing.sstables) {
        struct stat status;
        if ((components & ComponentBit("Data.db")) != 0 &&
            lstat((folder + "/" + name_prefix + "Data.db").c_str(), &status) ==
                0) {
          by_inode_[status.st_ino].emplace_back(folder, name_prefix);
          SetState(listing.logs, &by_inode_[status.st_ino].back());
        }
      }
      for (const std::string& name : listing.other_names) {
        if (!options_.dry_run && EndsWith(name, run_.suffix())) {
          unlink((folder + "/" + name).c_str());
        }
        if (name == "snapshots") {
          sums_.snapshots.insert(folder + "/" + name);
        }
      }
    }
  }

  // Marks the names of an SSTable as listed.
  void Find(const RunLine& line) {
    const auto found = by_inode_.find(std::get<0>(line.data));
    if (found == by_inode_.end()) {
      return;
    }
    std::vector<Sstable>& names = found->second;
    const auto end =
        std::partition(names.begin(), names.end(), [&](const Sstable& sstable) {
          return StampOf(sstable.Path("Data.db")) != line.data ||
                 StampOf(sstable.IndexPath()) != line.index;
        });
    names_of_[&line].assign(end, names.end());
    names.erase(end, names.end());
  }

  // ---- One SSTable ----

  void Prepare(Job* job) {
    const RunLine& line = *job->line;
    if (!HasWork(line)) {
      if (line.kind == RunLine::kGood) {
        throw End{Outcome::kUnchanged, ""};
      }
      Leave("was left by the mend, whose output says why");
    }
    if (names_of_[&line].empty()) {
      throw End{Outcome::kGone, NameExists(line.prefix + "Data.db")
                                    ? "another SSTable has this name now"
                                    : ""};
    }
    std::optional<Change> change;
    bool would_change = false;
    for (const Sstable& sstable : names_of_[&line]) {
      CheckIsLive(sstable);
      CheckIsOwner(sstable);
      if (CrcOrFail(sstable.IndexPath()) != line.index_crc) {
        Leave("its index has changed since the mend");
      }
      Place place(sstable);
      change = options_.undo ? files_.ChangeBack(line, sstable)
                             : files_.ChangeOf(line, sstable);
      if (place.WouldChange(*change)) {
        would_change = true;
        CheckCanTell(sstable, options_.node_is_down);
        job->places.push_back(std::move(place));
        if (!options_.dry_run) {
          job->places.back().WriteTemporary(*change, run_.suffix());
        }
        if (!options_.dry_run && !options_.undo && change->filter) {
          files_.KeepOld(line, sstable.Path(kFilterDb));
        }
      }
    }
    if (!would_change) {
      throw End{Outcome::kUnchanged, options_.undo ? WhyUnchanged(line) : ""};
    }
    job->outcome.note = options_.undo && line.harms.worst() >= Harm::kDamaged
                            ? std::string("the old filter, which did this: ") +
                                  NameOf(line.harms.worst())
                            : "";
    job->outcome.kind =
        options_.undo
            ? options_.dry_run ? Outcome::kWouldPutBack : Outcome::kPutBack
        : options_.dry_run ? Outcome::kWouldInstall
                           : Outcome::kInstalled;
  }

  static std::string WhyUnchanged(const RunLine& line) {
    return line.kind == RunLine::kToc ? "only its TOC.txt was completed"
           : !line.old_filter         ? "there was no filter before"
                                      : "";
  }

  static void CheckIsLive(const Sstable& sstable) {
    if (sstable.state != SstableState::kLive) {
      Leave(std::string("is ") + NameOf(sstable.state));
    }
    Examined logged;
    logged.sstable = sstable;
    logged.AddLogs();
    if (!logged.findings.empty()) {
      Leave(logged.ReasonToLeave());
    }
  }

  // ---- All SSTables of the table ----

  // All new and kept files are on disk before the first gets its name.
  void Commit(std::list<Job>* jobs) {
    std::set<std::string> folders;
    for (const Job& job : *jobs) {
      for (const Place& place : job.places) {
        folders.insert(place.sstable().folder);
      }
    }
    std::string error;
    const bool is_synced =
        std::all_of(folders.begin(), folders.end(),
                    [&](const std::string& folder) {
                      return SyncFileSystem(folder, &error);
                    }) &&
        (folders.empty() || (SyncFolder(run_.path() + "/old", &error) &&
                             SyncFolder(run_.path(), &error)));
    for (Job& job : *jobs) {
      Try(&job, [&] {
        if (sums_.has_ended) {
          throw End{Outcome::kNotChanged, ""};
        }
        if (!is_synced) {
          Fail(error);
        }
        const Lease lease(job.places.front().sstable(), options_.node_is_down);
        for (const Place& place : job.places) {
          place.CheckUnchanged();
        }
        lease.Check();
        for (Place& place : job.places) {
          place.GiveNames();
        }
      });
      sums_.has_ended |= job.outcome.kind == Outcome::kInUse;
    }
    for (const std::string& folder : folders) {
      if (!SyncFolder(folder, &error)) {
        for (Job& job : *jobs) {
          job.outcome.kind = Outcome::kFailed;
          job.outcome.note = error;
        }
      }
    }
  }

  static bool SyncFileSystem(const std::string& folder, std::string* error) {
    const FileDescriptor fd(
        open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return (fd.get() >= 0 && syncfs(fd.get()) == 0) ||
           FailWithErrno(folder, "cannot sync", error);
  }

  // Examines what has come after the mend.
  void ExamineUnlisted() {
    ExamineJob job;
    std::vector<Sstable> unlisted;
    for (const auto& [inode, names] : by_inode_) {
      unlisted.insert(unlisted.end(), names.begin(), names.end());
    }
    job.next = [&]() -> std::optional<Sstable> {
      if (unlisted.empty()) {
        return std::nullopt;
      }
      Sstable next = std::move(unlisted.back());
      unlisted.pop_back();
      return next;
    };
    job.done = [&](const Examined& examined) {
      if (examined.worst() >= Harm::kDamaged) {
        Outcome outcome;
        outcome.kind = Outcome::kNotListed;
        outcome.path = examined.sstable.Path(kFilterDb);
        outcome.verdict = examined.VerdictText();
        outcome.note =
            "is not of this run; mend again, with a new folder for the run";
        outcome.left = examined.harms();
        on_outcome_(outcome);
      }
    };
    ExamineAll(job);
  }

  const RunFolder& run_;
  const RunFiles files_;
  const InstallOptions& options_;
  const OnOutcome& on_outcome_;
  InstallSums& sums_;
  std::map<ino_t, std::vector<Sstable>> by_inode_;
  std::map<const RunLine*, std::vector<Sstable>> names_of_;
};

}  // namespace

InstallSums Install(const RunFolder& run, const InstallOptions& options,
                    const OnOutcome& on_outcome,
                    const std::function<void(double share)>& progress) {
  if (!options.dry_run) {
    KeepAllPages();
  }
  InstallSums sums;
  std::map<std::string, std::vector<const RunLine*>> tables;
  std::vector<const RunLine*> all;
  for (const RunLine& line : run.lines()) {
    tables[TableOf(FolderOfLine(line))].push_back(&line);
    all.push_back(&line);
    sums.num_listed += HasWork(line) ? 1 : 0;
  }
  if (!options.dry_run) {
    sums.refusal = WhyInUse(all, options);
    if (sums.refusal.empty()) {
      sums.refusal = WhatLacksSpace(run, all, options);
    }
    if (!sums.refusal.empty()) {
      return sums;
    }
  }
  size_t num_done = 0;
  for (const auto& [table, lines] : tables) {
    if (sums.has_ended) {
      break;
    }
    TableInstall(run, options, on_outcome, &sums).Do(table, lines);
    num_done += lines.size();
    progress(static_cast<double>(num_done) / static_cast<double>(all.size()));
  }
  return sums;
}

}  // namespace cassandra_bloom::tools
