// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/mending/mender.h"

#include <sys/stat.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <set>
#include <system_error>
#include <utility>

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

uint64_t SizeOf(const FilterDbBuilder& filter) {
  return 8 + 8 * uint64_t{filter.num_words()};
}

bool HasName(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

// Thrown where the run is to stop while a large file is copied or summed.
struct Stop {};

}  // namespace

Mender::Mender(MendPlan plan, OnKeysAdded on_keys_added)
    : plan_(std::move(plan)), on_keys_added_(std::move(on_keys_added)) {}

void Mender::RemoveLeftOvers(const std::vector<Sstable>& sstables) const {
  std::set<std::string> folders;
  for (const Sstable& sstable : sstables) {
    folders.insert(sstable.folder);
  }
  for (const std::string& name : folders) {
    std::string ignored_error;
    const auto folder = PinnedFolder::Open(name, &ignored_error);
    if (folder != nullptr) {
      folder->RemoveLeftOvers();
    }
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

void Mender::Set(MendOutcome::Kind kind, const std::string& reason) {
  outcome_.kind = kind;
  outcome_.reason = reason;
}

void Mender::Guard(const std::function<void()>& work) {
  try {
    work();
  } catch (const Stop&) {
    Set(MendOutcome::kNotDone, "");
  } catch (const std::bad_alloc&) {
    Fail(outcome_.filter + ": not enough memory");
  } catch (const std::exception& error) {
    Fail(outcome_.filter + ": " + error.what());
  }
}

std::unique_ptr<KeptFilter> Mender::OpenKept(const Sstable& sstable,
                                             const PinnedFolder& folder,
                                             std::string* error) const {
  const BetweenPieces stop_if_wanted = [this] {
    if (!on_keys_added_(0)) {
      throw Stop();
    }
  };
  return KeptFilter::Open(sstable, folder, plan_.backup, stop_if_wanted, error);
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
      // What goes to another folder needs no TOC.txt.
      (decision.kind == MendDecision::kCompleteToc && !plan_.out_dir.empty() &&
       !finding.is_fault())) {
    return std::nullopt;
  }
  outcome_ = {};
  outcome_.filter = finding.sstable.Path("Filter.db");
  outcome_.finding = &finding;
  Guard([&] {
    if (!on_keys_added_(0)) {
      outcome_.kind = MendOutcome::kNotDone;
    } else if (decision.kind == MendDecision::kLeave) {
      Leave(decision.reason);
    } else if (plan_.out_dir.empty()) {
      MendInPlace(finding, decision);
    } else {
      WriteToOutDir(finding, decision);
    }
  });
  return outcome_;
}

void Mender::MendInPlace(const FilterFinding& finding,
                         const MendDecision& decision) {
  const std::string reason = ReasonNotToChange(finding.sstable);
  if (!reason.empty()) {
    Leave(reason);
    return;
  }
  std::string error;
  const auto folder = PinnedFolder::Open(finding.sstable.folder, &error);
  if (folder == nullptr) {
    Fail(error);
    return;
  }
  const bool only_toc = decision.kind == MendDecision::kCompleteToc;
  outcome_.only_toc = only_toc;
  std::unique_ptr<KeptFilter> kept;
  if (!only_toc && plan_.backup.kind != Backup::kNone) {
    kept = OpenKept(finding.sstable, *folder, &error);
    if (kept == nullptr) {
      Fail(error);
      return;
    }
  }
  if (!IsFree(finding, *folder, kept.get(), only_toc)) {
    return;
  }
  if (plan_.dry_run) {
    outcome_.kind = MendOutcome::kWouldMend;
  } else if (!only_toc) {
    ReplaceInPlace(finding, *folder, kept.get(), decision.fp_chance);
  } else if (!folder->Lock(&error)) {
    Leave(error);
  } else if (!CompleteToc(finding.sstable, *folder, &error)) {
    Fail(error);
  }
}

bool Mender::IsFree(const FilterFinding& finding, const PinnedFolder& folder,
                    KeptFilter* kept, bool only_toc) {
  const Obstacle obstacle =
      ObstacleInPlace(finding, folder, plan_.backup.kind, kept, only_toc);
  if (obstacle.reason.empty()) {
    return true;
  }
  Set(obstacle.is_error ? MendOutcome::kFailed : MendOutcome::kLeft,
      obstacle.reason);
  return false;
}

void Mender::ReplaceInPlace(const FilterFinding& finding,
                            const PinnedFolder& folder, KeptFilter* kept,
                            double fp_chance) {
  outcome_.out = outcome_.filter;
  std::string error;
  const auto filter =
      BuildFilterIn(folder, finding, fp_chance, on_keys_added_, &error);
  if (filter == nullptr) {
    Set(error.empty() ? MendOutcome::kNotDone : MendOutcome::kFailed, error);
    return;
  }
  // Another mend may have come first, and have kept the old filter.
  if (!folder.Lock(&error)) {
    Leave(error);
    return;
  }
  if (!IsFree(finding, folder, kept, /*only_toc=*/false)) {
    return;
  }
  bool has_other_links = false;
  if (!ReplaceFilter(finding, folder, *filter, kept, &has_other_links,
                     &error)) {
    Fail(error);
    return;
  }
  has_other_links_ |= has_other_links;
  outcome_.size = SizeOf(*filter);
}

bool Mender::CanWriteTo(const std::string& folder, const Sstable& sstable,
                        std::string* error) {
  std::error_code ignored;
  const std::string there = folder + "/" + sstable.name_prefix;
  if (fs::equivalent(folder, sstable.folder, ignored) ||
      HasName(there + "Data.db") || HasName(there + "TOC.txt")) {
    *error = folder +
             ": has an SSTable of this name; give another --out-dir, outside "
             "the data directories, or --in-place";
    return false;
  }
  const std::string name = fs::weakly_canonical(outcome_.out).string();
  const auto [earlier, is_new] = outputs_.emplace(name, outcome_.filter);
  if (!is_new) {
    *error = outcome_.out + ": the filter that replaces " + earlier->second +
             " goes there, too; give the PATHs in separate runs, each with its "
             "--out-dir";
    return false;
  }
  if (HasName(outcome_.out)) {
    *error = outcome_.out + ": exists, and will not be overwritten";
    return false;
  }
  return CanCreateIn(folder, error);
}

void Mender::WriteToOutDir(const FilterFinding& finding,
                           const MendDecision& decision) {
  if (decision.kind == MendDecision::kCompleteToc) {
    Leave("only its TOC.txt is not complete; use --in-place");
    return;
  }
  const fs::path folder =
      fs::path(plan_.out_dir) / finding.sstable.folder_below;
  outcome_.out =
      (folder / (finding.sstable.name_prefix + "Filter.db")).string();
  std::string error;
  if (!CanWriteTo(folder.string(), finding.sstable, &error)) {
    Fail(error);
    return;
  }
  if (plan_.dry_run) {
    outcome_.kind = MendOutcome::kWouldMend;
    return;
  }
  if (!CreateFolders(folder.string(), &error)) {
    Fail(error);
    return;
  }
  const auto filter =
      BuildFilter(finding, decision.fp_chance, on_keys_added_, &error);
  if (filter == nullptr) {
    Set(error.empty() ? MendOutcome::kNotDone : MendOutcome::kFailed, error);
  } else if (!filter->Write(outcome_.out, /*overwrite=*/false, &error)) {
    Fail(error);
  } else {
    outcome_.size = SizeOf(*filter);
  }
}

std::optional<MendOutcome> Mender::Undo(const Sstable& sstable) {
  outcome_ = {};
  outcome_.kind = MendOutcome::kUndone;
  outcome_.filter = sstable.Path("Filter.db");
  bool has_kept = true;
  Guard([&] {
    std::string error;
    const auto folder = PinnedFolder::Open(sstable.folder, &error);
    const auto kept =
        folder == nullptr ? nullptr : OpenKept(sstable, *folder, &error);
    if (kept == nullptr) {
      Fail(error);
    } else {
      has_kept_folder_ |= kept->HasFolder();
      has_kept = UndoInPlace(sstable, *folder, kept.get());
    }
  });
  return has_kept ? std::optional(outcome_) : std::nullopt;
}

bool Mender::UndoInPlace(const Sstable& sstable, const PinnedFolder& folder,
                         KeptFilter* kept) {
  std::string reason;
  const auto state = kept->Look(&reason);
  if (state == KeptFilter::State::kNothing && !kept->HasRecord()) {
    return false;
  }
  if (!on_keys_added_(0)) {
    outcome_.kind = MendOutcome::kNotDone;
    return true;
  }
  if (state != KeptFilter::State::kNotOurs) {
    reason = ReasonNotToChange(sstable);
  }
  if (!reason.empty() || !folder.Lock(&reason)) {
    Leave(reason);
    return state != KeptFilter::State::kNothing;
  }
  // Another run may have come first.
  switch (kept->Look(&reason)) {
    case KeptFilter::State::kNothing:
      kept->RemoveRecordOfNothing();
      return false;
    case KeptFilter::State::kNotOurs:
      Leave(reason);
      return true;
    case KeptFilter::State::kKept:
      break;
  }
  std::string error;
  if (!kept->PutBack(&reason, &error)) {
    Set(reason.empty() ? MendOutcome::kFailed : MendOutcome::kLeft,
        reason + error);
  }
  return true;
}

}  // namespace cassandra_bloom::tools
