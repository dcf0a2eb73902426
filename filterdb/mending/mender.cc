// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/mender.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/health/examine_sstable.h"
#include "filterdb/mending/mend_place.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/sstable_keys.h"
#include "plugin/filter/block_layout.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

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
  uint64_t num_read = 0;
  std::string_view key;
  while (keys->Next(&key)) {
    filter->Add(key);
    ++num_read;
  }
  if (!keys->error().empty()) {
    Fail(keys->error());
  }
  if (num_read != examined.num_keys) {
    Fail(sstable.IndexPath() + ": has changed since it was examined");
  }
  return filter;
}

class Mender {
 public:
  // `*outputs` has the paths of the filters of this run in --out-dir.
  Mender(const Examined& examined, const MendPlan& plan,
         std::set<std::string>* outputs, MendOutcome* outcome)
      : examined_(examined),
        sstable_(examined.sstable),
        plan_(plan),
        outputs_(*outputs),
        outcome_(*outcome) {}

  void Mend() {
    const Action action = examined_.action();
    if (action == Action::kNone || action >= Action::kLeave) {
      outcome_.kind = action == Action::kLeave ? MendOutcome::kLeft
                                               : MendOutcome::kNotKnown;
      outcome_.reason = examined_.ReasonToLeave();
    } else if (plan_.out_dir.empty()) {
      outcome_.only_toc = action == Action::kCompleteToc;
      MendInPlace();
    } else {
      WriteToOutDir();
    }
  }

 private:
  void MendInPlace() {
    const MendPlace place(sstable_, examined_.stamps, plan_.node_is_down);
    if (plan_.backup != nullptr) {
      plan_.backup->CheckIsWritable();
    }
    // A dry run looks at everything but whether the node runs, so that it can
    // be made before the node is stopped.
    if (plan_.dry_run) {
      outcome_.kind = MendOutcome::kWouldMend;
      return;
    }
    place.CheckNotInUse();
    std::unique_ptr<FilterDbBuilder> filter;
    MendChange change;
    change.completes_toc = true;
    if (!outcome_.only_toc) {
      filter = BuildFilter(examined_);
      change.filter = FilterDbContent(FormOf(sstable_), filter->num_probes(),
                                      filter->num_words(), filter->bits());
      change.filter_digest = CrcOf(change.filter);
      outcome_.size = FilterDbSize(filter->num_words());
    }
    if (plan_.backup == nullptr) {
      place.Change(change, [] {});
      return;
    }
    try {
      place.Change(change,
                   [&] { plan_.backup->Keep(sstable_, change.filter_digest); });
    } catch (...) {
      if (place.IsUnchanged()) {
        plan_.backup->Forget(sstable_);
      }
      throw;
    }
  }

  void WriteToOutDir() {
    const std::string folder =
        (fs::path(plan_.out_dir) / sstable_.folder_below).string();
    outcome_.out = folder + "/" + sstable_.name_prefix + kFilterDb;
    CheckOutput(folder);
    if (plan_.dry_run) {
      outcome_.kind = MendOutcome::kWouldMend;
      return;
    }
    const auto filter = BuildFilter(examined_);
    fs::create_directories(folder);
    std::string error;
    if (!filter->Write(outcome_.out, /*overwrite=*/false, &error)) {
      Fail(error);
    }
    outcome_.kind = MendOutcome::kWritten;
    outcome_.size = FilterDbSize(filter->num_words());
  }

  // A node would use a filter that was written beside its SSTable, or beside
  // another one of this name. A node of ScyllaDB does not start if there is a
  // filter without an SSTable.
  void CheckOutput(const std::string& folder) const {
    CheckCanMake(folder);
    if (HoldsSstables(folder)) {
      Fail(folder +
           ": holds SSTables; give another --out-dir, outside the data "
           "directories");
    }
    if (!outputs_.insert(outcome_.out).second) {
      Fail(outcome_.out +
           ": is also for another SSTable of this run; mend one PATH after the "
           "other, each with an --out-dir of its own");
    }
    if (NameExists(outcome_.out)) {
      Fail(outcome_.out + ": exists, and will not be overwritten");
    }
  }

  const Examined& examined_;
  const Sstable& sstable_;
  const MendPlan& plan_;
  std::set<std::string>& outputs_;
  MendOutcome& outcome_;
};

bool IsTemporary(const std::string& name) {
  const std::string suffix = kTemporarySuffix;
  for (const char* const component : {kFilterDb, "TOC.txt", "Scylla.db"}) {
    if (EndsWith(name, component + suffix)) {
      return true;
    }
  }
  return false;
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

bool HasMendWork(const Examined& examined) {
  return examined.sstable.state == SstableState::kLive &&
         (examined.action() != Action::kNone ||
          examined.has(Check::kKeysNotConfirmed));
}

void MendAll(const std::vector<Examined>& sstables, const MendPlan& plan,
             const OnOutcome& on_outcome) {
  MendRun run(on_outcome);
  std::set<std::string> outputs;
  for (const Examined& examined : sstables) {
    MendOutcome before;
    before.filter = examined.sstable.Path(kFilterDb);
    before.examined = &examined;
    if (examined.sstable.state != SstableState::kLive) {
      before.kind = MendOutcome::kNotExamined;
      on_outcome(before);
    } else if (HasMendWork(examined)) {
      run.Do(before, [&](MendOutcome* outcome) {
        Mender(examined, plan, &outputs, outcome).Mend();
        return true;
      });
    }
  }
}

std::vector<std::string> LeftOversIn(const std::set<std::string>& folders) {
  std::error_code ignored;
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    for (const std::string& name : NamesIn(folder, IsTemporary, &ignored)) {
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

}  // namespace cassandra_bloom::tools
