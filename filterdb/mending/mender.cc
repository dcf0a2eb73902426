// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/mender.h"

#include <sys/stat.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <set>
#include <system_error>
#include <utility>

#include "filterdb/mending/digests.h"
#include "plugin/filter/block_layout.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

bool HasName(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

}  // namespace

Mender::Mender(MendPlan plan, OnKeysAdded on_keys_added)
    : plan_(std::move(plan)), on_keys_added_(std::move(on_keys_added)) {}

void Mender::RemoveLeftOvers(const std::vector<Sstable>& sstables) const {
  std::set<std::string> folders;
  for (const Sstable& sstable : sstables) {
    folders.insert(sstable.folder);
  }
  for (const std::string& name : folders) {
    PinnedFolder::RemoveLeftOvers(name);
    KeptFilter::RemoveLeftOvers(name, plan_.backup);
  }
}

uint64_t Mender::KeysToAdd(const std::vector<FilterFinding>& findings) const {
  uint64_t num_keys = 0;
  for (const FilterFinding& finding : findings) {
    num_keys +=
        DecideMend(finding, plan_.options).kind == MendDecision::kMakeAnew
            ? finding.num_keys
            : 0;
  }
  return num_keys;
}

void Mender::Guard(const std::function<void()>& work) {
  const auto end = [this](MendOutcome::Kind kind, const std::string& reason) {
    outcome_.kind = kind;
    outcome_.reason = reason;
  };
  try {
    work();
  } catch (const MendEnd& how) {
    end(how.kind, how.reason);
  } catch (const FileError& error) {
    end(MendOutcome::kFailed, error.text);
  } catch (const std::bad_alloc&) {
    end(MendOutcome::kFailed, outcome_.filter + ": not enough memory");
  } catch (const std::exception& error) {
    end(MendOutcome::kFailed, outcome_.filter + ": " + error.what());
  }
}

void Mender::StopIfWanted() const {
  if (!on_keys_added_(0)) {
    throw MendEnd{MendOutcome::kNotDone, ""};
  }
}

std::string Mender::ReasonNotToChange(const Sstable& sstable) const {
  const std::string reason = ReasonNotToTouch(sstable);
  if (!reason.empty()) {
    return reason;
  }
  const pid_t user = open_files_.UserOf(sstable.Path("Data.db"));
  if (user != 0) {
    return "process " + std::to_string(user) +
           " has its Data.db open; stop the node first";
  }
  const std::string unseen = open_files_.Unseen();
  return unseen.empty() || plan_.ignore_unseen_processes
             ? ""
             : unseen + "; it may be the node: " +
                   OpenFiles::WhatToDoAboutUnseen(OpenFiles::MayTraceAll());
}

std::optional<MendOutcome> Mender::Mend(const FilterFinding& finding) {
  const MendDecision decision = DecideMend(finding, plan_.options);
  if (decision.kind == MendDecision::kNothing ||
      // With --out-dir, mend changes no TOC.txt. So if a TOC.txt lacks
      // Filter.db, Mend returns an outcome only if this is a fault.
      (decision.kind == MendDecision::kCompleteToc && !plan_.out_dir.empty() &&
       !finding.is_fault())) {
    return std::nullopt;
  }
  outcome_ = {};
  outcome_.filter = finding.sstable.Path("Filter.db");
  outcome_.finding = &finding;
  Guard([&] {
    StopIfWanted();
    if (decision.kind == MendDecision::kLeave) {
      Leave(decision.reason);
    }
    if (plan_.out_dir.empty()) {
      MendInPlace(finding, decision);
    } else {
      WriteToOutDir(finding, decision);
    }
  });
  return outcome_;
}

void Mender::MendInPlace(const FilterFinding& finding,
                         const MendDecision& decision) {
  const Sstable& sstable = finding.sstable;
  LeaveFor(ReasonNotToChange(sstable));
  const PinnedFolder folder(sstable.folder);
  const bool only_toc = decision.kind == MendDecision::kCompleteToc;
  outcome_.only_toc = only_toc;
  std::optional<KeptFilter> kept;
  if (!only_toc && plan_.backup.kind != Backup::kNone) {
    kept.emplace(sstable, folder, plan_.backup, [this] { StopIfWanted(); });
  }
  KeptFilter* const kept_or_null = kept ? &*kept : nullptr;
  const auto check = [&] {
    return CheckPlace(finding, folder, kept_or_null, only_toc,
                      plan_.rewrite_digests);
  };
  check();
  if (plan_.dry_run) {
    outcome_.kind = MendOutcome::kWouldMend;
    return;
  }
  std::unique_ptr<FilterDbBuilder> filter;
  if (!only_toc) {
    outcome_.out = outcome_.filter;
    filter = BuildFilter(sstable, &folder, finding.num_keys, decision.fp_chance,
                         on_keys_added_);
  }
  LeaveFor(folder.Lock());
  // Another mend may have made a backup before the lock was taken.
  const Kept kept_now = check();
  if (!only_toc) {
    has_other_links_ |=
        ReplaceFilter(sstable, folder, *filter, kept_or_null, kept_now);
    outcome_.size = FilterDbSize(filter->num_words());
  } else {
    CompleteToc(sstable, folder);
  }
}

void Mender::CheckOutput(const std::string& folder, const Sstable& sstable) {
  std::error_code ignored;
  const std::string there = folder + "/" + sstable.name_prefix;
  if (fs::equivalent(folder, sstable.folder, ignored) ||
      HasName(there + "Data.db") || HasName(there + "TOC.txt")) {
    Fail(folder +
         ": has an SSTable of this name; give another --out-dir, outside the "
         "data directories, or --in-place");
  }
  const std::string name = fs::weakly_canonical(outcome_.out).string();
  const auto [earlier, is_new] = outputs_.emplace(name, outcome_.filter);
  if (!is_new) {
    Fail(outcome_.out + ": the filter that replaces " + earlier->second +
         " goes there, too; give the PATHs in separate runs, each with its "
         "--out-dir");
  }
  if (HasName(outcome_.out)) {
    Fail(outcome_.out + ": exists, and will not be overwritten");
  }
  FailFor(ReasonNotToCreateIn(folder));
}

void Mender::WriteToOutDir(const FilterFinding& finding,
                           const MendDecision& decision) {
  const Sstable& sstable = finding.sstable;
  if (decision.kind == MendDecision::kCompleteToc) {
    Leave("only its TOC.txt is not complete; use --in-place");
  }
  const std::string folder =
      (fs::path(plan_.out_dir) / sstable.folder_below).string();
  outcome_.out = fs::path(folder) / (sstable.name_prefix + "Filter.db");
  CheckOutput(folder, sstable);
  if (plan_.dry_run) {
    outcome_.kind = MendOutcome::kWouldMend;
    return;
  }
  CreateFolders(folder);
  const auto filter = BuildFilter(sstable, /*folder=*/nullptr, finding.num_keys,
                                  decision.fp_chance, on_keys_added_);
  std::string error;
  if (!filter->Write(outcome_.out, /*overwrite=*/false, &error)) {
    Fail(error);
  }
  outcome_.size = FilterDbSize(filter->num_words());
}

std::optional<MendOutcome> Mender::Undo(const Sstable& sstable) {
  outcome_ = {};
  outcome_.kind = MendOutcome::kUndone;
  outcome_.filter = sstable.Path("Filter.db");
  bool has_outcome = true;
  Guard([&] { has_outcome = UndoInPlace(sstable); });
  return has_outcome ? std::optional(outcome_) : std::nullopt;
}

bool Mender::UndoInPlace(const Sstable& sstable) {
  const PinnedFolder folder(sstable.folder);
  KeptFilter filter(sstable, folder, plan_.backup, [this] { StopIfWanted(); });
  has_kept_folder_ |= filter.has_folder();
  Kept kept = filter.Look();
  const bool is_toc_unfinished = IsTocUnfinished(sstable, folder);
  if (kept.state == Kept::kNothing && !kept.has_record && !is_toc_unfinished) {
    return false;
  }
  StopIfWanted();
  std::string reason =
      kept.state == Kept::kNotOurs ? kept.reason : ReasonNotToChange(sstable);
  if (reason.empty()) {
    reason = folder.Lock();
  }
  const bool is_free = reason.empty();
  if (is_free) {
    // Another run may have changed the backup before the lock was taken.
    kept = filter.Look();
    reason = kept.reason;
  }
  if (kept.state == Kept::kNothing) {
    if (is_free) {
      filter.RemoveRecordOfNothing(kept);
    }
    if (!is_toc_unfinished) {
      return false;
    }
    outcome_.kind = MendOutcome::kMended;
    outcome_.only_toc = true;
  }
  LeaveFor(reason);
  if (kept.state == Kept::kFilter) {
    filter.PutBack(kept);
  }
  if (is_toc_unfinished) {
    CompleteToc(sstable, folder);
  }
  return true;
}

}  // namespace cassandra_bloom::tools
