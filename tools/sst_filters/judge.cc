// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/judge.h"

#include <rocksdb/slice_transform.h>

#include <string>

#include "tools/sst_filters/forecast.h"

namespace cassandra_bloom::tools {
namespace {

// How to get the filter written anew.
std::string ToCompact(const FamilyOptions& options) {
  return options.options.compaction_style ==
                 ROCKSDB_NAMESPACE::kCompactionStyleFIFO
             ? "wait until the file ages out: FIFO compaction writes no file "
               "anew"
             : kCompactIt + std::string(", which writes its filter anew");
}

Verdict JudgeWithoutFilter(const ExaminedSst& sst,
                           const FamilyOptions& options) {
  if (options.policy.empty()) {
    return {Use::kNotUsed,
            "no filter, as the OPTIONS file has no filter_policy",
            "set filter_policy, then " + ToCompact(options)};
  }
  if (options.options.optimize_filters_for_hits && sst.is_bottommost) {
    return {Use::kOnPurpose,
            "no filter: optimize_filters_for_hits, and no older file has its "
            "keys",
            ""};
  }
  if (!options.table.whole_key_filtering) {
    if (options.options.prefix_extractor == nullptr) {
      return {Use::kNotUsed,
              "no filter, as whole_key_filtering is off and there is no "
              "prefix_extractor",
              "set a prefix_extractor, or whole_key_filtering=true; then " +
                  ToCompact(options)};
    }
    if (sst.is_without_prefixes) {
      return {Use::kOnPurpose,
              "no filter: neither its first nor its last key has a prefix", ""};
    }
  }
  if (SampleFilter(*options.table.filter_policy, options, sst.level,
                   sst.is_bottommost, /*keys=*/100)
          .is_none) {
    return {Use::kOnPurpose, "no filter: the policy gives it none", ""};
  }
  return {Use::kNotUsed, "no filter", ToCompact(options)};
}

// Judges a file with a filter that RocksDB did not ask when it looked up absent
// keys.
Verdict JudgeUnasked(const ExaminedSst& sst, const FamilyOptions& options) {
  const std::string written_by =
      sst.policy.empty() ? "another policy" : "'" + sst.policy + "'";
  if (options.policy.empty()) {
    return {Use::kNotUsed,
            "the OPTIONS file has no filter_policy, so RocksDB does not look "
            "for its filter, of " +
                written_by,
            "set filter_policy again; the filter is then used as it is"};
  }
  if (options.options.optimize_filters_for_hits && sst.is_in_last_run) {
    return {Use::kOnPurpose,
            "optimize_filters_for_hits: RocksDB asks no filter of the last "
            "level",
            ""};
  }
  if (sst.answers.blocks == 0) {
    return {Use::kNotUsed,
            "the policy does not read its filter, which was written with " +
                written_by + " and other options, or is damaged",
            "set the policy back, or " + ToCompact(options)};
  }
  const std::string prefixes =
      "its filter holds prefixes of the prefix_extractor " +
      sst.prefix_extractor;
  if (!sst.holds_keys && !options.unknown_extractor().empty()) {
    return {Use::kNotAsked,
            prefixes + ", and '" + options.unknown_extractor() +
                "' is not known here",
            ""};
  }
  const bool needs_prefix = !sst.holds_keys && options.extractor() != nullptr;
  if (needs_prefix ? !sst.was_sought : !sst.was_looked_up) {
    return {Use::kNoKeys,
            std::string("not asked: no absent key ") +
                (needs_prefix ? "with a prefix " : "") + "is in its range",
            ""};
  }
  if (!sst.holds_keys) {
    const std::string now =
        options.extractor() == nullptr ? "none" : options.extractor()->GetId();
    if (sst.prefix_extractor != now) {
      return {Use::kNotUsed, prefixes + ", and now that is " + now,
              ToCompact(options)};
    }
  } else if (!options.table.whole_key_filtering) {
    return {Use::kNotUsed,
            "its filter holds whole keys, and whole_key_filtering is off",
            "set whole_key_filtering=true, or " + ToCompact(options)};
  }
  return {Use::kNotUsed, "RocksDB does not ask its filter", ToCompact(options)};
}

Verdict JudgeAsked(const ExaminedSst& sst, const FamilyOptions& options) {
  if (sst.answers.Rate() > 0.999) {
    return {Use::kNotUsed,
            "every key passes its filter: it was damaged, or memory was short "
            "when it was written, or RocksDB's own policy reads one that "
            "cassandra_bloom wrote",
            ToCompact(options)};
  }
  if (sst.was_sought && sst.answers.by_seek == 0) {
    return {Use::kUsed,
            "iterators do not ask its filter, which holds no prefixes of the "
            "prefix_extractor; Get does",
            ""};
  }
  return {};
}

Verdict JudgeSst(const ExaminedSst& sst, const FamilyOptions& options) {
  if (!sst.not_asked.empty()) {
    return {Use::kNotAsked, sst.not_asked, ""};
  }
  if (sst.keys == 0) {
    return {Use::kNoKeys, "no keys, only deleted ranges", ""};
  }
  if (sst.filter_bytes == 0) {
    return JudgeWithoutFilter(sst, options);
  }
  return sst.answers.by_get > 0 ? JudgeAsked(sst, options)
                                : JudgeUnasked(sst, options);
}

double RateOf(const ExaminedSst& sst) {
  const Use use = sst.verdict.use;
  if (use == Use::kNoKeys && sst.keys == 0) {
    return 0;  // RocksDB reads no block where there are only deleted ranges.
  }
  return use == Use::kUsed || use == Use::kNoKeys ? sst.answers.Rate() : 1;
}

// Adds a file that stands for `weight` files of its level.
void AddSst(const ExaminedSst& sst, double weight, Sums* sums) {
  sums->examined_files += 1;
  sums->asked_by_get += sst.answers.by_get > 0 ? 1 : 0;
  sums->asked_by_seek += sst.answers.by_seek > 0 ? 1 : 0;
  const double keys = weight * static_cast<double>(sst.keys);
  sums->keys += keys;
  sums->keys_times_rate += keys * sst.rate;
  sums->filter_keys += weight * static_cast<double>(sst.filter_keys);
  sums->filter_bytes += weight * static_cast<double>(sst.filter_bytes);
  if (sst.level == 0) {
    sums->false_positives += weight * sst.rate;
  }
}

}  // namespace

const char* NameOf(Use use) {
  switch (use) {
    case Use::kUsed:
      return "used";
    case Use::kNotUsed:
      return "not_used";
    case Use::kOnPurpose:
      return "none_on_purpose";
    case Use::kNoKeys:
      return "no_keys";
    case Use::kNotAsked:
      break;
  }
  return "not_asked";
}

void Judge(ExaminedFamily* family) {
  for (ExaminedSst& sst : family->ssts) {
    sst.verdict = JudgeSst(sst, family->options);
    sst.rate = RateOf(sst);
  }
}

std::map<int, Sums> SumsOfLevels(const ExaminedFamily& family) {
  std::map<int, double> examined;
  for (const ExaminedSst& sst : family.ssts) {
    examined[sst.level] += 1;
  }
  std::map<int, Sums> levels;
  for (const auto& [level, files] : family.files_in_level) {
    levels[level].files = files;
  }
  for (const ExaminedSst& sst : family.ssts) {
    Sums* const sums = &levels[sst.level];
    AddSst(sst, static_cast<double>(sums->files) / examined[sst.level], sums);
  }
  for (auto& [level, sums] : levels) {
    if (level > 0) {
      sums.false_positives = sums.Rate();
    }
  }
  return levels;
}

Sums SumsOfAll(const std::map<int, Sums>& levels) {
  Sums all;
  for (const auto& [level, sums] : levels) {
    all.files += sums.files;
    all.examined_files += sums.examined_files;
    all.asked_by_get += sums.asked_by_get;
    all.asked_by_seek += sums.asked_by_seek;
    all.keys += sums.keys;
    all.keys_times_rate += sums.keys_times_rate;
    all.filter_keys += sums.filter_keys;
    all.filter_bytes += sums.filter_bytes;
    all.false_positives += sums.false_positives;
  }
  return all;
}

}  // namespace cassandra_bloom::tools
