// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/harm.h"

#include <cstddef>
#include <iterator>

namespace cassandra_bloom::tools {
namespace {

constexpr char kListComponents[] =
    "write it anew, with the components of the SSTable one a line";

// The columns of harms.
constexpr Harm kO = Harm::kNone;
constexpr Harm kN = Harm::kNotKnown;
constexpr Harm kM = Harm::kWastesMemory;
constexpr Harm kW = Harm::kWastesReads;
constexpr Harm kD = Harm::kDamaged;
constexpr Harm kH = Harm::kHidesRows;
constexpr Harm kR = Harm::kRefused;

constexpr Action kNothing = Action::kNone;
constexpr Action kMend = Action::kMend;
constexpr Action kLeave = Action::kLeave;

constexpr CheckInfo Row(Check check, const char* name, Harm before_na,
                        Harm from_na, Harm of_scylla, Action action,
                        const char* remedy = "") {
  return {check, name, {before_na, from_na, of_scylla}, action, remedy};
}

// What a node does with a wrong Filter.db: FilterComponent, BloomFilter and
// OffHeapBitSet of Cassandra 5.0.1 (run), and of 3.0.30, 3.11.17, 4.0.14 (their
// deserialisers were run); sstable::read_filter of ScyllaDB (read).
// docs/filterdb.md has this table, too, and harm_test.cc compares the two.
constexpr CheckInfo kChecks[] = {
    // The harms are for Cassandra's versions before `na`, for those from `na`
    // on, and for ScyllaDB.
    Row(Check::kKeysMissing, "keys missing", kH, kH, kH, kMend),
    Row(Check::kOtherForm, "another form", kH, kH, kH, kMend),
    Row(Check::kTooLong, "too long", kO, kO, kO, kNothing,
        "no node reads what follows the filter"),
    Row(Check::kTruncated, "truncated", kR, kH, kR, kMend),
    Row(Check::kHeaderCut, "header cut", kR, kW, kR, kMend),
    Row(Check::kEmpty, "empty", kR, kW, kR, kMend),
    Row(Check::kFilterUnreadable, "filter unreadable", kR, kR, kR, kMend),
    Row(Check::kNoProbes, "no probes", kW, kW, kW, kMend),
    Row(Check::kMissing, "missing", kW, kW, kW, kMend),
    Row(Check::kMissingInToc, "missing, but in TOC.txt", kW, kW, kR, kMend),
    Row(Check::kSaturated, "saturated", kW, kW, kW, kMend),
    Row(Check::kWorseThanPlanned, "worse than planned", kW, kW, kW, kMend),
    // With --oversized, the action is kMend.
    Row(Check::kOversized, "oversized", kM, kM, kM, kNothing),
    // Cassandra makes the filter anew at each start, whatever the file, so no
    // mend is due. ScyllaDB loads none.
    Row(Check::kNotInToc, "not in TOC.txt", kO, kO, kW, kMend),

    Row(Check::kDigestDiffers, "digest differs", kR, kR, kR, kMend,
        "mend with --rewrite-digests"),
    Row(Check::kTocDigestDiffers, "TOC.txt digest differs", kR, kR, kR, kLeave,
        "restore the TOC.txt whose checksum is in Scylla.db"),
    Row(Check::kTocUnfinished, "TOC.txt unfinished", kR, kR, kR, kMend),
    Row(Check::kScyllaDbDamaged, "Scylla.db damaged", kR, kR, kR, kLeave,
        "restore Scylla.db from a backup"),
    Row(Check::kTocMissing, "TOC.txt missing", kO, kO, kR, kLeave,
        kListComponents),
    Row(Check::kTocDamaged, "TOC.txt damaged", kR, kR, kR, kLeave,
        kListComponents),
    Row(Check::kKeysUnreadable, "keys unreadable", kD, kD, kD, kLeave,
        "restore the damaged file from a backup, or scrub the SSTable "
        "(nodetool scrub)"),
    Row(Check::kWrongIndexHashes, "wrong index hashes", kD, kD, kD, kLeave,
        "let the database rewrite the SSTable (nodetool scrub)"),
    // Only found before `ma`, where a node may remove files. Elsewhere, the
    // keys
    // are unreadable.
    Row(Check::kDataMissing, "Data.db missing", kN, kN, kN, kLeave,
        "if no node was stopped while it removed this SSTable, restore Data.db "
        "from a backup; else start the node, which removes the rest"),
    Row(Check::kLeftOver, "left over", kO, kO, kR, kNothing,
        "nothing is to be restored; remove these files"),

    Row(Check::kNotSupported, "not supported", kN, kN, kN, kLeave),
    Row(Check::kNotRead, "not read", kN, kN, kN, kLeave,
        "give fewer --jobs, or this process more memory and open files"),
    Row(Check::kNotAsked, "not asked", kN, kN, kN, kMend),
    Row(Check::kNotConfirmed, "keys not confirmed", kN, kN, kN, kLeave,
        "restore Statistics.db from a backup"),
    Row(Check::kNameDoubted, "name doubted", kN, kN, kN, kLeave,
        "give the files the names of the version that has written them"),

    Row(Check::kTimesLogged, "times logged", kO, kO, kO, kLeave,
        "start the node once, stop it, then mend again"),
    Row(Check::kLogUnread, "log unread", kO, kO, kO, kLeave,
        "see that the node can read that log (start it once, and read its own "
        "log), then mend again"),
    Row(Check::kPlanUnknown, "plan unknown", kO, kO, kO, kLeave,
        "give --default-fp-chance"),
    Row(Check::kNoFilterPlanned, "no filter planned", kO, kO, kO, kLeave,
        "set a bloom_filter_fp_chance from 0.0000671 to below 1 for the table, "
        "and let the node rewrite the SSTable (nodetool upgradesstables -a)"),
    Row(Check::kDigestsHeld, "digests held", kO, kO, kO, kLeave,
        "give --rewrite-digests, or let ScyllaDB rewrite the SSTable (nodetool "
        "upgradesstables -a)"),

    Row(Check::kOk, "ok", kO, kO, kO, kNothing),
};

constexpr bool IsWhole() {
  for (size_t i = 0; i < std::size(kChecks); ++i) {
    if (kChecks[i].check != static_cast<Check>(i)) {
      return false;
    }
  }
  return std::size(kChecks) == static_cast<size_t>(Check::kOk) + 1;
}
static_assert(IsWhole(), "each check has a row, in the order of the checks");

}  // namespace

const CheckInfo& InfoOf(Check check) {
  return kChecks[static_cast<size_t>(check)];
}

const char* NameOf(Harm harm) {
  constexpr const char* kNames[] = {
      "none",         "not known",       "wastes memory",
      "wastes reads", "SSTable damaged", "hides rows",
      "refused"};
  return kNames[static_cast<size_t>(harm)];
}

Harm Harms::worst() const {
  auto harm = static_cast<uint8_t>(Harm::kRefused);
  while (harm > static_cast<uint8_t>(Harm::kNone) &&
         !has(static_cast<Harm>(harm))) {
    --harm;
  }
  return static_cast<Harm>(harm);
}

int Harms::exit_status() const {
  return worst() >= Harm::kDamaged ? 2
         : has(Harm::kNotKnown)    ? 3
         : worst() > Harm::kNone   ? 1
                                   : 0;
}

}  // namespace cassandra_bloom::tools
