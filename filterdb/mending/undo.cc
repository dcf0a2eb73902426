// SPDX-License-Identifier: Apache-2.0

// Puts the old filters of a run back.
// Tested in filterdb/tests/commands/mend/mend_undo_test.cc.
// Tested in filterdb/tests/commands/mend/mend_kill_test.cc.

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "filterdb/mending/mend_place.h"
#include "filterdb/mending/mender.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/scylla_db.h"
#include "filterdb/sstable/sstable_finder.h"
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
    const MendPlace place(*sstable, plan_.node_is_down);
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
    place.CheckNotInUse();
    outcome_.kind =
        plan_.dry_run ? MendOutcome::kWouldUndo : MendOutcome::kUndone;
    outcome_.only_toc = !is_kept;
    if (!plan_.dry_run) {
      PutBack(place, change);
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
    return found.sstables.empty() ? std::nullopt
                                  : std::optional(found.sstables.front());
  }

  // If the present filter is the old one, there is only a digest to put back: a
  // mend was killed before it replaced the filter, or an undo before it removed
  // the backup.
  void ChooseFilter(const MendPlace& place, MendChange* change) const {
    if (!place.has_filter()) {
      Leave(mended_.path + ": was removed since it was mended");
    if (found.sstables.empty() && !found.errors.empty()) {
      Fail(found.errors.front());
    }
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
    change->filter_digest = OldDigest(place);
  }

  bool Copy(const Append& append) const {
    uint32_t crc = 0;
    const bool is_copied = ContentOfFile(kept_, &crc)(append);
    if (is_copied && crc != *mended_.old_filter) {
      Leave(kept_ + ": is not the filter that the list of the run names");
    }
    return is_copied;
  }

  // Returns the digest of the filter in the kept Scylla.db, if there is one.
  std::optional<uint32_t> OldDigest(const MendPlace& place) const {
    const auto present = place.FilterDigest();
    const std::string path = PathOf(kept_, "Scylla.db");
    if (!present || !NameExists(path)) {
      return std::nullopt;
    }
    std::string content;
    std::string error;
    if (!ReadRegularFile(path, kMaxScyllaDbSize, &content, &error)) {
      Leave(error);
    }
    const auto scylla = ScyllaDb::Parse(std::move(content));
    if (!scylla || !scylla->is_intact()) {
      Leave(path + ": is damaged");
    }
    const auto old = scylla->Digest(DigestOf::kFilter);
    if (present != old && present != mended_.new_filter) {
      Leave(PathOf(mended_.path, "Scylla.db") + ": has changed since this run");
    }
    return old;
  }

  void PutBack(const MendPlace& place, const MendChange& change) const {
    place.Change(change, [] {});
    if (!outcome_.only_toc && unlink(kept_.c_str()) != 0) {
      FailAt(kept_, "the old filter was put back, but cannot remove this one");
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
