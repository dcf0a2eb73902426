// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor/doctor_test.cc.
// Tested in tests/sst_filters/doctor/forecast_test.cc.

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy_settings.h"
#include "tools/sst_filters/doctor.h"

namespace cassandra_bloom::tools {
namespace {

// The sums of a level, or of all levels.
struct LevelSums {
  uint64_t files = 0;
  uint64_t keys = 0;
  uint64_t filter_keys = 0;
  uint64_t filter_bytes = 0;
  uint64_t asked_by_get = 0;
  uint64_t looked_up = 0;
  uint64_t asked_by_seek = 0;
  uint64_t sought = 0;

  // Of the files whose rate is known.
  double rated_files = 0;
  double rates = 0;
  double rated_keys = 0;
  double rated_keys_times_rate = 0;

  void Add(const ExaminedSst& sst) {
    ++files;
    keys += sst.keys;
    filter_keys += sst.filter_keys;
    filter_bytes += sst.filter_bytes;
    asked_by_get += sst.answers.by_get > 0 ? 1 : 0;
    looked_up += sst.was_looked_up ? 1 : 0;
    asked_by_seek += sst.answers.by_seek > 0 ? 1 : 0;
    sought += sst.was_sought ? 1 : 0;
    if (const auto& rate = sst.verdict.rate) {
      const auto keys_of_file = static_cast<double>(sst.keys);
      ++rated_files;
      rates += *rate;
      rated_keys += keys_of_file;
      rated_keys_times_rate += keys_of_file * *rate;
    }
  }

  double BitsPerKey() const {
    return filter_keys > 0 ? 8 * static_cast<double>(filter_bytes) /
                                 static_cast<double>(filter_keys)
                           : 0;
  }

  // The mean share of absent keys that pass, weighted by the keys of the files.
  std::optional<double> Rate() const {
    if (rated_files == 0) {
      return std::nullopt;
    }
    // There may be nothing but deleted ranges.
    return rated_keys > 0 ? rated_keys_times_rate / rated_keys : 0;
  }
};

struct Costs {
  std::map<int, LevelSums> levels;  // Those that have files.
  LevelSums all;

  // How many blocks a look-up of a key reads in vain, if the key is in the
  // range of each file of level 0, and of a file of each deeper level. Not set
  // if no rate is known. Of a key that is in a file, the mean over all keys: in
  // the files above it.
  std::optional<double> absent_key_in_vain;
  std::optional<double> present_key_in_vain;
};

// Files that could not be read are in no sum.
Costs CostsOf(const std::vector<ExaminedSst>& ssts) {
  Costs costs;
  for (const ExaminedSst& sst : ssts) {
    if (sst.not_read.empty()) {
      costs.levels[sst.level].Add(sst);
      costs.all.Add(sst);
    }
  }
  double absent = 0;
  double keys = 0;
  double keys_times_reads = 0;
  for (const auto& [level, sums] : costs.levels) {
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
  if (costs.all.rated_files > 0) {
    costs.absent_key_in_vain = absent;
    costs.present_key_in_vain = keys > 0 ? keys_times_reads / keys : 0;
  }
  return costs;
}

// Where nothing was tried, there is no number of filters that were asked.
Json ToJson(const Json& level, const LevelSums& sums) {
  const auto if_tried = [](uint64_t tried, uint64_t asked) {
    return tried > 0 ? Json(asked) : Json();
  };
  return {{"level", level},
          {"files", sums.files},
          {"keys", sums.keys},
          {"filter_bytes", sums.filter_bytes},
          {"bits_per_key", sums.BitsPerKey()},
          {"rate", OrNull(sums.Rate())},
          {"asked_by_get", if_tried(sums.looked_up, sums.asked_by_get)},
          {"asked_by_seek", if_tried(sums.sought, sums.asked_by_seek)}};
}

// ---- Other policies ----

constexpr const char* kSettings[] = {
    "bloomfilter:10",
    "ribbonfilter:10:3",
    "ribbonfilter:13:0",
    "cassandra_bloom:mix:10",
    "cassandra_bloom:mix:7",
    "cassandra_bloom:mix:5",
    "cassandra_bloom:mix:3",
    "cassandra_bloom:mix:10:filter:ribbon",
    // Where optimize_filters_for_hits leaves most keys without a filter.
    "cassandra_bloom:mix:2.5:filter:ribbon",
};

uint64_t KeysOf(const ExaminedSst& sst) {
  return sst.filter_keys > 0 ? sst.filter_keys : sst.keys;
}

const ExaminedSst& LargestOf(const ExaminedFamily& family) {
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
                        const Family& family, int level, bool is_bottommost,
                        double keys) {
  constexpr uint64_t kQuestions = 300'000;
  const auto builder = BuilderFor(policy, family, level, is_bottommost);
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

Json BytesToBuild(const rocksdb::FilterPolicy& policy,
                  const ExaminedFamily& family) {
  const ExaminedSst& largest = LargestOf(family);
  return std::llround(BuildFilter(policy, family, largest.level,
                                  largest.is_bottommost,
                                  static_cast<double>(KeysOf(largest)))
                          .bytes_to_build);
}

Json RowOf(const std::string& policy, const Costs& costs,
           const Json& bytes_to_build) {
  return {{"policy", policy},
          {"filter_bytes", costs.all.filter_bytes},
          {"bits_per_key", costs.all.BitsPerKey()},
          {"false_positives", OrNull(costs.absent_key_in_vain)},
          {"present_key_in_vain", OrNull(costs.present_key_in_vain)},
          {"bytes_to_build", bytes_to_build}};
}

// Returns the row of a policy that writes all files anew.
Json RowOf(const std::string& text, const ExaminedFamily& family) {
  const auto policy = PolicyOf(text);
  std::map<std::pair<int, bool>, LevelSums> places;
  for (const ExaminedSst& sst : family.ssts) {
    if (KeysOf(sst) > 0) {
      LevelSums& sums = places[{sst.level, sst.is_bottommost}];
      ++sums.files;
      sums.filter_keys += KeysOf(sst);
    }
  }
  std::vector<ExaminedSst> written;
  for (const auto& [place, sums] : places) {
    // All files of a place get the filter of one of the mean size.
    ExaminedSst sst;
    sst.level = place.first;
    sst.keys = sst.filter_keys = sums.filter_keys / sums.files;
    const auto keys = static_cast<double>(sst.keys);
    const BuiltFilter built =
        BuildFilter(*policy, family, place.first, place.second, keys);
    sst.filter_bytes =
        static_cast<uint64_t>(std::llround(keys * built.bits_per_key / 8));
    sst.verdict.rate = built.rate;
    written.insert(written.end(), sums.files, sst);
  }
  return RowOf(text, CostsOf(written), BytesToBuild(*policy, family));
}

// Returns why other settings are not forecast, or null.
const char* WhyNot(const ExaminedFamily& family) {
  return !family.is_policy_known && family.policy.empty()
             ? "without the OPTIONS file, other settings are not forecast"
         : !family.table.whole_key_filtering
             ? "the filters hold prefixes alone, of which other settings are "
               "not forecast"
         : !SettingsOf(family.policy).partition_key.is_whole()
             ? "the filters hold partition keys, of which other settings are "
               "not forecast"
             : nullptr;
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

Json OtherSettings(const ExaminedFamily& family, const Costs& now,
                   std::optional<double> absent_share, bool is_wanted) {
  Json settings = {
      {"now", nullptr}, {"rows", Json::array()}, {"notes", Json::array()}};
  if (!is_wanted || family.ssts.empty() || KeysOf(LargestOf(family)) == 0) {
    return settings;
  }
  Json& rows = settings["rows"];
  Json& notes = settings["notes"];
  Json& row_now = settings["now"];
  if (now.all.filter_keys > 0) {
    const auto& policy = family.table.filter_policy;
    const bool has_bits =
        family.is_policy_known && !family.has_no_bits && policy != nullptr;
    row_now =
        RowOf("now", now, has_bits ? BytesToBuild(*policy, family) : Json());
  }
  if (const char* const why = WhyNot(family)) {
    notes.push_back(why);
    return settings;
  }
  const bool is_for_hits = family.options.optimize_filters_for_hits;
  const size_t num_rows = std::size(kSettings) - (is_for_hits ? 0 : 1);
  ProgressBar progress(
      "building filters of other settings, in up to " +
      AsSize(kMostBytesPerKeyToBuild *
             std::min(static_cast<double>(KeysOf(LargestOf(family))),
                      kMostKeysToBuild)));
  while (rows.size() < num_rows) {
    progress.Show(rows.size(), num_rows);
    rows.push_back(RowOf(kSettings[rows.size()], family));
  }
  notes.push_back(
      "as if each file were written anew into its level; which are then "
      "bottommost is a guess");
  if (family.table.partition_filters) {
    notes.push_back(
        "mix has more false positives than forecast in partitioned filters: "
        "3 % with partitions of 4 KiB, 13 % with 1 KiB");
  }
  if (is_for_hits && now.absent_key_in_vain) {
    notes.push_back(
        "optimize_filters_for_hits leaves " +
        ThreeDigits(*now.absent_key_in_vain) +
        " blocks in vain for an absent key; the rows are without it, such as " +
        Describe(rows.back()));
  }
  if (absent_share && !row_now.is_null() && now.absent_key_in_vain) {
    notes.push_back(AdviceOf(rows, row_now, *absent_share));
  }
  return settings;
}

}  // namespace

Json CostsOf(const ExaminedFamily& family, std::optional<double> absent_share,
             bool are_others_wanted) {
  const Costs costs = CostsOf(family.ssts);
  Json json = {{"levels", Json::array()}, {"all", nullptr}};
  for (const auto& [level, sums] : costs.levels) {
    json["levels"].push_back(ToJson(level, sums));
  }
  if (!costs.levels.empty()) {
    Json& all = json["all"] = ToJson("all", costs.all);
    all["false_positives"] = OrNull(costs.absent_key_in_vain);
  }
  json["settings"] =
      OtherSettings(family, costs, absent_share, are_others_wanted);
  return json;
}

}  // namespace cassandra_bloom::tools
