// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/costs.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "filterdb/commands/output.h"
#include "plugin/policy/filter_bits_api.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy_settings.h"

namespace cassandra_bloom::tools {
namespace {

// Sets the blocks that are read in vain.
void AddReadsInVain(Costs* costs) {
  double absent = 0;
  double keys = 0;
  double keys_times_reads = 0;
  for (const auto& [level, sums] : costs->levels) {
    if (sums.rated_files == 0) {
      continue;
    }
    // Each file of level 0 is a run of sorted keys.
    const double runs = level == 0 ? sums.rated_files : 1;
    const double rates = level == 0 ? sums.rates : *sums.Rate();
    // Half of the runs of level 0 are above a key that is in one of them.
    const double above = (runs - 1) / 2 * rates / runs;
    keys += sums.rated_keys;
    keys_times_reads += sums.rated_keys * (absent + above);
    absent += rates;
  }
  if (costs->all.rated_files > 0) {
    costs->absent_key_in_vain = absent;
    costs->present_key_in_vain = keys > 0 ? keys_times_reads / keys : 0;
  }
}

// ---- Other policies ----

constexpr const char* kSettings[] = {
    "bloomfilter:10",        "ribbonfilter:10:3",
    "ribbonfilter:13:0",     "cassandra_bloom:mix:10",
    "cassandra_bloom:mix:7", "cassandra_bloom:mix:5",
    "cassandra_bloom:mix:3", "cassandra_bloom:mix:10:filter:ribbon",
};
// Where optimize_filters_for_hits leaves most keys without a filter.
constexpr char kForHits[] = "cassandra_bloom:mix:2.5:filter:ribbon";

std::shared_ptr<const rocksdb::FilterPolicy> PolicyOf(const std::string& text) {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  const rocksdb::Status status = rocksdb::FilterPolicy::CreateFromString(
      ConfigWithStandIns(rocksdb::Env::Default()), text, &policy);
  if (!status.ok() || policy == nullptr) {
    throw Unusable("RocksDB does not make the filter policy " + text + ": " +
                   status.ToString());
  }
  return policy;
}

// The files of a place.
struct Group {
  double files = 0;
  double keys = 0;
};
using Groups = std::map<FilePlace, Group>;

double KeysOf(const ExaminedSst& sst) {
  return static_cast<double>(sst.filter_keys > 0 ? sst.filter_keys : sst.keys);
}

Groups GroupsOf(const JudgedFamily& family) {
  Groups groups;
  for (const ExaminedSst& sst : family.ssts) {
    if (KeysOf(sst) > 0) {
      Group& group = groups[FilePlaceOf(family, sst)];
      group.files += sst.weight;
      group.keys += sst.weight * KeysOf(sst);
    }
  }
  return groups;
}

const ExaminedSst& LargestOf(const JudgedFamily& family) {
  return *std::max_element(family.ssts.begin(), family.ssts.end(),
                           [](const ExaminedSst& a, const ExaminedSst& b) {
                             return KeysOf(a) < KeysOf(b);
                           });
}

// What a policy gives a file.
struct BuiltFilter {
  double bits_per_key = 0;
  double rate = 1;  // The share of absent keys that pass.

  // What the filter adds to the peak of memory while its file is written.
  double bytes_to_build = 0;
};

// How many keys BuildFilter adds at most, and what a key takes meanwhile.
constexpr double kMostKeysToBuild = 1'000'000;
constexpr double kMostBytesPerKeyToBuild = 30;

// Measured: the peak for one bottommost SST file of 3 million keys at 10 bits
// per key, minus the peak without a filter, with RocksDB 7.8.3. RocksDB's
// builders keep 8 bytes a key, and ours keep 16. A Ribbon filter is solved in
// 20 more bytes a key.
double BytesPerKeyToBuild(const rocksdb::FilterPolicy& policy,
                          const rocksdb::Slice& block) {
  // RocksDB's readers find the type in the fifth byte from the end, and our
  // trailer has 0 there (block_form.h).
  constexpr size_t kTypeFromEnd = 5;
  constexpr char kRibbon = -2;
  const bool is_rocksdbs =
      std::strcmp(policy.CompatibilityName(), kRocksdbsFilterName) == 0 &&
      block.size() >= kTypeFromEnd;
  const char type = is_rocksdbs ? block[block.size() - kTypeFromEnd] : '\0';
  return type == kRibbon ? 28.5 : type == '\0' ? 15.9 : 8.7;
}

// Lets the policy build the filter of a file of `keys` keys, but of at most
// kMostKeysToBuild, and asks it. If filters are partitioned, builds one
// partition.
BuiltFilter BuildFilter(const rocksdb::FilterPolicy& policy,
                        const Family& family, const FilePlace& place,
                        double keys) {
  constexpr uint64_t kQuestions = 300'000;
  const auto builder = BuilderFor(policy, family, place);
  if (builder == nullptr) {
    return {};
  }
  double keys_of_block = keys;
  if (family.table.partition_filters) {
    keys_of_block = std::clamp(
        static_cast<double>(
            builder->ApproximateNumEntries(family.table.metadata_block_size)),
        1.0, keys);
  }
  const double count = std::min(keys_of_block, kMostKeysToBuild);
  std::mt19937_64 random(1);
  for (double added = 0; added < count; ++added) {
    const uint64_t key[] = {random(), random()};
    builder->AddKey(
        rocksdb::Slice(reinterpret_cast<const char*>(key), sizeof(key)));
  }
  std::unique_ptr<const char[]> owner;
  rocksdb::Status status;
  const rocksdb::Slice block = builder->Finish(&owner, &status);
  const std::unique_ptr<rocksdb::FilterBitsReader> reader(
      policy.GetFilterBitsReader(block));
  BuiltFilter built;
  built.bits_per_key = 8 * static_cast<double>(block.size()) / count;
  built.bytes_to_build = keys_of_block * (BytesPerKeyToBuild(policy, block) +
                                          (built.bits_per_key - 10) / 8);
  if (keys_of_block < keys) {
    // RocksDB keeps all finished partitions of a file until it is written.
    built.bytes_to_build += keys * built.bits_per_key / 8;
  }
  if (reader != nullptr) {
    built.rate = RateOf(kQuestions, /*seed=*/2, reader.get());
  }
  return built;
}

double BytesToBuild(const rocksdb::FilterPolicy& policy,
                    const JudgedFamily& family) {
  const ExaminedSst& largest = LargestOf(family);
  return BuildFilter(policy, family, FilePlaceOf(family, largest),
                     KeysOf(largest))
      .bytes_to_build;
}

Json RowOf(const std::string& policy, const Costs& costs,
           std::optional<double> bytes_to_build) {
  return {{"policy", policy},
          {"filter_bytes", std::llround(costs.all.filter_bytes)},
          {"bits_per_key", costs.all.BitsPerKey()},
          {"false_positives", OrNull(costs.absent_key_in_vain)},
          {"present_key_in_vain", OrNull(costs.present_key_in_vain)},
          {"bytes_to_build",
           bytes_to_build ? Json(std::llround(*bytes_to_build)) : Json()}};
}

Json RowOf(const std::string& text, const JudgedFamily& family,
           const Groups& groups) {
  const auto policy = PolicyOf(text);
  Costs costs;
  for (const auto& [place, group] : groups) {
    const BuiltFilter built =
        BuildFilter(*policy, family, place, group.keys / group.files);
    for (LevelSums* sums : {&costs.levels[place.level], &costs.all}) {
      sums->filter_keys += group.keys;
      sums->filter_bytes += group.keys * built.bits_per_key / 8;
      sums->AddRate(group.files, group.keys, built.rate);
    }
  }
  AddReadsInVain(&costs);
  return RowOf(text, costs, BytesToBuild(*policy, family));
}

// Returns why nothing can be said, or "".
std::string WhyNot(const JudgedFamily& family) {
  if (!family.is_policy_known && family.policy.empty()) {
    return "without the OPTIONS file, other settings are not forecast";
  }
  if (!family.table.whole_key_filtering) {
    return "the filters hold prefixes alone, of which other settings are not "
           "forecast";
  }
  if (!SettingsOf(family.policy).partition_key.is_whole()) {
    return "the filters hold partition keys, of which other settings are not "
           "forecast";
  }
  return "";
}

std::string Describe(const Json& row) {
  return AsText(row["policy"]) + " (" + AsThreeDigits(row["false_positives"]) +
         " blocks in vain for an absent key, " + AsSize(row["filter_bytes"]) +
         ")";
}

// Returns a sentence that says which row to take. Of absent keys, the fewest
// reads count, and of present keys the least memory, but both without more of
// the other.
std::string AdviceOf(const Json& rows, const Json& now, double absent_share) {
  const bool is_for_absent = absent_share >= 0.5;
  const char* const reads =
      is_for_absent ? "false_positives" : "present_key_in_vain";
  const char* const what_counts = is_for_absent ? reads : "filter_bytes";
  Json best;
  double least = 0.9 * now[what_counts].get<double>();
  for (const Json& row : rows) {
    if (row["filter_bytes"] <= now["filter_bytes"] &&
        row[reads] <= now[reads] && row[what_counts] < least) {
      best = row;
      least = row[what_counts];
    }
  }
  return AsPercent(is_for_absent ? absent_share : 1 - absent_share) +
         " of look-ups were of " + (is_for_absent ? "absent" : "present") +
         " keys: " +
         (best.is_null()
              ? "no row is much better than what it has now"
              : (is_for_absent ? "the fewest blocks are read in vain, in no "
                                 "more memory, with "
                               : "the least memory, without more blocks read "
                                 "in vain, has ") +
                    Describe(best));
}

}  // namespace

void LevelSums::AddRate(double files_to_add, double keys_of_all, double rate) {
  rated_files += files_to_add;
  rates += files_to_add * rate;
  rated_keys += keys_of_all;
  rated_keys_times_rate += keys_of_all * rate;
}

std::optional<double> LevelSums::Rate() const {
  if (rated_files == 0) {
    return std::nullopt;
  }
  // There may be nothing but deleted ranges.
  return rated_keys > 0 ? rated_keys_times_rate / rated_keys : 0;
}

Costs CostsOf(const JudgedFamily& family) {
  Costs costs;
  for (size_t i = 0; i < family.ssts.size(); ++i) {
    const ExaminedSst& sst = family.ssts[i];
    if (!sst.not_read.empty()) {
      continue;
    }
    const double keys = sst.weight * static_cast<double>(sst.keys);
    for (LevelSums* sums : {&costs.levels[sst.level], &costs.all}) {
      sums->files += sst.weight;
      sums->keys += keys;
      sums->filter_keys += sst.weight * static_cast<double>(sst.filter_keys);
      sums->filter_bytes += sst.weight * static_cast<double>(sst.filter_bytes);
      sums->asked_by_get += sst.answers.by_get > 0 ? sst.weight : 0;
      sums->looked_up += sst.was_looked_up ? sst.weight : 0;
      sums->asked_by_seek += sst.answers.by_seek > 0 ? sst.weight : 0;
      sums->sought += sst.was_sought ? sst.weight : 0;
      if (family.verdicts[i].rate) {
        sums->AddRate(sst.weight, keys, *family.verdicts[i].rate);
      }
    }
  }
  AddReadsInVain(&costs);
  return costs;
}

void AddSettings(const JudgedFamily& family, const Costs& now,
                 std::optional<double> absent_share, Json* settings) {
  const Groups groups = GroupsOf(family);
  if (groups.empty()) {
    return;
  }
  Json& rows = (*settings)["rows"];
  Json& notes = (*settings)["notes"];
  Json& row_now = (*settings)["now"];
  if (now.all.filter_keys > 0) {
    const auto& policy = family.table.filter_policy;
    std::optional<double> bytes_to_build;
    if (family.is_policy_known && !family.has_no_bits && policy != nullptr) {
      bytes_to_build = BytesToBuild(*policy, family);
    }
    row_now = RowOf("now", now, bytes_to_build);
  }
  if (const std::string why = WhyNot(family); !why.empty()) {
    notes.push_back(why);
    return;
  }
  std::vector<std::string> policies(std::begin(kSettings), std::end(kSettings));
  if (family.options.optimize_filters_for_hits) {
    policies.emplace_back(kForHits);
  }
  ProgressBar progress(
      "building filters of other settings, in up to " +
      AsSize(kMostBytesPerKeyToBuild *
             std::min(KeysOf(LargestOf(family)), kMostKeysToBuild)));
  for (const std::string& text : policies) {
    progress.Show(rows.size(), policies.size());
    rows.push_back(RowOf(text, family, groups));
  }
  notes.push_back(
      "as if each file were written anew into its level; which are then "
      "bottommost is a guess");
  if (family.table.partition_filters) {
    notes.push_back(
        "mix has more false positives than forecast in partitioned filters: "
        "3 % with partitions of 4 KiB, 13 % with 1 KiB");
  }
  if (family.options.optimize_filters_for_hits && now.absent_key_in_vain) {
    notes.push_back(
        "optimize_filters_for_hits leaves " +
        ThreeDigits(*now.absent_key_in_vain) +
        " blocks in vain for an absent key; the rows are without it, such as " +
        Describe(rows.back()));
  }
  if (absent_share && !row_now.is_null() && now.absent_key_in_vain) {
    notes.push_back(AdviceOf(rows, row_now, *absent_share));
  }
}

}  // namespace cassandra_bloom::tools
