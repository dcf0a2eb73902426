// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/settings_table.h"

#include <rocksdb/convenience.h>
#include <rocksdb/status.h>
#include <rocksdb/utilities/object_registry.h>

#include <algorithm>
#include <map>
#include <memory>

#include "cassandra_bloom/filter_policy.h"
#include "filterdb/commands/output.h"
#include "filterdb/commands/progress_bar.h"
#include "plugin/policy/policy_settings.h"
#include "tools/sst_filters/built_filter.h"

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
  rocksdb::ConfigOptions config;
  config.registry = rocksdb::ObjectRegistry::NewInstance();
  config.registry->AddLibrary("cassandra_bloom", register_cassandra_bloom, "");
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(config, text, &policy);
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

class Forecaster {
 public:
  explicit Forecaster(const JudgedFamily& family) : family_(family) {
    for (const ExaminedSst& sst : family.ssts) {
      const double keys = KeysOf(sst);
      if (keys == 0) {
        continue;
      }
      const FilePlace place = FilePlaceOf(family, sst);
      groups_[place].files += sst.weight;
      groups_[place].keys += sst.weight * keys;
      if (keys > keys_of_largest_) {
        keys_of_largest_ = keys;
        place_of_largest_ = place;
      }
    }
  }

  bool HasKeys() const { return keys_of_largest_ > 0; }
  size_t Steps() const { return groups_.size(); }

  double PeakBytes() const {
    return std::min(keys_of_largest_, kMostKeysToBuild) *
           kMostBytesPerKeyToBuild;
  }

  // `show_step` is called for each of Steps().
  template <typename ShowStep>
  Setting Of(const std::string& text, const rocksdb::FilterPolicy& policy,
             const ShowStep& show_step) const {
    Setting setting;
    setting.policy = text;
    double all_keys = 0;
    std::map<int, Runs> runs;
    for (const auto& [place, group] : groups_) {
      show_step();
      const BuiltFilter built =
          BuildFilter(policy, family_, place, group.keys / group.files);
      Runs& run = runs[place.level];
      const double keys = run.keys + group.keys;
      run.rate = (run.keys * run.rate + group.keys * built.rate) / keys;
      run.keys = keys;
      run.count = place.level == 0 ? run.count + group.files : 1;
      all_keys += group.keys;
      setting.filter_bytes += group.keys * built.bits_per_key / 8;
      if (place.level == place_of_largest_.level &&
          place.is_bottommost == place_of_largest_.is_bottommost) {
        setting.bytes_to_build = built.BytesToBuild(keys_of_largest_);
      }
    }
    setting.bits_per_key = 8 * setting.filter_bytes / all_keys;
    setting.reads_in_vain = ReadsInVainOf(runs);
    return setting;
  }

 private:
  static double KeysOf(const ExaminedSst& sst) {
    return static_cast<double>(sst.filter_keys > 0 ? sst.filter_keys
                                                   : sst.keys);
  }

  const ExaminedFamily& family_;
  std::map<FilePlace, Group> groups_;
  double keys_of_largest_ = 0;
  FilePlace place_of_largest_;
};

// Returns why nothing can be said, or "".
std::string WhyNot(const JudgedFamily& family) {
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

// Returns a sentence that says which row to take, or "". A row must be better
// by a tenth.
std::string AdviceOf(const std::vector<Setting>& rows, const Setting& now,
                     double absent_share) {
  constexpr double kBetter = 0.9;
  const bool is_for_absent = absent_share >= 0.5;
  const Setting* best = nullptr;
  for (const Setting& row : rows) {
    // Of absent keys, the fewest reads in no more memory. Of present keys, the
    // least memory without more reads.
    const bool is_better =
        is_for_absent
            ? row.filter_bytes <= now.filter_bytes &&
                  row.reads_in_vain->absent_key <
                      kBetter * now.reads_in_vain->absent_key &&
                  (best == nullptr || row.reads_in_vain->absent_key <
                                          best->reads_in_vain->absent_key)
            : row.reads_in_vain->present_key <=
                      now.reads_in_vain->present_key &&
                  row.filter_bytes < kBetter * now.filter_bytes &&
                  (best == nullptr || row.filter_bytes < best->filter_bytes);
    best = is_better ? &row : best;
  }
  Json share = is_for_absent ? absent_share : 1 - absent_share;
  return AsPercent(share) + " of look-ups were of " +
         (is_for_absent ? "absent" : "present") + " keys: " +
         (best == nullptr ? "no row is much better than what it has now"
          : is_for_absent
              ? "the fewest blocks are read in vain, in no more memory, with " +
                    Describe(*best)
              : "the least memory, without more blocks read in vain for "
                "present keys, has " +
                    Describe(*best));
}

}  // namespace

SettingsTable TableOfSettings(const JudgedFamily& family, const Costs& now,
                              std::optional<double> absent_share) {
  SettingsTable table;
  const Forecaster forecaster(family);
  const bool has_filters = now.all.filter_keys > 0;
  if (!forecaster.HasKeys()) {
    return table;
  }
  if (has_filters) {
    table.now = Setting{"now", now.all.filter_bytes, now.all.BitsPerKey(),
                        now.reads_in_vain, std::nullopt};
  }
  std::vector<std::string> policies(std::begin(kSettings), std::end(kSettings));
  if (family.options.optimize_filters_for_hits) {
    policies.emplace_back(kForHits);
  }
  if (const std::string why = WhyNot(family); !why.empty()) {
    table.notes.push_back(why);
    policies.clear();
  }
  const size_t steps = forecaster.Steps() * (policies.size() + 1);
  size_t step = 0;
  ProgressBar progress("building filters of other settings, in up to " +
                       AsSize(forecaster.PeakBytes()));
  const auto show_step = [&] { progress.Show(step++, steps); };
  if (table.now && family.is_policy_known && !family.has_no_bits &&
      family.table.filter_policy != nullptr) {
    const double bytes =
        forecaster.Of("", *family.table.filter_policy, show_step)
            .bytes_to_build.value_or(0);
    if (bytes > 0) {
      table.now->bytes_to_build = bytes;
    }
  }
  for (const std::string& policy : policies) {
    table.rows.push_back(forecaster.Of(policy, *PolicyOf(policy), show_step));
  }
  if (table.rows.empty()) {
    return table;
  }
  table.notes.push_back(
      "as if each file were written anew into its level; whether it is then "
      "bottommost is guessed from the files below it");
  if (family.table.partition_filters) {
    table.notes.push_back(
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
