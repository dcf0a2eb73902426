// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/finding.h"

#include <algorithm>
#include <iterator>

namespace cassandra_bloom::tools {
namespace {

constexpr char kScrub[] =
    "let the database rewrite the SSTable (nodetool scrub)";
constexpr char kRestoreOrScrub[] =
    "restore that file from a backup or, if none is missing, scrub the SSTable "
    "(nodetool scrub); then repair the table";
constexpr char kListComponents[] =
    "list the components of the SSTable in it, one a line";

// To add a check, add it here and to the enumeration, and let
// examine_sstable.cc find it.
constexpr CheckInfo kChecks[] = {
    {Check::kKeysMissing, "keys missing", Action::kMend, true, ""},
    {Check::kTruncated, "truncated", Action::kMend, true, ""},
    {Check::kFilterUnreadable, "filter unreadable", Action::kMend, true, ""},
    {Check::kKeysUnreadable, "keys unreadable", Action::kLeave, true,
     kRestoreOrScrub},
    {Check::kWrongIndexHashes, "wrong index hashes", Action::kLeave, true,
     kScrub},
    {Check::kDigestDiffers, "digest differs", Action::kMend, true,
     "mend with --rewrite-digests"},
    {Check::kTocDigestDiffers, "TOC.txt digest differs", Action::kLeave, true,
     "restore the TOC.txt whose checksum is in Scylla.db"},
    {Check::kTocUnfinished, "TOC.txt unfinished", Action::kCompleteToc, true,
     ""},
    {Check::kScyllaDbDamaged, "Scylla.db damaged", Action::kLeave, true,
     "restore Scylla.db from a backup: ScyllaDB does not load the SSTable"},
    {Check::kEmpty, "empty", Action::kMend, true, ""},
    {Check::kMissing, "missing", Action::kMend, true, ""},
    {Check::kTocMissing, "TOC.txt missing", Action::kLeave, true,
     kListComponents},
    {Check::kTocDamaged, "TOC.txt damaged", Action::kLeave, true,
     kListComponents},
    {Check::kNotLoaded, "not loaded", Action::kCompleteToc, true, ""},
    {Check::kSaturated, "saturated", Action::kMend, true, ""},
    {Check::kWorseThanPlanned, "worse than planned", Action::kMend, true, ""},

    {Check::kUnknownVersion, "not known", Action::kNotKnown, false, ""},
    {Check::kNotSupported, "not supported", Action::kNotKnown, false, ""},
    {Check::kNotRead, "not read", Action::kNotKnown, false,
     "give fewer --jobs, or this process more memory and open files"},
    {Check::kKeysNotConfirmed, "keys not confirmed", Action::kNone, false,
     "restore Statistics.db from a backup"},

    // With --oversized, the action is kMend.
    {Check::kOversized, "oversized", Action::kNone, false, ""},
    // With --out-dir, the action is kNone.
    {Check::kNotInToc, "not in TOC.txt", Action::kCompleteToc, false, ""},

    {Check::kTimesLogged, "times logged", Action::kLeave, false,
     "start the node once, then mend"},
    {Check::kLogUnread, "log unread", Action::kLeave, false,
     "see that the node can read that log (start it once, and read its own "
     "log), then mend"},
    {Check::kPlanUnknown, "plan unknown", Action::kLeave, false,
     "give --default-fp-chance"},
    {Check::kNoFilterPlanned, "no filter planned", Action::kLeave, false,
     "set another bloom_filter_fp_chance for the table, and let the node "
     "rewrite the SSTable (nodetool upgradesstables -a)"},
    {Check::kPlanTooSmall, "plan too small", Action::kLeave, false,
     "set at least 0.0000671 for the table, and let the node rewrite the "
     "SSTable (nodetool upgradesstables -a)"},
    {Check::kDigestsHeld, "digests held", Action::kLeave, false,
     "give --rewrite-digests, or use --out-dir, put the filter in place and "
     "set ignore_component_digest_mismatch, or let ScyllaDB rewrite the "
     "SSTable (nodetool upgradesstables -a)"},
    {Check::kTocOnly, "only TOC.txt", Action::kLeave, false,
     "mend without --out-dir"},

    {Check::kOk, "ok", Action::kNone, false, ""}};

constexpr bool IsInOrder() {
  for (size_t i = 0; i < std::size(kChecks); ++i) {
    if (kChecks[i].check != static_cast<Check>(i)) {
      return false;
    }
  }
  return std::size(kChecks) == static_cast<size_t>(Check::kOk) + 1;
}
static_assert(IsInOrder(), "InfoOf takes the number of a check as an index");

}  // namespace

const CheckInfo& InfoOf(Check check) {
  return kChecks[static_cast<size_t>(check)];
}

void Examined::Add(Check check, const std::string& text) {
  if (has(check)) {
    return;
  }
  // A finding comes after those that are as bad, so that the list is sorted.
  const auto place = std::find_if(
      findings.begin(), findings.end(),
      [check](const Finding& finding) { return finding.check > check; });
  findings.insert(place, {check, InfoOf(check).action, text});
}

bool Examined::has(Check check) const {
  return std::any_of(
      findings.begin(), findings.end(),
      [check](const Finding& finding) { return finding.check == check; });
}

void Examined::LeaveOut(SstableState state) {
  sstable.state = state;
  findings.clear();
}

Check Examined::verdict() const {
  return findings.empty() ? Check::kOk : findings.front().check;
}

bool Examined::has_fault() const {
  return std::any_of(
      findings.begin(), findings.end(),
      [](const Finding& finding) { return InfoOf(finding.check).is_fault; });
}

Action Examined::action() const {
  Action largest = Action::kNone;
  for (const Finding& finding : findings) {
    largest = std::max(largest, finding.action);
  }
  return largest;
}

std::string Examined::ReasonToLeave() const {
  const Action largest = action();
  for (const Finding& finding : findings) {
    if (finding.action == largest) {
      const CheckInfo& info = InfoOf(finding.check);
      const std::string what = finding.text.empty() ? info.name : finding.text;
      return *info.remedy == '\0' ? what : what + "; " + info.remedy;
    }
  }
  return "";
}

std::string Examined::VerdictText() const {
  if (sstable.state != SstableState::kLive) {
    return tools::NameOf(sstable.state);
  }
  std::string text = tools::NameOf(verdict());
  if (verdict() == Check::kKeysMissing) {
    text += " (" + std::to_string(num_missing) + ")";
  }
  return text;
}

double Examined::bits_per_key() const {
  return num_keys == 0 ? 0
                       : static_cast<double>(fill.capacity_bits) /
                             static_cast<double>(num_keys);
}

}  // namespace cassandra_bloom::tools
