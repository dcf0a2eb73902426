// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/diagnose.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "filterdb/commands/output.h"
#include "plugin/policy/filter_name.h"
#include "tools/sst_filters/doctor/filters/level_allocation.h"

namespace cassandra_bloom::tools {
namespace {

struct SortedRun {
  int level = 0;
  double entries = 0;
  double keys = 0;  // Keys in filters, or entries without filters.
  double bits = 0;
  bool is_at_most = false;
  double weighted_rate = 0;
  // Sums over the files whose filter RocksDB asks.
  double asked = 0;
  double weighted_asked_rate = 0;

  void Add(const Sst& sst, PolicyInUse policy) {
    const auto n = static_cast<double>(sst.entries);
    entries += n;
    keys += sst.filter.keys > 0 ? static_cast<double>(sst.filter.keys) : n;
    weighted_rate += n * sst.RateWith(policy);
    if (UseOf(sst.kind, policy) == FilterUse::kAsked) {
      bits += sst.bits;
      is_at_most |= sst.filter.is_at_most;
    }
    if (sst.UseWith(policy) != FilterUse::kNotSeen) {
      asked += n;
      weighted_asked_rate += n * sst.RateWith(policy);
    }
  }

  Allocation AsItIs() const {
    return {bits, weighted_rate / entries, is_at_most};
  }
};

// Groups the SST files into sorted runs. `family.ssts` must be sorted by level.
std::vector<SortedRun> RunsOf(const Family& family, PolicyInUse policy) {
  std::vector<SortedRun> runs;
  for (const Sst& sst : family.ssts) {
    if (sst.entries == 0 || !sst.IsThere()) {
      continue;
    }
    if (runs.empty() || sst.file.level == 0 ||
        sst.file.level != runs.back().level) {
      runs.emplace_back();
      runs.back().level = sst.file.level;
    }
    runs.back().Add(sst, policy);
  }
  return runs;
}

Allocation Allocate(double keys, double bits_per_key) {
  return {keys * bits_per_key, BestRate(bits_per_key)};
}

void Forecast(const std::vector<SortedRun>& runs, FamilyReport* report) {
  if (runs.empty()) {
    return;
  }
  std::vector<double> keys;
  double all_keys = 0;
  double bits = 0;
  for (const SortedRun& run : runs) {
    keys.push_back(run.keys);
    all_keys += run.keys;
    bits += run.bits;
  }
  const std::vector<double> monkey = MonkeyBits(keys, bits);
  for (size_t i = 0; i < runs.size(); ++i) {
    LevelForecast forecast;
    forecast.runs = 1;
    forecast.keys = keys[i];
    forecast.as_it_is = runs[i].AsItIs();
    forecast.uniform = Allocate(keys[i], bits / all_keys);
    forecast.monkey = Allocate(keys[i], monkey[i]);
    report->levels[runs[i].level].Add(forecast);
    report->all.Add(forecast);
  }
}

std::optional<Allocation> InUse(const Family& family) {
  if (family.in_use == PolicyInUse::kUnknown) {
    return std::nullopt;
  }
  Allocation sum;
  for (const SortedRun& run : RunsOf(family, family.in_use)) {
    sum.Add(run.AsItIs());
  }
  return sum;
}

// ---- What to change ----

// Returns a diagnosis if the filter policy is unknown, refused or without
// effect.
std::optional<Diagnosis> CannotBeOn(const Family& family) {
  const FamilyOptions& options = family.options;
  if (!options.unknown.empty()) {
    return Diagnosis{
        "the filter policy is not known: " + options.unknown,
        "see whether this user may read the file; otherwise put it back, or "
        "open the database for writing with its own program, which writes a "
        "new one, and run doctor again"};
  }
  if (options.table != kBlockBasedTable) {
    return Diagnosis{
        "table_factory=" + options.table +
            ": only block-based SST files have filters of a policy",
        "leave the column family out (--column-family)"};
  }
  if (!options.refused.empty()) {
    return Diagnosis{
        "the filter policy in the OPTIONS file is '" + options.policy +
            "', which is refused: " + options.refused,
        "correct it, for example into filter_policy=" + family.advised};
  }
  return std::nullopt;
}

const char* HowOursAreRead(const Family& family) {
  return family.in_use == PolicyInUse::kRocksdbs &&
                 family.ours == PolicyInUse::kBesideRocksdb
             ? ", which reads our filters as ones that every key matches"
             : ", so our filters exist, but are not asked";
}

Diagnosis NotOn(const Family& family) {
  if (const auto diagnosis = CannotBeOn(family)) {
    return *diagnosis;
  }
  const std::string& policy = family.options.policy;
  Diagnosis diagnosis;
  diagnosis.what =
      policy.empty()
          ? "no filter policy in the OPTIONS file"
          : "the filter policy in the OPTIONS file is '" + policy + "'";
  diagnosis.to_do = "open the database with filter_policy=" + family.advised;
  for (const Sst& sst : family.ssts) {
    if (sst.entries > 0 && IsOurs(sst.kind) &&
        sst.UseWith(family.ours) == FilterUse::kAsked) {
      diagnosis.files.push_back(sst.file.path);
    }
  }
  if (!diagnosis.files.empty()) {
    diagnosis.what += HowOursAreRead(family);
    diagnosis.to_do +=
        ", in a process that has loaded or registered the library: a process "
        "that has not silently drops the setting";
    if (family.in_use == PolicyInUse::kRocksdbs) {
      diagnosis.to_do +=
          "; or, to stay with RocksDB's policy, compact the files";
    }
  } else if (!family.is_only) {
    diagnosis.to_do +=
        "; if it is meant to have none of ours, name the other column families "
        "(--column-family)";
  }
  return diagnosis;
}

// Returns a diagnosis if the OPTIONS file has the name cassandra_bloom without
// any options, and there are filters that are used only with blocks=rocksdb.
std::optional<Diagnosis> FormIsGuessed(const Family& family) {
  Diagnosis diagnosis;
  for (const Sst& sst : family.ssts) {
    if (sst.entries > 0 &&
        (sst.kind == FilterKind::kBesideRocksdb || IsRocksdbs(sst.kind))) {
      diagnosis.files.push_back(sst.file.path);
    }
  }
  if (!family.form_is_guessed || diagnosis.files.empty()) {
    return std::nullopt;
  }
  diagnosis.fault = false;
  diagnosis.what =
      std::string("the OPTIONS file has '") + kPolicyName +
      "' alone, as RocksDB's C interface writes it for any settings, and so "
      "does not tell whether the program sets blocks=rocksdb, with which these "
      "filters are used. ";
  diagnosis.what +=
      family.in_use == PolicyInUse::kBesideRocksdb
          ? "The newest filter of ours has that form, so doctor takes it to be "
            "set"
          : "No filter of ours, or not the newest, has that form, so doctor "
            "takes it not to be set";
  diagnosis.to_do = "see what the program sets";
  return diagnosis;
}

void AddFaultsOfFiles(const Family& family, std::vector<Diagnosis>* diagnoses) {
  std::map<std::pair<std::string, std::string>, size_t> found;
  for (const Sst& sst : family.ssts) {
    if (sst.fault.empty()) {
      continue;
    }
    const auto [at, is_new] =
        found.emplace(std::pair(sst.fault, sst.remedy), diagnoses->size());
    if (is_new) {
      diagnoses->push_back({sst.fault, sst.remedy});
    }
    (*diagnoses)[at->second].files.push_back(sst.file.path);
  }
}

constexpr char kCopyFirst[] =
    "copy the folder of the database before anything opens it for writing, as "
    "RocksDB then removes SST files that the MANIFEST does not name. ";

}  // namespace

void LevelForecast::Add(const LevelForecast& other) {
  runs += other.runs;
  keys += other.keys;
  as_it_is.Add(other.as_it_is);
  uniform.Add(other.uniform);
  monkey.Add(other.monkey);
}

bool HasFault(const std::vector<Diagnosis>& diagnoses) {
  return std::any_of(diagnoses.begin(), diagnoses.end(),
                     [](const Diagnosis& one) { return one.fault; });
}

FamilyReport DiagnoseFamily(const Family& family) {
  FamilyReport report;
  report.family = family;
  Forecast(RunsOf(family, family.ours), &report);
  report.in_use = InUse(family);
  for (const Sst& sst : family.ssts) {
    report.filter_bytes += sst.filter.bytes;
    ++report.files[sst.state];
  }
  if (!family.options.IsOn()) {
    report.diagnoses.push_back(NotOn(family));
  } else if (const auto guess = FormIsGuessed(family)) {
    report.diagnoses.push_back(*guess);
  }
  AddFaultsOfFiles(family, &report.diagnoses);
  return report;
}

std::vector<Diagnosis> DiagnoseFiles(const DatabaseFiles& files) {
  const bool left_behind = !files.unlisted.empty() && !files.in_use;
  Diagnosis diagnosis;
  if (left_behind) {
    diagnosis.files = files.unlisted;
  }
  if (files.manifest_is_torn) {
    diagnosis.what =
        files.manifest +
        ": ends in the middle of a record, so RocksDB knows nothing of what "
        "came after. The file was cut, or the disk was full or the machine "
        "crashed while it was written";
    if (left_behind) {
      diagnosis.what += ". The folder has SST files that it does not name";
    }
    diagnosis.to_do =
        std::string(kCopyFirst) +
        "Then restore the database from a backup; without one, try "
        "ldb repair on the copy, which may bring old rows back";
  } else if (left_behind && files.newest_is_unlisted) {
    diagnosis.what =
        "the folder has SST files that the MANIFEST does not name, among them "
        "the newest of all, and no process on this machine has the database "
        "open. Either a process was killed that had just written them, or the "
        "MANIFEST has lost its end or is an old one, and does not know their "
        "rows";
    diagnosis.to_do =
        std::string(kCopyFirst) +
        "If a process was killed, do nothing else: what it had not finished is "
        "in the write-ahead log, or in the files that it was compacting. If no "
        "process was killed, restore the database from a backup";
  } else if (left_behind) {
    diagnosis.fault = false;
    diagnosis.what =
        "the folder has SST files that the MANIFEST does not name, and no "
        "process on this machine has the database open: a process that was "
        "killed leaves such files, and so does one that was told to delete no "
        "files (DisableFileDeletions)";
    diagnosis.to_do =
        "nothing: RocksDB removes them when it opens the database for writing";
  } else {
    return {};
  }
  return {diagnosis};
}

Observed Compare(const FilterQuestions& questions,
                 const std::vector<FamilyReport>& families) {
  Observed observed;
  observed.questions = questions;
  double asked = 0;
  double answered_wrongly = 0;
  double worst = 0;
  for (const FamilyReport& report : families) {
    const Family& family = report.family;
    for (const SortedRun& run : RunsOf(family, family.in_use)) {
      asked += run.asked / run.entries;
      answered_wrongly += run.weighted_asked_rate / run.entries;
    }
    for (const Sst& sst : family.ssts) {
      const FilterUse use = sst.UseWith(family.in_use);
      if (use != FilterUse::kNotSeen && sst.entries > 0) {
        worst = std::max(worst, use == FilterUse::kAsked ? sst.rate_bound : 1);
        observed.whole_keys &= sst.whole_keys;
      }
    }
  }
  if (asked > 0) {
    observed.expected_rate = answered_wrongly / asked;
  }
  // A read that finds its key does not ask the deeper levels. Therefore the
  // average rate may differ from the expected rate. But it cannot exceed the
  // rate of the worst filter, apart from random variation. The margin for
  // random variation is 50 %, and four standard deviations.
  const auto wrong = static_cast<double>(questions.false_positives());
  const double at_most =
      worst * static_cast<double>(questions.of_absent_keys());
  if (asked > 0 && observed.whole_keys && wrong >= 20 &&
      wrong > 1.5 * at_most && wrong > at_most + 4 * std::sqrt(at_most)) {
    observed.diagnosis = {
        "more keys pass than the worst of the filters should let pass (" +
            Percent(worst) + ")",
        "see whether the statistics are of these SST files, and not of earlier "
        "ones; if they are, somebody may be choosing the keys"};
  }
  return observed;
}

}  // namespace cassandra_bloom::tools
