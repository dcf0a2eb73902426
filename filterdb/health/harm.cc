// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/harm.h"

#include <cstddef>
#include <iterator>

namespace cassandra_bloom::tools {
namespace {

constexpr char kScrub[] =
    "let the database rewrite the SSTable (nodetool scrub)";
constexpr char kRestoreOrScrub[] =
    "restore the damaged file from a backup, or scrub the SSTable (nodetool "
    "scrub); then repair the table";
constexpr char kListComponents[] =
    "write it anew, with the components of the SSTable one a line";
constexpr char kStartOnce[] = "start the node once, stop it, then mend again";

// The columns of harms.
constexpr Harm kO = Harm::kNone;
constexpr Harm kN = Harm::kNotKnown;
constexpr Harm kM = Harm::kWastesMemory;
constexpr Harm kW = Harm::kWastesReads;
constexpr Harm kD = Harm::kDamaged;
constexpr Harm kH = Harm::kHidesRows;
constexpr Harm kR = Harm::kRefused;

// What a node does with a wrong Filter.db: FilterComponent, BloomFilter and
// OffHeapBitSet of Cassandra 5.0.1 (run), and of 3.0.30, 3.11.17, 4.0.14 (their
// deserialisers were run); sstable::read_filter of ScyllaDB (read).
// docs/filterdb.md has this table, too, and harm_test.cc compares the two.
constexpr CheckInfo kChecks[] = {
    // The harms are for Cassandra's versions before `na`, for those from `na`
    // on, and for ScyllaDB.
    {Check::kKeysMissing, "keys missing", {kH, kH, kH}, Action::kMend, ""},
    {Check::kOtherForm, "another form", {kH, kH, kH}, Action::kMend, ""},
    {Check::kTooLong, "too long", {kH, kH, kH}, Action::kMend, ""},
    {Check::kTruncated, "truncated", {kR, kH, kR}, Action::kMend, ""},
    {Check::kHeaderCut, "header cut", {kR, kW, kR}, Action::kMend, ""},
    {Check::kEmpty, "empty", {kR, kW, kR}, Action::kMend, ""},
    {Check::kFilterUnreadable,
     "filter unreadable",
     {kR, kR, kR},
     Action::kMend,
     ""},
    {Check::kNoProbes, "no probes", {kW, kW, kW}, Action::kMend, ""},
    {Check::kMissing, "missing", {kW, kW, kW}, Action::kMend, ""},
    {Check::kMissingInToc,
     "missing, but in TOC.txt",
     {kW, kW, kR},
     Action::kMend,
     ""},
    {Check::kSaturated, "saturated", {kW, kW, kW}, Action::kMend, ""},
    {Check::kWorseThanPlanned,
     "worse than planned",
     {kW, kW, kW},
     Action::kMend,
     ""},
    // With --oversized, the action is kMend.
    {Check::kOversized, "oversized", {kM, kM, kM}, Action::kNone, ""},
    // Cassandra makes the filter anew at each start, ScyllaDB loads none.
    {Check::kNotInToc,
     "not in TOC.txt",
     {kO, kO, kW},
     Action::kCompleteToc,
     ""},

    {Check::kDigestDiffers,
     "digest differs",
     {kR, kR, kR},
     Action::kMend,
     "mend with --rewrite-digests"},
    {Check::kTocDigestDiffers,
     "TOC.txt digest differs",
     {kR, kR, kR},
     Action::kLeave,
     "restore the TOC.txt whose checksum is in Scylla.db"},
    {Check::kTocUnfinished,
     "TOC.txt unfinished",
     {kR, kR, kR},
     Action::kCompleteToc,
     ""},
    {Check::kScyllaDbDamaged,
     "Scylla.db damaged",
     {kR, kR, kR},
     Action::kLeave,
     "restore Scylla.db from a backup"},
    {Check::kTocMissing,
     "TOC.txt missing",
     {kO, kO, kR},
     Action::kLeave,
     kListComponents},
    {Check::kTocDamaged,
     "TOC.txt damaged",
     {kR, kR, kR},
     Action::kLeave,
     kListComponents},
    {Check::kKeysUnreadable,
     "keys unreadable",
     {kD, kD, kD},
     Action::kLeave,
     kRestoreOrScrub},
    {Check::kWrongIndexHashes,
     "wrong index hashes",
     {kD, kD, kD},
     Action::kLeave,
     kScrub},
    {Check::kLeftOver,
     "left over",
     {kO, kO, kR},
     Action::kNone,
     "nothing is to be restored; remove these files"},

    {Check::kUnknownVersion, "not known", {kN, kN, kN}, Action::kLeave, ""},
    {Check::kNotSupported, "not supported", {kN, kN, kN}, Action::kLeave, ""},
    {Check::kNotRead,
     "not read",
     {kN, kN, kN},
     Action::kLeave,
     "give fewer --jobs, or this process more memory and open files"},
    {Check::kNotAsked, "not asked", {kN, kN, kN}, Action::kMend, ""},
    {Check::kNotConfirmed,
     "keys not confirmed",
     {kN, kN, kN},
     Action::kLeave,
     "restore Statistics.db from a backup"},

    {Check::kTimesLogged,
     "times logged",
     {kO, kO, kO},
     Action::kLeave,
     kStartOnce},
    {Check::kLogUnread,
     "log unread",
     {kO, kO, kO},
     Action::kLeave,
     "see that the node can read that log (start it once, and read its own "
     "log), then mend again"},
    {Check::kPlanUnknown,
     "plan unknown",
     {kO, kO, kO},
     Action::kLeave,
     "give --default-fp-chance"},
    {Check::kNoFilterPlanned,
     "no filter planned",
     {kO, kO, kO},
     Action::kLeave,
     "set another bloom_filter_fp_chance for the table, and let the node "
     "rewrite the SSTable (nodetool upgradesstables -a)"},
    {Check::kPlanTooSmall,
     "plan too small",
     {kO, kO, kO},
     Action::kLeave,
     "set at least 0.0000671 for the table, and let the node rewrite the "
     "SSTable (nodetool upgradesstables -a)"},
    {Check::kDigestsHeld,
     "digests held",
     {kO, kO, kO},
     Action::kLeave,
     "give --rewrite-digests, or let ScyllaDB rewrite the SSTable (nodetool "
     "upgradesstables -a)"},
    {Check::kNameDoubted,
     "name doubted",
     {kO, kO, kO},
     Action::kLeave,
     "give the files the names of the version that has written them"},

    {Check::kOk, "ok", {kO, kO, kO}, Action::kNone, ""}};

constexpr bool IsWhole() {
  for (size_t i = 0; i < std::size(kChecks); ++i) {
    if (kChecks[i].check != static_cast<Check>(i)) {
      return false;
    }
    for (const Harm harm : kChecks[i].harms) {
      if (harm < Harm::kNone || harm > Harm::kRefused) {
        return false;
      }
    }
  }
  return std::size(kChecks) == static_cast<size_t>(Check::kOk) + 1;
}
static_assert(IsWhole(), "each check has a row, and each row a harm by reader");

}  // namespace

const CheckInfo& InfoOf(Check check) {
  return kChecks[static_cast<size_t>(check)];
}

const char* NameOf(Harm harm) {
  switch (harm) {
    case Harm::kNone:
      return "none";
    case Harm::kNotKnown:
      return "not known";
    case Harm::kWastesMemory:
      return "wastes memory";
    case Harm::kWastesReads:
      return "wastes reads";
    case Harm::kDamaged:
      return "SSTable damaged";
    case Harm::kHidesRows:
      return "hides rows";
    case Harm::kRefused:
      return "refused";
  }
  return "";
}

Harm Harms::worst() const {
  for (auto harm = static_cast<uint8_t>(Harm::kRefused);
       harm > static_cast<uint8_t>(Harm::kNone); --harm) {
    if (has(static_cast<Harm>(harm))) {
      return static_cast<Harm>(harm);
    }
  }
  return Harm::kNone;
}

int Harms::exit_status() const {
  const Harm most = worst();
  return most >= Harm::kDamaged    ? 2
         : has(Harm::kNotKnown)    ? 3
         : most >= Harm::kNotKnown ? 1
                                   : 0;
}

}  // namespace cassandra_bloom::tools
