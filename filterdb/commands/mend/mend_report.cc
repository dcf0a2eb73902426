// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/mend/mend_report.h"

#include <cstdio>

#include "filterdb/commands/scan_paths.h"

namespace cassandra_bloom::tools {
namespace {

const char* NameOf(MendOutcome::Kind kind) {
  switch (kind) {
    case MendOutcome::kMended:
      return "mended";
    case MendOutcome::kWouldMend:
      return "would be mended";
    case MendOutcome::kLeft:
      return "left";
    case MendOutcome::kFailed:
      return "failed";
    case MendOutcome::kUndone:
      return "old filter put back";
    case MendOutcome::kNotDone:
      return "not done";
  }
  return "";
}

void Print(const MendOutcome& outcome) {
  std::string line = outcome.filter + ": ";
  if (outcome.finding != nullptr) {
    line += outcome.finding->VerdictText() + ": ";
  }
  line += NameOf(outcome.kind);
  if (!outcome.reason.empty()) {
    line += ": " + outcome.reason;
  }
  if (outcome.size > 0) {
    line += ", " + Count(outcome.size, "byte") + " for " +
            Count(outcome.finding->num_keys, "key");
  }
  if (outcome.only_toc && outcome.kind == MendOutcome::kMended) {
    line += ", TOC.txt completed";
  }
  if (!outcome.out.empty() && outcome.out != outcome.filter) {
    line += " -> " + outcome.out;
  }
  std::printf("%s\n", Printable(line).c_str());
  std::fflush(stdout);
}

Json ToJson(const MendOutcome& outcome) {
  Json json = {{"filter", outcome.filter}, {"outcome", NameOf(outcome.kind)}};
  if (outcome.finding != nullptr) {
    json["verdict"] = outcome.finding->VerdictText();
  }
  if (!outcome.reason.empty()) {
    json["reason"] = outcome.reason;
  }
  if (!outcome.out.empty()) {
    json["out"] = outcome.out;
  }
  if (outcome.size > 0) {
    json["keys"] = outcome.finding->num_keys;
    json["bytes"] = outcome.size;
  }
  if (outcome.only_toc && outcome.kind == MendOutcome::kMended) {
    json["toc_completed"] = true;
  }
  return json;
}

}  // namespace

void MendReport::Add(const MendOutcome& outcome) {
  ++counts_[outcome.kind];
  if (outcome.kind == MendOutcome::kFailed) {
    PrintError(Unusable(outcome.reason));
  }
  if (json_) {
    sstables_.push_back(ToJson(outcome));
  } else {
    Print(outcome);
  }
}

void MendReport::AddErrors(const std::vector<std::string>& errors) {
  errors_.insert(errors_.end(), errors.begin(), errors.end());
}

void MendReport::PrintDocument(bool interrupted) const {
  Json json = {{"sstables", sstables_},
               {"total",
                {{"mended", Count(MendOutcome::kMended)},
                 {"would_be_mended", Count(MendOutcome::kWouldMend)},
                 {"put_back", Count(MendOutcome::kUndone)},
                 {"left", Count(MendOutcome::kLeft)},
                 {"failed", Count(MendOutcome::kFailed)},
                 {"not_done", Count(MendOutcome::kNotDone)},
                 {"not_examined", num_not_examined_}}},
               {"left_out_folders", left_out_},
               {"errors", errors_}};
  if (!no_backups_.empty()) {
    json["no_backups"] = no_backups_;
  }
  if (interrupted) {
    json["interrupted"] = true;
  }
  PrintJson(json);
}

void MendReport::PrintEndOfSums() const {
  const size_t num_not_done = Count(MendOutcome::kNotDone);
  if (num_not_done > 0) {
    std::printf(", %zu not done", num_not_done);
  }
  if (num_not_examined_ > 0) {
    std::printf(" (and %zu being written, obsolete or vanished: not examined)",
                num_not_examined_);
  }
  std::printf("\n");
}

void MendReport::PrintSums(const MendPlan& plan, bool has_other_links) const {
  const size_t num_mended = Count(MendOutcome::kMended);
  if (plan.dry_run) {
    std::printf("%zu would be mended, %zu left", Count(MendOutcome::kWouldMend),
                Count(MendOutcome::kLeft));
    const size_t num_failed = Count(MendOutcome::kFailed);
    if (num_failed > 0) {
      std::printf(", %zu would fail", num_failed);
    }
  } else {
    std::printf("%zu mended, %zu left, %zu failed", num_mended,
                Count(MendOutcome::kLeft), Count(MendOutcome::kFailed));
  }
  PrintEndOfSums();
  if (num_mended > 0 && plan.out_dir.empty()) {
    std::printf("The node uses them from its next start on.\n");
  }
  if (has_other_links) {
    std::printf(
        "Old filters that are linked from elsewhere, as from snapshots, stay "
        "as they are there.\n");
  }
  std::fputs(LeftOutText(left_out_).c_str(), stdout);
}

void MendReport::PrintSumsOfUndo() const {
  std::printf("%zu put back", Count(MendOutcome::kUndone));
  const size_t num_left = Count(MendOutcome::kLeft);
  const size_t num_failed = Count(MendOutcome::kFailed);
  if (num_left + num_failed > 0) {
    std::printf(", %zu left, %zu failed", num_left, num_failed);
  }
  PrintEndOfSums();
  if (Count(MendOutcome::kUndone) > 0) {
    std::printf(
        "Filters that were made where there was none, and completed TOC.txt "
        "files, stay.\n");
  }
  for (const std::string& line : no_backups_) {
    std::printf("%s\n", Printable(line).c_str());
  }
  std::fputs(LeftOutText(left_out_).c_str(), stdout);
}

ExitCode MendReport::exit_code() const {
  if (Count(MendOutcome::kFailed) > 0 || !errors_.empty()) {
    return kUnusable;
  }
  return Count(MendOutcome::kLeft) + Count(MendOutcome::kWouldMend) +
                     Count(MendOutcome::kNotDone) + no_backups_.size() >
                 0
             ? kFault
             : kGood;
}

}  // namespace cassandra_bloom::tools
