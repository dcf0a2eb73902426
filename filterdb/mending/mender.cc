// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/mender.h"

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/mending/lease.h"
#include "filterdb/mending/mend_place.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/sstable_keys.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

constexpr char kByToc[] = "by completing TOC.txt";

// Works on one SSTable after another, until one of them is open.
class MendRun {
 public:
  explicit MendRun(const OnOutcome& on_outcome) : on_outcome_(on_outcome) {}

  // Runs `work`, which returns whether there was anything to do or to say.
  // Stores the end that it throws in `outcome`. An exception of another type is
  // a failure.
  void Do(MendOutcome outcome, const std::function<bool(MendOutcome*)>& work) {
    const auto fail = [&outcome](const std::string& what) {
      outcome.kind = MendOutcome::kFailed;
      outcome.note = outcome.filter + ": " + what;
    };
    bool had_work = true;
    try {
      if (has_ended_) {
        throw MendEnd{MendOutcome::kNotDone, ""};
      }
      had_work = work(&outcome);
    } catch (const MendEnd& end) {
      outcome.kind = end.kind;
      outcome.note = end.reason;
      has_ended_ |= end.ends_run;
    } catch (const std::bad_alloc&) {
      fail("not enough memory");
    } catch (const std::exception& error) {
      fail(error.what());
    }
    if (had_work) {
      on_outcome_(outcome);
    }
  }

 private:
  const OnOutcome& on_outcome_;
  bool has_ended_ = false;
};

// ---- Mend ----

FilterForm FormOf(const Sstable& sstable) {
  FilterForm form = kNaAndLater;
  std::string ignored_error;
  FormOfSstableVersion(sstable.version, &form, &ignored_error);
  return form;
}

// Builds a filter from the keys of the SSTable. Each key of the index is
// compared with Data.db, because a filter that was built from a damaged index
// would deny keys.
std::unique_ptr<FilterDbBuilder> BuildFilter(const Examined& examined) {
  const Sstable& sstable = examined.sstable;
  std::string error;
  auto filter = FilterDbBuilder::ForFpChance(*examined.plan, examined.num_keys,
                                             FormOf(sstable), &error);
  const auto keys =
      filter == nullptr
          ? nullptr
          : OpenSstableKeys(sstable, KeyChecks::kEveryKey, &error);
  if (keys == nullptr) {
    Fail(error);
  }
  std::string_view key;
  while (keys->Next(&key)) {
    filter->Add(key);
  }
  if (!keys->error().empty()) {
    Fail(keys->error());
  }
  return filter;
}

void MendInPlace(const Examined& examined, const MendPlan& plan,
                 MendOutcome* outcome) {
  const Sstable& sstable = examined.sstable;
  const MendPlace place(sstable, examined.stamps, plan.node_is_down);
  const bool only_toc = examined.action() == Action::kCompleteToc;
  outcome->note = only_toc ? kByToc : "";
  // A dry run looks at everything but whether the node runs, so that it can be
  // made before the node is stopped.
  if (plan.dry_run) {
    outcome->kind = MendOutcome::kWouldMend;
    return;
  }
  // Said before the filter is built, which may take long.
  Lease(sstable, plan.node_is_down).Check();
  std::unique_ptr<FilterDbBuilder> filter;
  MendChange change;
  change.completes_toc = true;
  if (!only_toc) {
    filter = BuildFilter(examined);
    change.filter = FilterDbContent(FormOf(sstable), filter->num_probes(),
                                    filter->num_words(), filter->bits());
    change.filter_crc = CrcOf(change.filter);
  }
  place.Change(change, [&] {
    if (plan.backup != nullptr) {
      plan.backup->Keep(sstable, change.filter_crc);
    }
  });
  outcome->size = only_toc ? 0 : FilterDbSize(filter->num_words());
}

// A node would use a filter that was written beside its SSTable, or beside
// another one of this name. A node of ScyllaDB does not start if there is a
// filter without an SSTable.
void WriteToOutDir(const Examined& examined, const MendPlan& plan,
                   MendOutcome* outcome) {
  const Sstable& sstable = examined.sstable;
  const fs::path folder = fs::path(plan.out_dir) / sstable.folder_below;
  outcome->out = (folder / (sstable.name_prefix + kFilterDb)).string();
  if (HoldsSstables(folder.string())) {
    Fail(folder.string() +
         ": holds SSTables; give another --out-dir, outside the data "
         "directories");
  }
  if (NameExists(outcome->out)) {
    Fail(outcome->out +
         ": exists, and will not be overwritten. If it is of another PATH of "
         "this run, mend one after the other, each with an --out-dir of its "
         "own");
  }
  if (plan.dry_run) {
    outcome->kind = MendOutcome::kWouldMend;
    return;
  }
  const auto filter = BuildFilter(examined);
  fs::create_directories(folder);
  std::string error;
  if (!filter->Write(outcome->out, /*overwrite=*/false, &error)) {
    Fail(error);
  }
  outcome->kind = MendOutcome::kWritten;
  outcome->size = FilterDbSize(filter->num_words());
}

// Returns whether there is something to do, or to say, about the SSTable.
bool HasWork(const Examined& examined) {
  return examined.action() != Action::kNone ||
         examined.has(Check::kKeysNotConfirmed);
}

void Mend(const Examined& examined, const MendPlan& plan,
          MendOutcome* outcome) {
  if (plan.out_dir.empty()) {
    CheckIsOwner(examined.sstable);
  }
  const Action action = examined.action();
  if (action == Action::kNone || action >= Action::kLeave) {
    outcome->kind =
        action == Action::kLeave ? MendOutcome::kLeft : MendOutcome::kNotKnown;
    outcome->note = examined.ReasonToLeave();
  } else if (plan.out_dir.empty()) {
    MendInPlace(examined, plan, outcome);
  } else {
    WriteToOutDir(examined, plan, outcome);
  }
}

// ---- Undo ----

Sstable SstableOf(const fs::path& filter) {
  std::string name = filter.filename().string();
  name.erase(name.size() - std::strlen(kFilterDb));
  return {filter.parent_path().string(), name};
}

// Returns what brings the old filter back, whose path in the backup is `kept`.
// If the present filter is the old one, that is at most a digest: a mend was
// killed before it replaced the filter, or an undo before it removed the
// backup.
MendChange ChangeBack(const MendedFilter& mended, const std::string& run,
                      const std::string& kept) {
  MendChange change;
  change.filter_crc = mended.old_filter;
  if (!NameExists(mended.path)) {
    Leave("was removed since it was mended");
  }
  const uint32_t present = CrcOrFail(mended.path);
  if (present == *mended.old_filter) {
    return change;
  }
  if (present != mended.new_filter) {
    Leave("has changed since this run, which still keeps the old filter");
  }
  for (const std::string& later : LaterRuns(run)) {
    if (NameExists(PathInBackup(later, mended.path))) {
      Leave("is of a later run; undo that one first: " + later);
    }
  }
  const auto check = [listed = *mended.old_filter](uint32_t crc) {
    if (crc != listed) {
      Leave("the kept filter is not the one that the list of the run names");
    }
  };
  check(CrcOrFail(kept));  // So that a dry run says it, too.
  change.filter = [kept, check](const Append& append) {
    uint32_t crc = 0;
    const bool is_copied = ContentOfFile(kept, &crc)(append);
    if (is_copied) {
      check(crc);
    }
    return is_copied;
  };
  return change;
}

// Returns how many keys the old filter denies, as text. It may be older than
// the faults that a later run has mended, which not every order of runs shows.
std::string DeniedKeys(const Sstable& sstable, const std::string& kept) {
  std::string error;
  const auto filter = FilterDbFile::Open(kept, FormOf(sstable), &error);
  const auto keys = filter == nullptr
                        ? nullptr
                        : OpenSstableKeys(sstable, KeyChecks::kCheap, &error);
  if (keys == nullptr) {
    return "was not asked for the keys: " + error;
  }
  uint64_t num_denied = 0;
  std::string_view key;
  while (keys->Next(&key)) {
    num_denied += filter->MayContain(key) ? 0 : 1;
  }
  if (!keys->error().empty()) {
    return "was not asked for all keys: " + keys->error();
  }
  return num_denied == 0 ? ""
                         : "denies " + std::to_string(num_denied) +
                               (num_denied == 1 ? " key" : " keys");
}

// Sets why there is nothing to put back. Returns false if nothing is to be
// said: the filter is back already, or the run did not replace it.
bool SaysWhyUnchanged(const MendedFilter& mended, MendOutcome* outcome) {
  outcome->kind = MendOutcome::kUnchanged;
  if (!mended.old_filter) {
    outcome->note = "there was no filter before";
  } else if (mended.old_filter == mended.new_filter) {
    outcome->note = "only its TOC.txt was completed";
  }
  return !outcome->note.empty();
}

// Returns whether there is anything to do or to say.
bool Undo(const MendedFilter& mended, const MendPlan& plan,
          MendOutcome* outcome) {
  const std::string kept = PathInBackup(plan.undo, mended.path);
  const bool is_kept = mended.old_filter && NameExists(kept);
  const Sstable sstable = SstableOf(mended.path);
  if (!NameExists(sstable.Path("Data.db"))) {
    if (is_kept) {
      Leave("its SSTable is gone");
    }
    return false;
  }
  CheckIsOwner(sstable);
  const MendPlace place(sstable, StampsOf(sstable), plan.node_is_down);
  MendChange change;
  if (is_kept) {
    if (CrcOrFail(sstable.IndexPath()) != mended.index) {
      Leave("another SSTable has this name now");
    }
    change = ChangeBack(mended, plan.undo, kept);
  }
  const bool is_back = !place.WouldChange(change);
  if (!is_back) {
    CheckIsLive(sstable);
    outcome->kind =
        plan.dry_run ? MendOutcome::kWouldUndo : MendOutcome::kUndone;
    outcome->note =
        change.filter ? DeniedKeys(sstable, kept) : "by correcting its digest";
  }
  if (!plan.dry_run) {
    if (!is_back) {
      place.Change(change, [] {});
    }
    if (is_kept && unlink(kept.c_str()) != 0) {
      FailAt(kept,
             "the old filter is in its place, but cannot remove this one");
    }
  }
  return !is_back || SaysWhyUnchanged(mended, outcome);
}

}  // namespace

bool HoldsSstables(const std::string& folder) {
  std::error_code ignored;
  const auto names = NamesIn(
      folder,
      [](const std::string& name) {
        const auto parsed = ParseComponentName(name);
        return parsed && parsed->component != kFilterDb;
      },
      &ignored);
  return !names.empty();
}

void MendAll(const std::vector<Examined>& sstables, const MendPlan& plan,
             const OnOutcome& on_outcome) {
  MendRun run(on_outcome);
  for (const Examined& examined : sstables) {
    MendOutcome before;
    before.filter = examined.sstable.Path(kFilterDb);
    before.examined = &examined;
    if (examined.sstable.state != SstableState::kLive) {
      before.kind = MendOutcome::kNotExamined;
      on_outcome(before);
    } else if (HasWork(examined)) {
      run.Do(before, [&](MendOutcome* outcome) {
        Mend(examined, plan, outcome);
        return true;
      });
    }
  }
}

std::vector<std::string> LeftOversIn(const std::set<std::string>& folders) {
  std::error_code ignored;
  std::vector<std::string> paths;
  const auto is_temporary = [](const std::string& name) {
    return EndsWith(name, kTemporarySuffix);
  };
  for (const std::string& folder : folders) {
    for (const std::string& name : NamesIn(folder, is_temporary, &ignored)) {
      paths.push_back(folder + "/" + name);
    }
  }
  return paths;
}

void RemoveLeftOvers(const std::set<std::string>& folders) {
  for (const std::string& path : LeftOversIn(folders)) {
    RemoveLeftOver(path);
  }
}

void UndoRun(const std::vector<MendedFilter>& filters, const MendPlan& plan,
             const OnOutcome& on_outcome) {
  if (!plan.dry_run) {
    std::set<std::string> folders;
    for (const MendedFilter& filter : filters) {
      folders.insert(FolderOf(filter.path));
    }
    RemoveLeftOvers(folders);
  }
  MendRun run(on_outcome);
  for (const MendedFilter& filter : filters) {
    MendOutcome before;
    before.filter = filter.path;
    run.Do(before,
           [&](MendOutcome* outcome) { return Undo(filter, plan, outcome); });
  }
}

}  // namespace cassandra_bloom::tools
