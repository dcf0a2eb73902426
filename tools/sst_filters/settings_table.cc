// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/settings_table.h"

#include <rocksdb/status.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "filterdb/commands/output.h"
#include "plugin/policy/policy_settings.h"
#include "tools/sst_filters/built_filter.h"
#include "tools/sst_filters/database/stand_ins.h"

namespace cassandra_bloom::tools {
namespace {

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
  double keys_of_largest = 0;
};
using Groups = std::map<FilePlace, Group>;

Groups GroupsOf(const JudgedFamily& family) {
  Groups groups;
  for (const ExaminedSst& sst : family.ssts) {
    const auto keys =
        static_cast<double>(sst.filter_keys > 0 ? sst.filter_keys : sst.keys);
    if (keys > 0) {
      Group& group = groups[FilePlaceOf(family, sst)];
      group.files += sst.weight;
      group.keys += sst.weight * keys;
      group.keys_of_largest = std::max(group.keys_of_largest, keys);
    }
  }
  return groups;
}

const std::pair<const FilePlace, Group>& WithLargest(const Groups& groups) {
  return *std::max_element(
      groups.begin(), groups.end(), [](const auto& a, const auto& b) {
        return a.second.keys_of_largest < b.second.keys_of_largest;
      });
}

double BytesToBuild(const rocksdb::FilterPolicy& policy, const Family& family,
                    const Groups& groups) {
  const auto& [place, group] = WithLargest(groups);
  return BuildFilter(policy, family, place, group.keys_of_largest)
      .bytes_to_build;
}

Setting SettingOf(const std::string& text, const Family& family,
                  const Groups& groups) {
  const auto policy = PolicyOf(text);
  Setting setting;
  setting.policy = text;
  double all_keys = 0;
  std::map<int, Runs> runs;
  for (const auto& [place, group] : groups) {
    const BuiltFilter built =
        BuildFilter(*policy, family, place, group.keys / group.files);
    Runs& run = runs[place.level];
    const double keys = run.keys + group.keys;
    run.rate = (run.keys * run.rate + group.keys * built.rate) / keys;
    run.keys = keys;
    run.count = place.level == 0 ? run.count + group.files : 1;
    all_keys += group.keys;
    setting.filter_bytes += group.keys * built.bits_per_key / 8;
  }
  setting.bits_per_key = 8 * setting.filter_bytes / all_keys;
  setting.reads_in_vain = ReadsInVainOf(runs);
  setting.bytes_to_build = BytesToBuild(*policy, family, groups);
  return setting;
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

std::string Describe(const Setting& setting) {
  return setting.policy + " (" +
         ThreeDigits(setting.reads_in_vain->absent_key) +
         " blocks in vain for an absent key, " + AsSize(setting.filter_bytes) +
         ")";
}

// Returns a sentence that says which row to take. Of absent keys, the fewest
// reads count, and of present keys the least memory, but both without more of
// the other.
std::string AdviceOf(const std::vector<Setting>& rows, const Setting& now,
                     double absent_share) {
  const bool is_for_absent = absent_share >= 0.5;
  const auto reads = [&](const Setting& setting) {
    return is_for_absent ? setting.reads_in_vain->absent_key
                         : setting.reads_in_vain->present_key;
  };
  const Setting* best = nullptr;
  for (const Setting& row : rows) {
    const auto is_less = [&](const Setting& than, double share) {
      return is_for_absent ? reads(row) < share * reads(than)
                           : row.filter_bytes < share * than.filter_bytes;
    };
    if (row.filter_bytes <= now.filter_bytes && reads(row) <= reads(now) &&
        is_less(now, 0.9) && (best == nullptr || is_less(*best, 1))) {
      best = &row;
    }
  }
  return AsPercent(is_for_absent ? absent_share : 1 - absent_share) +
         " of look-ups were of " + (is_for_absent ? "absent" : "present") +
         " keys: " +
         (best == nullptr
              ? "no row is much better than what it has now"
              : (is_for_absent ? "the fewest blocks are read in vain, in no "
                                 "more memory, with "
                               : "the least memory, without more blocks read "
                                 "in vain, has ") +
                    Describe(*best));
}

}  // namespace

SettingsTable TableOfSettings(const JudgedFamily& family, const Costs& now,
                              std::optional<double> absent_share) {
  SettingsTable table;
  const Groups groups = GroupsOf(family);
  if (groups.empty()) {
    return table;
  }
  if (now.all.filter_keys > 0) {
    table.now = Setting{"now", now.all.filter_bytes, now.all.BitsPerKey(),
                        now.reads_in_vain, std::nullopt};
  }
  const auto& policy = family.table.filter_policy;
  if (table.now && family.is_policy_known && !family.has_no_bits &&
      policy != nullptr) {
    table.now->bytes_to_build = BytesToBuild(*policy, family, groups);
  }
  if (const std::string why = WhyNot(family); !why.empty()) {
    table.notes.push_back(why);
    return table;
  }
  std::vector<std::string> policies(std::begin(kSettings), std::end(kSettings));
  if (family.options.optimize_filters_for_hits) {
    policies.emplace_back(kForHits);
  }
  ProgressBar progress(
      "building filters of other settings, in up to " +
      AsSize(kMostBytesPerKeyToBuild *
             std::min(WithLargest(groups).second.keys_of_largest,
                      kMostKeysToBuild)));
  for (const std::string& text : policies) {
    progress.Show(table.rows.size(), policies.size());
    table.rows.push_back(SettingOf(text, family, groups));
  }
  table.notes.emplace_back(
      "as if each file were written anew into its level; which are then "
      "bottommost is a guess");
  if (family.table.partition_filters) {
    table.notes.emplace_back(
        "mix has more false positives than forecast in partitioned filters: "
        "3 % with partitions of 4 KiB, 13 % with 1 KiB");
  }
  if (family.options.optimize_filters_for_hits && now.reads_in_vain) {
    table.notes.push_back(
        "optimize_filters_for_hits leaves " +
        ThreeDigits(now.reads_in_vain->absent_key) +
        " blocks in vain for an absent key; the rows are without it, such as " +
        Describe(table.rows.back()));
  }
  if (absent_share && table.now && now.reads_in_vain) {
    table.notes.push_back(AdviceOf(table.rows, *table.now, *absent_share));
  }
  return table;
}

}  // namespace cassandra_bloom::tools
