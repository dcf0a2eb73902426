// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/judge.h"

#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "filterdb/commands/output.h"
#include "tools/sst_filters/doctor/sample_filter.h"

namespace cassandra_bloom::tools {
namespace {

// How to get the filter written anew.
std::string ToCompact(const FamilyOptions& options) {
  return options.options.compaction_style ==
                 ROCKSDB_NAMESPACE::kCompactionStyleFIFO
             ? "wait until the file ages out, because FIFO compaction writes "
               "no file anew"
             : kCompactIt + std::string(", which writes its filter anew");
}

struct Verdict {
  Use use;
  std::string why;
  std::string remedy;
};

std::string NameOfExtractor(const FamilyOptions& options) {
  return options.has_extractor() ? options.options.prefix_extractor->GetId()
                                 : "none";
}

// Returns whether the file was written with today's options, which hold
// prefixes alone, and no key has one. RocksDB then writes no filter.
bool HasNoPrefixes(const ExaminedSst& sst, const FamilyOptions& options) {
  return !options.table.whole_key_filtering && !sst.holds_keys &&
         sst.is_without_prefixes &&
         sst.policy == options.table.filter_policy->Name() &&
         sst.prefix_extractor == NameOfExtractor(options);
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
  if (!options.table.whole_key_filtering && !options.has_extractor()) {
    return {Use::kNotUsed,
            "no filter, as whole_key_filtering is off and there is no "
            "prefix_extractor",
            "set a prefix_extractor, or whole_key_filtering=true; then " +
                ToCompact(options)};
  }
  if (HasNoPrefixes(sst, options)) {
    return {Use::kOnPurpose, "no filter: no key has a prefix", ""};
  }
  if (options.is_read_only) {
    return {Use::kNotAsked,
            "no filter, and whether that is on purpose is not known: the "
            "OPTIONS file, of RocksDB before 7.0, does not have the settings "
            "of the filter_policy",
            ""};
  }
  if (options.refused.empty() &&
      SampleFilter(*options.table.filter_policy, options,
                   {sst.level, sst.is_bottommost && sst.level > 0},
                   /*keys=*/100)
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
  if (!sst.damage.empty()) {
    return {Use::kNotUsed, "a damaged filter: " + sst.damage,
            "see whether the disk fails; restore the file from a backup, or " +
                ToCompact(options)};
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
                written_by + " and other options",
            "set the policy back, or " + ToCompact(options)};
  }
  const std::string prefixes =
      "its filter holds prefixes of the prefix_extractor " +
      sst.prefix_extractor;
  if (!sst.holds_keys && !options.unknown_extractor.empty()) {
    return {Use::kNotAsked,
            prefixes + ", and '" + options.unknown_extractor +
                "' is not known here",
            ""};
  }
  if (!sst.was_looked_up) {
    return {Use::kNoKeys, "not asked: no absent key is in its range", ""};
  }
  if (!sst.holds_keys && !sst.was_sought && options.has_extractor()) {
    return {Use::kNoKeys,
            "not asked: no absent key with a prefix is in its range", ""};
  }
  if (!sst.holds_keys && sst.prefix_extractor != NameOfExtractor(options)) {
    return {Use::kNotUsed,
            prefixes + ", and now that is " + NameOfExtractor(options),
            ToCompact(options)};
  }
  if (!options.table.whole_key_filtering) {
    return {Use::kNotUsed,
            "its filter holds whole keys, and whole_key_filtering is off",
            "set whole_key_filtering=true, or " + ToCompact(options)};
  }
  return {Use::kNotUsed, "RocksDB does not ask its filter", ToCompact(options)};
}

// Judges how well a filter answers that RocksDB asks.
Verdict JudgeAnswers(const ExaminedSst& sst, const FamilyOptions& options) {
  const double rate = sst.answers.Rate();
  if (rate > 0.999) {
    return {Use::kNotUsed,
            "every key passes its filter: it was damaged, or memory was short "
            "when it was written, or RocksDB's own policy reads one that "
            "cassandra_bloom wrote",
            ToCompact(options)};
  }
  // The rate of an ideal Bloom filter of this size.
  const double ideal = std::pow(
      0.6185, 8 * sst.BytesOfBlocks() / static_cast<double>(sst.filter_keys));
  if (rate > 0.05 && rate > 3 * ideal) {
    return {Use::kNotUsed,
            Percent(rate) + " of absent keys pass its filter, and " +
                Percent(ideal) +
                " would pass one of its size: it holds more "
                "keys than it was made for",
            ToCompact(options)};
  }
  return {Use::kUsed, "", ""};
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
  return sst.answers.by_get > 0 ? JudgeAnswers(sst, options)
                                : JudgeUnasked(sst, options);
}

void AddTo(LevelSums* sums, const JudgedSst& judged) {
  const ExaminedSst& sst = judged.sst;
  sums->examined_files += 1;
  sums->keys += static_cast<double>(sst.keys);
  sums->filter_bytes += static_cast<double>(sst.filter_bytes);
  sums->bytes_of_blocks += sst.BytesOfBlocks();
  if (sst.filter_bytes > 0) {
    sums->filter_keys += static_cast<double>(sst.filter_keys);
  }
  sums->asked_by_get += sst.answers.by_get > 0 ? 1 : 0;
  sums->asked_by_seek += sst.answers.by_seek > 0 ? 1 : 0;
}

// Sums up the files of one level.
LevelSums SumsOf(const std::vector<JudgedSst>& ssts, int level,
                 uint64_t files) {
  LevelSums sums;
  sums.files = files;
  double weighted = 0;
  double of_files = 0;
  for (const JudgedSst& judged : ssts) {
    if (judged.sst.level == level) {
      AddTo(&sums, judged);
      weighted += judged.Rate() * static_cast<double>(judged.sst.keys);
      of_files += judged.Rate();
    }
  }
  const double scale = sums.examined_files > 0
                           ? static_cast<double>(files) / sums.examined_files
                           : 0;
  const double mean = of_files / std::max(1.0, sums.examined_files);
  sums.rate = sums.keys > 0 ? weighted / sums.keys : mean;
  sums.false_positives = level == 0 ? of_files * scale : sums.rate;
  for (double* const sum : {&sums.keys, &sums.filter_bytes,
                            &sums.bytes_of_blocks, &sums.filter_keys}) {
    *sum *= scale;
  }
  return sums;
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

double JudgedSst::Rate() const {
  switch (use) {
    case Use::kUsed:
      return sst.answers.Rate();
    case Use::kNoKeys:
      // RocksDB reads no block where there are only deleted ranges.
      return sst.keys == 0 ? 0 : sst.answers.Rate();
    case Use::kNotUsed:
    case Use::kOnPurpose:
    case Use::kNotAsked:
      break;
  }
  return 1;
}

bool JudgedFamily::asks_only_prefixes() const {
  bool is_any_used = false;
  for (const JudgedSst& judged : ssts) {
    if (judged.use == Use::kUsed) {
      if (judged.sst.holds_keys && family.options.table.whole_key_filtering) {
        return false;
      }
      is_any_used = true;
    }
  }
  return is_any_used && family.options.has_extractor();
}

std::optional<int> JudgedFamily::OutputLevelFor(int level) const {
  const auto& options = family.options.options;
  if (options.num_levels == 1 ||
      options.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleFIFO) {
    return std::nullopt;
  }
  if (level > 0) {
    return level;
  }
  const bool is_static =
      options.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel &&
      !options.level_compaction_dynamic_level_bytes;
  if (is_static) {
    return 1;
  }
  const auto first = family.files_in_level.upper_bound(0);
  return first == family.files_in_level.end() ? options.num_levels - 1
                                              : first->first;
}

JudgedFamily Judge(ExaminedFamily family) {
  JudgedFamily judged;
  for (ExaminedSst& sst : family.ssts) {
    const Verdict verdict = JudgeSst(sst, family.options);
    judged.ssts.push_back(
        {std::move(sst), verdict.use, verdict.why, verdict.remedy});
  }
  double weighted = 0;
  for (const auto& [level, files] : family.files_in_level) {
    const LevelSums sums = SumsOf(judged.ssts, level, files);
    LevelSums* const all = &judged.all;
    all->files += sums.files;
    all->examined_files += sums.examined_files;
    all->keys += sums.keys;
    all->filter_bytes += sums.filter_bytes;
    all->bytes_of_blocks += sums.bytes_of_blocks;
    all->filter_keys += sums.filter_keys;
    all->asked_by_get += sums.asked_by_get;
    all->asked_by_seek += sums.asked_by_seek;
    all->false_positives += sums.false_positives;
    weighted += sums.rate * sums.keys;
    judged.levels[level] = sums;
  }
  judged.all.rate = judged.all.keys > 0 ? weighted / judged.all.keys : 1;
  family.ssts.clear();
  judged.family = std::move(family);
  return judged;
}

}  // namespace cassandra_bloom::tools
