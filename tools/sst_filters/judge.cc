// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor/doctor_test.cc.
// Tested in tests/sst_filters/doctor/not_used_test.cc.

#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <string>

#include "plugin/policy/filter_bits_api.h"
#include "tools/sst_filters/costs.h"
#include "tools/sst_filters/examine.h"

namespace cassandra_bloom::tools {
namespace {

// Returns whether the file is the last one: no deeper level has a file and, in
// level 0, it is the oldest. RocksDB asks no filter there if
// optimize_filters_for_hits is on (Version::IsFilterSkipped in
// db/version_set.cc).
//
// With `in_its_range`, deeper files may have other keys. RocksDB calls such a
// file bottommost when it writes it
// (VersionStorageInfo::RangeMightExistAfterSortedRun).
bool IsLast(const ExaminedFamily& family, const ExaminedSst& sst,
            bool in_its_range) {
  const rocksdb::Comparator& comparator = *family.options.comparator;
  const auto& levels = family.files.levels;
  const auto counts = [&](const rocksdb::SstFileMetaData& deeper) {
    return sst.level == 0 || !in_its_range ||
           (comparator.Compare(deeper.smallestkey, sst.file.largestkey) <= 0 &&
            comparator.Compare(sst.file.smallestkey, deeper.largestkey) <= 0);
  };
  // RocksDB lists the oldest file of level 0 last.
  return std::none_of(levels.begin() + sst.level + 1, levels.end(),
                      [&](const rocksdb::LevelMetaData& level) {
                        return std::any_of(level.files.begin(),
                                           level.files.end(), counts);
                      }) &&
         (sst.level > 0 ||
          levels[0].files.back().file_number == sst.file.file_number);
}

// A fault that is repaired when the file is written anew. `before` is what else
// to do.
Verdict NeedsCompaction(const std::string& why,
                        const std::string& before = "") {
  return {Use::kNotUsed, why,
          before + "compact it (with FIFO compaction, wait until it ages out)",
          /*compact=*/true};
}

Verdict JudgeWithoutFilter(const ExaminedSst& sst,
                           const ExaminedFamily& family) {
  if (family.policy.empty()) {
    return NeedsCompaction(
        "no filter, as the OPTIONS file has no filter_policy",
        "set filter_policy, then ");
  }
  const bool is_bottommost = IsLast(family, sst, /*in_its_range=*/true);
  if (family.options.optimize_filters_for_hits && is_bottommost) {
    return {Use::kOnPurpose,
            "no filter: optimize_filters_for_hits, and no older file has its "
            "keys"};
  }
  if (!family.table.whole_key_filtering) {
    if (family.options.prefix_extractor == nullptr) {
      return NeedsCompaction(
          "no filter, as whole_key_filtering is off and there is no "
          "prefix_extractor",
          "set a prefix_extractor, or whole_key_filtering=true; then ");
    }
    // Keys between the first and the last may have prefixes. Only the policy
    // that the file names tells whether RocksDB looked for some.
    if (!sst.was_sought && sst.policy.empty()) {
      return NeedsCompaction(
          "no filter, and no policy when it was written: its keys may have "
          "prefixes");
    }
    if (!sst.was_sought) {
      return {Use::kOnPurpose,
              "no filter: neither its first nor its last key has a prefix"};
    }
  }
  if (BuilderFor(*family.table.filter_policy, family, sst.level,
                 is_bottommost) == nullptr) {
    return {Use::kOnPurpose, "no filter: the policy gives it none"};
  }
  return NeedsCompaction("no filter");
}

// Judges a file with a filter that RocksDB did not ask when it looked up absent
// keys.
Verdict JudgeUnasked(const ExaminedSst& sst, const ExaminedFamily& family) {
  if (family.policy.empty()) {
    return {Use::kNotUsed,
            "the OPTIONS file has no filter_policy, so RocksDB does not look "
            "for its filter, of '" +
                sst.policy + "'",
            "set filter_policy again; the filter is then used as it is"};
  }
  if (family.options.optimize_filters_for_hits &&
      IsLast(family, sst, /*in_its_range=*/false)) {
    return {Use::kOnPurpose,
            "optimize_filters_for_hits: RocksDB asks no filter of the last "
            "level"};
  }
  if (sst.answers.blocks == 0) {
    return NeedsCompaction(
        "the policy does not read its filter: it was written by the policy '" +
            sst.policy + "', perhaps with other options, or is damaged",
        "set the policy back, or ");
  }
  // RocksDB asks for whole keys if the file and the options have them, and
  // otherwise for prefixes, if both have the same extractor
  // (BlockBasedTable::FullFilterKeyMayMatch).
  const bool asks_for_keys = sst.holds_keys && family.table.whole_key_filtering;
  const auto& extractor = family.options.prefix_extractor;
  const std::string now = extractor == nullptr ? "none" : extractor->GetId();
  if (!asks_for_keys && sst.prefix_extractor != now) {
    if (sst.holds_keys) {
      return NeedsCompaction(
          "its filter holds whole keys, and whole_key_filtering is off",
          "set whole_key_filtering=true, or ");
    }
    return NeedsCompaction(
        "its filter holds prefixes of the prefix_extractor " +
            sst.prefix_extractor + ", and now that is " + now,
        "set the prefix_extractor back, or ");
  }
  if (asks_for_keys ? !sst.was_looked_up : !sst.was_sought) {
    return {Use::kNoKeys, std::string("not asked: no absent key ") +
                              (asks_for_keys ? "" : "with a prefix ") +
                              "is in its range"};
  }
  return NeedsCompaction("RocksDB does not ask its filter");
}

Verdict JudgeSst(const ExaminedSst& sst, const ExaminedFamily& family) {
  const bool is_asked = sst.filter_bytes > 0 && sst.answers.by_get > 0;
  // If its filter was asked, what failed was the look-up in another file.
  if (!sst.not_asked.empty() && !is_asked) {
    return {Use::kNotAsked, sst.not_asked};
  }
  if (sst.keys == 0) {
    return {Use::kNoKeys, "no keys, only deleted ranges"};
  }
  if (sst.filter_bytes == 0) {
    return JudgeWithoutFilter(sst, family);
  }
  if (!is_asked) {
    return JudgeUnasked(sst, family);
  }
  if (sst.answers.Rate() > 0.999) {
    return NeedsCompaction(
        "every key passes its filter: it was damaged, or memory was short "
        "when it was written, or RocksDB's own policy reads one that "
        "cassandra_bloom wrote");
  }
  if (family.has_no_bits) {
    return {Use::kUsed,
            "the OPTIONS file names '" + family.policy +
                "' without bits per key, as programs in C, Rust and Go do: "
                "such a program uses the filter, but a process that takes its "
                "policy from that file makes none"};
  }
  if (sst.was_sought && sst.answers.by_seek == 0) {
    return {Use::kUsed,
            "iterators do not ask its filter, which holds no prefixes of the "
            "prefix_extractor; Get does"};
  }
  return {};
}

}  // namespace

void Judge(ExaminedFamily* family) {
  for (ExaminedSst& sst : family->ssts) {
    sst.verdict = JudgeSst(sst, *family);
    const Use use = sst.verdict.use;
    // RocksDB reads no block of a file without keys, nor for a key that is not
    // in the range.
    const bool is_read = sst.keys > 0 && sst.was_looked_up;
    sst.rate = use == Use::kUsed || (use == Use::kNoKeys && is_read)
                   ? sst.answers.Rate()
               : use == Use::kNoKeys ? 0
                                     : 1;
  }
}

}  // namespace cassandra_bloom::tools
