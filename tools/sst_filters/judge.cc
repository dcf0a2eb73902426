// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/judge.h"

#include <rocksdb/slice_transform.h>

#include <string>

#include "tools/sst_filters/costs.h"

namespace cassandra_bloom::tools {
namespace {

Verdict JudgeWithoutFilter(const ExaminedSst& sst,
                           const FamilyOptions& options) {
  if (options.policy.empty()) {
    return {Use::kNotUsed,
            "no filter, as the OPTIONS file has no filter_policy",
            std::string("set filter_policy, then ") + kCompactIt};
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
                  std::string(kCompactIt)};
    }
    if (!sst.was_sought) {
      return {Use::kOnPurpose,
              "no filter: neither its first nor its last key has a prefix", ""};
    }
  }
  if (!SampleFilter(*options.table.filter_policy, options, sst.level,
                    sst.is_bottommost, /*keys=*/100)) {
    return {Use::kOnPurpose, "no filter: the policy gives it none", ""};
  }
  return {Use::kNotUsed, "no filter", kCompactIt};
}

// Judges a file with a filter that RocksDB did not ask when it looked up absent
// keys.
Verdict JudgeUnasked(const ExaminedSst& sst, const FamilyOptions& options) {
  if (options.policy.empty()) {
    return {Use::kNotUsed,
            "the OPTIONS file has no filter_policy, so RocksDB does not look "
            "for its filter, of '" +
                sst.policy + "'",
            "set filter_policy again; the filter is then used as it is"};
  }
  if (options.options.optimize_filters_for_hits && sst.is_in_last_run) {
    return {Use::kOnPurpose,
            "optimize_filters_for_hits: RocksDB asks no filter of the last "
            "level",
            ""};
  }
  if (sst.answers.blocks == 0) {
    const bool is_of_policy =
        options.policy.substr(0, options.policy.find(':')) == sst.policy;
    return {Use::kNotUsed,
            "the policy does not read its filter, which was written " +
                (is_of_policy ? "with other options"
                              : "by the policy '" + sst.policy + "'") +
                ", or is damaged",
            std::string("set the policy back, or ") + kCompactIt};
  }
  const auto& extractor = options.options.prefix_extractor;
  const bool needs_prefix = !sst.holds_keys && extractor != nullptr;
  if (needs_prefix ? !sst.was_sought : !sst.was_looked_up) {
    return {Use::kNoKeys,
            std::string("not asked: no absent key ") +
                (needs_prefix ? "with a prefix " : "") + "is in its range",
            ""};
  }
  const std::string now = extractor == nullptr ? "none" : extractor->GetId();
  if (!sst.holds_keys && sst.prefix_extractor != now) {
    return {Use::kNotUsed,
            "its filter holds prefixes of the prefix_extractor " +
                sst.prefix_extractor + ", and now that is " + now,
            std::string("set the prefix_extractor back, or ") + kCompactIt};
  }
  if (sst.holds_keys && !options.table.whole_key_filtering) {
    return {Use::kNotUsed,
            "its filter holds whole keys, and whole_key_filtering is off",
            std::string("set whole_key_filtering=true, or ") + kCompactIt};
  }
  return {Use::kNotUsed, "RocksDB does not ask its filter", kCompactIt};
}

Verdict JudgeAsked(const ExaminedSst& sst) {
  if (sst.answers.Rate() > 0.999) {
    return {Use::kNotUsed,
            "every key passes its filter: it was damaged, or memory was short "
            "when it was written, or RocksDB's own policy reads one that "
            "cassandra_bloom wrote",
            kCompactIt};
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
  return sst.answers.by_get > 0 ? JudgeAsked(sst) : JudgeUnasked(sst, options);
}

}  // namespace

const char* NameOf(Use use) {
  constexpr const char* kNames[] = {"used", "not_used", "none_on_purpose",
                                    "no_keys", "not_asked"};
  return kNames[static_cast<size_t>(use)];
}

void Judge(ExaminedFamily* family) {
  for (ExaminedSst& sst : family->ssts) {
    sst.verdict = JudgeSst(sst, family->options);
    const Use use = sst.verdict.use;
    // kNoKeys: RocksDB reads no block for a key that is not in the range.
    sst.rate = use == Use::kUsed     ? sst.answers.Rate()
               : use == Use::kNoKeys ? 0
                                     : 1;
  }
}

}  // namespace cassandra_bloom::tools
