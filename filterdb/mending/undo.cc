// SPDX-License-Identifier: Apache-2.0

// Puts the old filters of a run back.
// Tested in filterdb/tests/commands/mend/mend_undo_test.cc.
// Tested in filterdb/tests/commands/mend/mend_kill_test.cc.

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/mending/mend_place.h"
#include "filterdb/mending/mender.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/sstable_finder.h"
#include "filterdb/sstable/sstable_keys.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

std::string PathOf(const std::string& filter, const char* component) {
  return filter.substr(0, filter.size() - std::strlen(kFilterDb)) + component;
}

class Undo {
 public:
  Undo(const MendedFilter& mended, const UndoPlan& plan, MendOutcome* outcome)
      : mended_(mended),
        plan_(plan),
        kept_(PathInBackup(plan.run, mended.path)),
        outcome_(*outcome) {}

  // Returns whether there was anything to do.
  bool Run() {
    const bool is_kept = mended_.old_filter && NameExists(kept_);
    const auto sstable = Find();
    if (!sstable) {
      if (is_kept) {
        Leave(mended_.path + ": its SSTable is gone");
      }
      return false;
    }
    const MendPlace place(*sstable, StampsOf(*sstable), plan_.node_is_down);
    if (!is_kept && !place.IsTocUnfinished()) {
      return false;
    }
    if (CrcOrFail(sstable->IndexPath()) != mended_.index) {
      Leave(mended_.path + ": another SSTable has this name now");
    }
    MendChange change;
    if (is_kept) {
      ChooseFilter(place, &change);
    }
    outcome_.only_toc = !change.filter && !change.filter_digest;
    if (outcome_.only_toc && !place.IsTocUnfinished()) {
      RemoveKept();
      return false;
    }
    if (is_kept) {
      AskForKeys(*sstable);
    }
    place.CheckNotInUse();
    outcome_.kind =
        plan_.dry_run ? MendOutcome::kWouldUndo : MendOutcome::kUndone;
    if (!plan_.dry_run) {
      place.Change(change, [] {});
      RemoveKept();
    }
    return true;
  }

 private:
  std::optional<Sstable> Find() const {
    const std::string data = PathOf(mended_.path, "Data.db");
    if (!NameExists(data)) {
      return std::nullopt;
    }
    FoundSstables found = FindSstables({data});
    if (found.sstables.empty() && !found.errors.empty()) {
      Fail(found.errors.front());
    }
    return found.sstables.empty() ? std::nullopt
                                  : std::optional(found.sstables.front());
  }

  // If the present filter is the old one, there is at most a digest to put
  // back: a mend was killed before it replaced the filter, or an undo before it
  // removed the backup.
  void ChooseFilter(const MendPlace& place, MendChange* change) const {
    if (!place.has_filter()) {
      Leave(mended_.path + ": was removed since it was mended");
    }
    const uint32_t present = CrcOrFail(mended_.path);
    if (present != *mended_.old_filter) {
      if (present != mended_.new_filter) {
        Leave(mended_.path +
              ": has changed since this run, and the old filter is " + kept_);
      }
      const std::string later = LastRunThatPut(mended_, plan_.run);
      if (!later.empty()) {
        Leave(mended_.path +
              ": is of a later run; undo that one first: " + later);
      }
      change->filter = [this](const Append& append) { return Copy(append); };
    }
    change->filter_digest = OldDigest(place, present);
  }

  // Says how many keys the old filter denies. It may be older than the faults
  // that a later run has mended, which not every order of runs shows.
  void AskForKeys(const Sstable& sstable) const {
    std::string error;
    FilterForm form = kNaAndLater;
    FormOfSstableVersion(sstable.version, &form, &error);
    const auto filter = FilterDbFile::Open(kept_, form, &error);
    const auto keys = filter == nullptr
                          ? nullptr
                          : OpenSstableKeys(sstable, KeyChecks::kCheap, &error);
    if (keys == nullptr) {
      outcome_.warning = "was not asked for the keys: " + error;
      return;
    }
    uint64_t num_denied = 0;
    std::string_view key;
    while (keys->Next(&key)) {
      num_denied += filter->MayContain(key) ? 0 : 1;
    }
    if (!keys->error().empty()) {
      outcome_.warning = "was not asked for all keys: " + keys->error();
    } else if (num_denied > 0) {
      outcome_.warning = "denies " + std::to_string(num_denied) +
                         (num_denied == 1 ? " key" : " keys");
    }
  }

  bool Copy(const Append& append) const {
    uint32_t crc = 0;
    const bool is_copied = ContentOfFile(kept_, &crc)(append);
    if (is_copied && crc != *mended_.old_filter) {
      Leave(kept_ + ": is not the filter that the list of the run names");
    }
    return is_copied;
  }

  // Returns the digest that Scylla.db must get, if it has another one: that of
  // the old filter. The kept Scylla.db may not have it, because a killed run
  // may have changed Scylla.db before this run kept it.
  std::optional<uint32_t> OldDigest(const MendPlace& place,
                                    uint32_t present_filter) const {
    const auto digest = place.FilterDigest();
    if (!digest || digest == mended_.old_filter) {
      return std::nullopt;
    }
    if (digest == mended_.new_filter) {
      return mended_.old_filter;
    }
    if (present_filter != *mended_.old_filter) {
      Leave(PathOf(mended_.path, "Scylla.db") + ": has changed since this run");
    }
    return std::nullopt;  // As it was before the run.
  }

  void RemoveKept() const {
    if (!plan_.dry_run && unlink(kept_.c_str()) != 0 && errno != ENOENT) {
      FailAt(kept_,
             "the old filter is in its place, but cannot remove this one");
    }
  }

  const MendedFilter& mended_;
  const UndoPlan& plan_;
  const std::string kept_;  // The path of the old filter in the backup.
  MendOutcome& outcome_;
};

}  // namespace

void UndoRun(const std::vector<MendedFilter>& filters, const UndoPlan& plan,
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
    run.Do(before, [&](MendOutcome* outcome) {
      return Undo(filter, plan, outcome).Run();
    });
  }
}

}  // namespace cassandra_bloom::tools
