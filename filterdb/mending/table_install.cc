// SPDX-License-Identifier: Apache-2.0

// Installs a run, or undoes it, in the folders of one table.
// Tested in filterdb/tests/commands/mend/install_test.cc.
// Tested in filterdb/tests/commands/mend/undo_test.cc.
// Tested in filterdb/tests/commands/mend/kill_test.cc.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "filterdb/health/examine_all.h"
#include "filterdb/health/finding.h"
#include "filterdb/mending/install.h"
#include "filterdb/mending/lease.h"
#include "filterdb/mending/place.h"
#include "filterdb/sstable/sstable_finder.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

// The folders of a table's folder in which a node keeps SSTables that it may
// move into the table's folder, or out of it.
constexpr std::string_view kFoldersBeside[] = {"staging", "quarantine",
                                               "upload"};

struct Folder {
  explicit Folder(const std::string& path)
      : fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  FileDescriptor fd;
  TransactionLogs logs;
  bool is_changed = false;
};

// A name of an SSTable, which may have several, by hard links.
struct Name {
  Sstable sstable;
  Folder* folder;
};

// An SSTable of the list, which is being changed.
struct Job {
  const RunLine* line;
  std::vector<Name> names;
  Outcome outcome = {};
  // One for each name whose files differ.
  std::vector<std::unique_ptr<Place>> places = {};
  bool is_ready = false;  // New files wait for their names.
};

class TableInstall {
 public:
  TableInstall(const RunFolder& run, const InstallOptions& options,
               const OnOutcome& on_outcome, InstallSums* sums)
      : run_(run), options_(options), on_outcome_(on_outcome), sums_(*sums) {}

  // Returns the SSTables that no line names.
  std::vector<Sstable> Do(const std::string& table,
                          const std::vector<const RunLine*>& lines) {
    if (!ListFolder(table, lines)) {
      return {};
    }
    for (const std::string_view beside : kFoldersBeside) {
      ListFolder(table + "/" + std::string(beside), {});
    }
    std::vector<Job> jobs;
    for (const RunLine* const line : lines) {
      std::vector<Name> names = TakeNames(*line);
      const bool reports_left = !options_.undo && !options_.after_mend;
      if (line->HasWork() || (line->IsLeft() && reports_left)) {
        jobs.push_back({line, std::move(names)});
        jobs.back().outcome.path = line->prefix + kFilterDb;
        jobs.back().outcome.verdict = line->harms.worst() == Harm::kNone
                                          ? ""
                                          : NameOf(line->harms.worst());
      }
    }
    InAllThreads(&jobs, [this](Job* job) {
      job->is_ready = Try(&job->outcome, [&] { Prepare(job); });
    });
    if (!options_.dry_run) {
      Commit(&jobs);
    }
    for (Job& job : jobs) {
      Report(&job);
    }
    std::vector<Sstable> unlisted;
    for (auto& [data, names] : by_data_) {
      for (Name& name : names) {
        SetState(name.folder->logs, &name.sstable);
        unlisted.push_back(std::move(name.sstable));
      }
    }
    return unlisted;
  }

 private:
  // Most of the time goes into opening small files. For a few, no thread is
  // worth its start.
  static void InAllThreads(std::vector<Job>* jobs,
                           const std::function<void(Job*)>& work) {
    constexpr size_t kOfOneThread = 100;
    std::atomic<size_t> next{0};
    InThreads(std::min<size_t>(std::thread::hardware_concurrency(),
                               jobs->size() / kOfOneThread),
              [&] {
                for (size_t i = next++; i < jobs->size(); i = next++) {
                  work(&(*jobs)[i]);
                }
              });
  }

  // Else the old filter was none, or only other files of the SSTable were
  // wrong.
  static bool HasOtherOld(const RunLine& line) {
    return line.old_filter && line.old_filter != line.new_filter;
  }

  // What the run has not changed does harm as before.
  void Report(Job* job) {
    Outcome& outcome = job->outcome;
    const bool is_as_wanted = outcome.kind == Outcome::kInstalled ||
                              outcome.kind == Outcome::kGone ||
                              (outcome.kind == Outcome::kUnchanged &&
                               !(options_.undo && HasOtherOld(*job->line)));
    if (!is_as_wanted) {
      outcome.left.Add(job->line->harms);
    }
    if (outcome.kind == Outcome::kInUse || outcome.kind == Outcome::kForeign ||
        outcome.kind == Outcome::kNotChanged ||
        outcome.kind == Outcome::kFailed) {
      outcome.left.Add(Harm::kNotKnown);
    }
    on_outcome_(outcome);
  }

  // ---- Where the SSTables are ----

  // Lists a folder once, and removes what a killed install of this run left.
  // Returns false if it cannot be listed, or if that of the table is not there.
  // `lines` are of its SSTables. If it is there, they do harm as before.
  bool ListFolder(const std::string& path,
                  const std::vector<const RunLine*>& lines) {
    Folder& folder = folders_.try_emplace(path, path).first->second;
    std::error_code failure;
    FolderListing listing =
        tools::ListFolder(path, /*node_is_down=*/!options_.dry_run, &failure);
    const bool is_absent = failure == std::errc::no_such_file_or_directory ||
                           failure == std::errc::not_a_directory;
    if (failure && (!is_absent || !lines.empty())) {
      Outcome outcome;
      outcome.kind = Outcome::kFailed;
      outcome.path = path;
      outcome.note = is_absent
                         ? "is not there; mount its file system, if the table "
                           "was not dropped"
                         : "cannot list the folder: " + failure.message();
      outcome.left.Add(Harm::kNotKnown);
      for (const RunLine* const line : lines) {
        outcome.left.Add(is_absent ? Harms() : line->harms);
      }
      on_outcome_(outcome);
      list_error_ = path + ": " + outcome.note;
      return false;
    }
    folder.logs = std::move(listing.logs);
    for (const std::string& name_prefix : listing.sstables) {
      struct stat status;
      if (fstatat(folder.fd.get(), (name_prefix + "Data.db").c_str(), &status,
                  AT_SYMLINK_NOFOLLOW) == 0) {
        by_data_[StampOf(status)].push_back({{path, name_prefix}, &folder});
      }
    }
    for (const std::string& name : listing.other_names) {
      if (!options_.dry_run && EndsWith(name, run_.suffix())) {
        unlinkat(folder.fd.get(), name.c_str(), 0);
      }
      if (name == "snapshots" || name == "backups") {
        sums_.snapshots.insert(path + "/" + name);
      }
    }
    return true;
  }

  // An SSTable is its Data.db and index, by whatever path.
  std::vector<Name> TakeNames(const RunLine& line) {
    const auto found = by_data_.find(line.data);
    return found == by_data_.end() ? std::vector<Name>()
                                   : std::exchange(found->second, {});
  }

  // ---- One SSTable ----

  void Prepare(Job* job) {
    const RunLine& line = *job->line;
    if (!line.HasWork()) {
      Leave("was left by the mend, whose output says why");
    }
    if (job->names.empty() && by_data_.count(line.data) != 0) {
      // The list has two names of one SSTable. The other line took both.
      throw End{Outcome::kUnchanged, ""};
    }
    if (job->names.empty() && !list_error_.empty()) {
      Fail(list_error_);  // It may be there.
    }
    if (job->names.empty()) {
      throw End{Outcome::kGone, NameExists(line.prefix + "Data.db")
                                    ? "another SSTable has this name now"
                                    : ""};
    }
    for (Name& name : job->names) {
      CheckIsLive(&name);
      auto place = std::make_unique<Place>(name.sstable);
      if (place->index_stamp() != line.index ||
          place->index_crc() != line.index_crc) {
        Leave("its index has changed since the mend");
      }
      const Change change = ChangeOf(run_, line, options_.undo, *place);
      if (!place->Plan(change)) {
        continue;
      }
      job->places.push_back(std::move(place));
      if (options_.dry_run && !change.filter.empty()) {
        CopyListed(change.filter, *change.filter_crc, /*to=*/-1, "");
      } else if (!options_.dry_run) {
        CheckTells(name.folder->fd.get(), options_.node_is_down);
        job->places.back()->WriteTemporary(run_.suffix());
        if (!options_.undo && !change.filter.empty()) {
          run_.KeepOld(line, name.sstable.Path(kFilterDb));
        }
      }
    }
    if (job->places.empty()) {
      throw End{Outcome::kUnchanged,
                !options_.undo || HasOtherOld(line) ? ""
                : line.old_filter
                    ? "the filter is the old one; TOC.txt and Scylla.db stay "
                      "as they are"
                    : "there was no filter before"};
    }
    job->outcome.kind =
        options_.undo
            ? (options_.dry_run ? Outcome::kWouldPutBack : Outcome::kPutBack)
            : (options_.dry_run ? Outcome::kWouldInstall : Outcome::kInstalled);
    if (options_.undo && line.harms.worst() >= Harm::kDamaged) {
      job->outcome.note = std::string("the old filter, which did this: ") +
                          NameOf(line.harms.worst());
    }
  }

  static void CheckIsLive(Name* name) {
    SetState(name->folder->logs, &name->sstable);
    if (name->sstable.state != SstableState::kLive) {
      Leave(std::string("is ") + NameOf(name->sstable.state));
    }
    Examined logged;
    logged.sstable = name->sstable;
    logged.AddLogs();
    if (!logged.findings.empty()) {
      Leave(logged.ReasonToLeave());
    }
  }

  // ---- All SSTables of the table ----

  // All new and kept files are on disk before the first gets its name.
  void Commit(std::vector<Job>* jobs) {
    bool is_any_ready = false;
    for (const Job& job : *jobs) {
      is_any_ready |= job.is_ready;
      for (const Name& name : job.names) {
        name.folder->is_changed |= job.is_ready;
      }
    }
    if (!is_any_ready) {
      return;
    }
    const auto in_each_folder = [&](int (*sync)(int)) {
      for (const auto& [path, folder] : folders_) {
        if (folder.is_changed && sync(folder.fd.get()) != 0) {
          FailAt(path, "cannot sync");
        }
      }
    };
    try {
      run_.Sync();
      in_each_folder(syncfs);
      InAllThreads(jobs, [&](Job* job) {
        if (job->is_ready) {
          job->is_ready = Try(&job->outcome, [&] { GiveNames(job); });
          has_ended_ = has_ended_ || job->outcome.kind == Outcome::kInUse;
        }
      });
      in_each_folder(fsync);
    } catch (const std::runtime_error& error) {
      for (Job& job : *jobs) {
        if (job.is_ready) {
          job.outcome.kind = Outcome::kFailed;
          job.outcome.note = error.what();
        }
      }
    }
    sums_.has_ended |= has_ended_;
  }

  void GiveNames(Job* job) {
    if (has_ended_) {
      throw End{Outcome::kNotChanged, ""};
    }
    const Lease lease(job->places.front()->sstable().Path("Data.db"),
                      options_.node_is_down);
    for (const auto& place : job->places) {
      place->CheckUnchanged();
    }
    lease.Check();
    for (const auto& place : job->places) {
      place->GiveNames();
    }
  }

  const RunFolder& run_;
  const InstallOptions& options_;
  const OnOutcome& on_outcome_;
  InstallSums& sums_;
  std::atomic<bool> has_ended_{false};  // An SSTable is in use.
  std::map<std::string, Folder> folders_;
  std::string list_error_;  // Of one that could not be listed, or "".
  // By the stamp of Data.db. A line of the list takes the names away.
  std::map<FileStamp, std::vector<Name>> by_data_;
};

}  // namespace

std::string TableOf(const std::string& folder) {
  const size_t slash = folder.find_last_of('/');
  const auto* const end = std::end(kFoldersBeside);
  return std::find(std::begin(kFoldersBeside), end, FileNameOf(folder)) != end
             ? folder.substr(0, slash)
             : folder;
}

std::vector<Sstable> InstallTable(const RunFolder& run,
                                  const InstallOptions& options,
                                  const std::string& table,
                                  const std::vector<const RunLine*>& lines,
                                  const OnOutcome& on_outcome,
                                  InstallSums* sums) {
  return TableInstall(run, options, on_outcome, sums).Do(table, lines);
}

}  // namespace cassandra_bloom::tools
