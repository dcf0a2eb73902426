// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/mend/mend_report.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "filterdb/commands/printer.h"
#include "filterdb/commands/scan_paths.h"

namespace cassandra_bloom::tools {
namespace {

struct KindInfo {
  MendOutcome::Kind kind;
  const char* outcome;  // Of one SSTable.
  const char* total;    // The field with the number of these.
  const char* sum;      // The same in the text.
  ExitCode exit_code;
};

// kWritten is a fault, because the node still uses the old filter.
constexpr KindInfo kKinds[] = {
    {MendOutcome::kMended, "mended", "mended", "mended", kGood},
    {MendOutcome::kWritten, "written", "written", "written", kFault},
    {MendOutcome::kWouldMend, "would be mended", "would_be_mended",
     "would be mended", kFault},
    {MendOutcome::kUndone, "old filter put back", "put_back", "put back",
     kGood},
    {MendOutcome::kWouldUndo, "old filter would be put back",
     "would_be_put_back", "would be put back", kFault},
    {MendOutcome::kLeft, "left", "left", "left", kFault},
    {MendOutcome::kFailed, "failed", "failed", "failed", kUnusable},
    {MendOutcome::kNotKnown, "not known", "not_known", "not known", kUnusable},
    {MendOutcome::kNotDone, "not done", "not_done", "not done", kFault}};

constexpr bool IsInOrder() {
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i].kind != static_cast<MendOutcome::Kind>(i)) {
      return false;
    }
  }
  return std::size(kKinds) == MendOutcome::kNotDone + 1;
}
static_assert(IsInOrder(), "InfoOf takes the number of a kind as an index");

const KindInfo& InfoOf(MendOutcome::Kind kind) { return kKinds[kind]; }

Json ToJson(const MendOutcome& outcome) {
  Json json = {{"filter", outcome.filter},
               {"outcome", InfoOf(outcome.kind).outcome}};
  if (outcome.examined != nullptr) {
    json["verdict"] = outcome.examined->VerdictText();
  }
  if (!outcome.reason.empty()) {
    json["reason"] = outcome.reason;
  }
  if (!outcome.out.empty()) {
    json["out"] = outcome.out;
  }
  const bool is_made = outcome.kind == MendOutcome::kMended ||
                       outcome.kind == MendOutcome::kWritten;
  if (is_made && !outcome.only_toc) {
    json["keys"] = outcome.examined->num_keys;
    json["bytes"] = outcome.size;
  }
  if (outcome.only_toc && outcome.kind < MendOutcome::kLeft) {
    json["only_toc"] = true;
  }
  return json;
}

std::string TextOf(const Json& json) {
  std::string text = json["filter"].get<std::string>() + ": ";
  if (json.contains("verdict")) {
    text += json["verdict"].get<std::string>() + ": ";
  }
  text += json["outcome"];
  if (json.contains("reason")) {
    text += ": " + json["reason"].get<std::string>();
  }
  if (json.contains("bytes")) {
    text += ", " + Count(json["bytes"], "byte") + " for " +
            Count(json["keys"], "key");
  }
  if (json.contains("only_toc")) {
    text += ", only in TOC.txt or its digest";
  }
  if (json.contains("out")) {
    text += " -> " + json["out"].get<std::string>();
  }
  return Printable(text) + "\n";
}

}  // namespace

MendReport::MendReport(bool as_json)
    : as_json_(as_json),
      json_({{"sstables", Json::array()},
             {"total", Json::object()},
             {"left_out_folders", Json::object()},
             {"errors", Json::array()}}) {
  for (const KindInfo& info : kKinds) {
    json_["total"][info.total] = 0;
  }
  json_["total"]["not_examined"] = 0;
}

void MendReport::Add(const MendOutcome& outcome) {
  if (outcome.kind == MendOutcome::kFailed) {
    PrintError(Unusable(outcome.reason));
  }
  Json& total = json_["total"][InfoOf(outcome.kind).total];
  total = total.get<size_t>() + 1;
  json_["sstables"].push_back(ToJson(outcome));
  if (!as_json_) {
    PrintText(TextOf(json_["sstables"].back()));
    std::fflush(stdout);
  }
}

void MendReport::AddErrors(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) {
    json_["errors"].push_back(error);
  }
}

void MendReport::SetLeftOut(const std::map<std::string, uint64_t>& folders) {
  json_["left_out_folders"] = folders;
}

void MendReport::Print() const {
  if (as_json_) {
    PrintJson(json_);
  } else {
    PrintSums();
  }
}

void MendReport::PrintSums() const {
  std::string sums;
  for (const KindInfo& info : kKinds) {
    if (Total(info.kind) > 0) {
      sums += (sums.empty() ? "" : ", ") + std::to_string(Total(info.kind)) +
              " " + info.sum;
    }
  }
  sums = sums.empty() ? "nothing to do" : sums;
  if (json_["total"]["not_examined"] > 0) {
    sums += " (and " + json_["total"]["not_examined"].dump() +
            " being written, obsolete or vanished: not examined)";
  }
  sums += "\n";
  if (Total(MendOutcome::kMended) > 0) {
    sums += "The node uses them from its next start on.\n";
  }
  if (Total(MendOutcome::kUndone) > 0) {
    sums +=
        "Filters that were made where there was none, and completed TOC.txt "
        "files, stay.\n";
  }
  if (json_.contains("backup")) {
    sums += "To put the old filters back: filterdb mend --undo=" +
            Printable(json_["backup"].get<std::string>()) + "\n";
  }
  PrintText(sums + LeftOutText(json_["left_out_folders"]));
}

size_t MendReport::Total(MendOutcome::Kind kind) const {
  return json_["total"][InfoOf(kind).total];
}

ExitCode MendReport::exit_code() const {
  ExitCode code = json_["errors"].empty() ? kGood : kUnusable;
  for (const KindInfo& info : kKinds) {
    if (Total(info.kind) > 0) {
      code = std::max(code, info.exit_code);
    }
  }
  return code;
}

}  // namespace cassandra_bloom::tools
