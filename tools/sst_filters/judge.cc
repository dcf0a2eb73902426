// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/judge.h"

#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "filterdb/commands/output.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy_settings.h"
#include "tools/sst_filters/built_filter.h"

namespace cassandra_bloom::tools {
namespace {

// A fault that is repaired when the file is written anew. `before` is what else
// to do.
Verdict NeedsCompaction(const std::string& why,
                        const std::string& before = "") {
  return {Use::kNotUsed, why,
          before + "compact it (with FIFO compaction, wait until it ages out)",
          /*compact=*/true, /*rate=*/1};
}

Verdict OnPurpose(const std::string& why) {
  return {Use::kOnPurpose, why, "", false, /*rate=*/1};
}

Verdict NotAsked(const std::string& why) { return {Use::kNotAsked, why}; }

class Judging {
 public:
  explicit Judging(const ExaminedFamily& family) : family_(family) {}

  Verdict OfSst(const ExaminedSst& sst);
  Verdict OfCache(const std::optional<LoggedCache>& cache) const;

 private:
  Verdict WithoutFilter(const ExaminedSst& sst) const;
  Verdict Unread(const ExaminedSst& sst) const;
  Verdict OfUnasked(const ExaminedSst& sst) const;
  Verdict OfUsed(const ExaminedSst& sst);
  bool HasBitsOfFlush(const ExaminedSst& sst);
  std::string ExtractorNow() const;
  double BitsOf(const FilePlace& place);

  const ExaminedFamily& family_;
  std::map<FilePlace, double> bits_;  // What the policy gives.
};

std::string Judging::ExtractorNow() const {
  const auto& extractor = family_.options.prefix_extractor;
  return extractor == nullptr ? "none" : extractor->GetId();
}

Verdict Judging::WithoutFilter(const ExaminedSst& sst) const {
  if (family_.policy.empty()) {
    return NeedsCompaction(
        "no filter, as the OPTIONS file has no filter_policy",
        "set filter_policy, then ");
  }
  const FilePlace place = FilePlaceOf(family_, sst);
  if (family_.options.optimize_filters_for_hits && place.is_bottommost) {
    return OnPurpose(
        "no filter: optimize_filters_for_hits, and no older file has its "
        "keys");
  }
  if (!family_.table.whole_key_filtering) {
    if (family_.options.prefix_extractor == nullptr) {
      return NeedsCompaction(
          "no filter, as whole_key_filtering is off and there is no "
          "prefix_extractor",
          "set a prefix_extractor, or whole_key_filtering=true; then ");
    }
    // Keys between the first and the last may have prefixes. Only what the file
    // names tells whether RocksDB looked for them when it was written.
    if (!sst.was_sought && sst.policy.empty()) {
      return NeedsCompaction(
          "no filter, and no policy when it was written: its keys may have "
          "prefixes");
    }
    if (!sst.was_sought && sst.prefix_extractor != ExtractorNow()) {
      return NeedsCompaction(
          "no filter: when it was written, the prefix_extractor was " +
          sst.prefix_extractor + ", and of " + ExtractorNow() +
          " its keys may have prefixes");
    }
    if (!sst.was_sought) {
      return OnPurpose(
          "no filter: neither its first nor its last key has a prefix");
    }
  }
  if (family_.has_no_bits) {
    return NeedsCompaction(
        "no filter, and the OPTIONS file names '" + family_.policy +
            "' without bits per key: a process that takes its policy from "
            "that file makes none",
        "set filter_policy with its bits, such as bloomfilter:10, then ");
  }
  if (BuilderFor(*family_.table.filter_policy, family_, place) == nullptr) {
    return OnPurpose("no filter: the policy gives it none");
  }
  return NeedsCompaction("no filter");
}

// Judges a file with a filter that the policy does not read.
Verdict Judging::Unread(const ExaminedSst& sst) const {
  const PolicySettings settings = SettingsOf(family_.policy);
  const bool is_rocksdbs = sst.policy == "bloomfilter" ||
                           sst.policy == "ribbonfilter" ||
                           sst.policy == kRocksdbsFilterName;
  std::string before = "set the policy back, or ";
  if (is_rocksdbs && family_.policy.rfind(kPolicyName, 0) == 0 &&
      settings.error.empty() && settings.block_form == BlockForm::kFilterDb &&
      settings.partition_key.is_whole()) {
    before = "set filter_policy=" + family_.policy +
             ":blocks:rocksdb, which reads it as it is; or " + before;
  }
  return NeedsCompaction(
      "the policy does not read its filter: it was written by the policy '" +
          sst.policy + "', perhaps with other options, or is damaged",
      before);
}

// Judges a file with a filter that RocksDB did not ask when it looked up absent
// keys.
Verdict Judging::OfUnasked(const ExaminedSst& sst) const {
  if (family_.options.optimize_filters_for_hits && IsLast(family_, sst)) {
    return OnPurpose(
        "optimize_filters_for_hits: RocksDB asks no filter of the last "
        "level");
  }
  if (sst.answers.blocks == 0) {
    return Unread(sst);
  }
  // RocksDB asks for whole keys if the file and the options have them, and
  // otherwise for prefixes, if both have the same extractor
  // (BlockBasedTable::FullFilterKeyMayMatch).
  const bool asks_for_keys =
      sst.holds_keys && family_.table.whole_key_filtering;
  if (!asks_for_keys && sst.prefix_extractor != ExtractorNow()) {
    if (sst.holds_keys) {
      return NeedsCompaction(
          "its filter holds whole keys, and whole_key_filtering is off",
          "set whole_key_filtering=true, or ");
    }
    return NeedsCompaction(
        "its filter holds prefixes of the prefix_extractor " +
            sst.prefix_extractor + ", and now that is " + ExtractorNow(),
        "set the prefix_extractor back, or ");
  }
  if (asks_for_keys ? !sst.was_looked_up : !sst.was_sought) {
    Verdict verdict{Use::kNoKeys, std::string("not asked: no absent key ") +
                                      (asks_for_keys ? "" : "with a prefix ") +
                                      "is in its range"};
    // RocksDB reads no block for a key that is not in the range.
    verdict.rate = sst.was_looked_up ? sst.answers.Rate() : 0;
    return verdict;
  }
  return NeedsCompaction("RocksDB does not ask its filter");
}

double Judging::BitsOf(const FilePlace& place) {
  constexpr double kKeys = 20'000;
  const auto [known, is_new] = bits_.try_emplace(place);
  if (is_new) {
    known->second =
        BuildFilter(*family_.table.filter_policy, family_, place, kKeys, kKeys)
            .bits_per_key;
  }
  return known->second;
}

// RocksDB moves a file to a deeper level without writing it anew if no file
// there has keys of its range.
bool Judging::HasBitsOfFlush(const ExaminedSst& sst) {
  // A small filter has more bits per key.
  constexpr uint64_t kFewKeys = 1000;
  constexpr double kTenth = 1.1;
  if (sst.level == 0 || sst.filter_keys < kFewKeys ||
      sst.policy != family_.table.filter_policy->Name()) {
    return false;
  }
  const double of_flush = BitsOf({/*level=*/0, /*is_bottommost=*/false});
  const double of_place = BitsOf(FilePlaceOf(family_, sst));
  const double bits = 8 * static_cast<double>(sst.filter_bytes) /
                      static_cast<double>(sst.filter_keys);
  return of_flush > kTenth * of_place &&
         std::abs(bits - of_flush) < std::abs(bits - of_place);
}

// Judges a file whose filter RocksDB asks.
Verdict Judging::OfUsed(const ExaminedSst& sst) {
  Verdict verdict;
  verdict.rate = sst.answers.Rate();
  if (family_.has_no_bits) {
    verdict.why =
        "the OPTIONS file names '" + family_.policy +
        "' without bits per key, as programs in C, Rust and Go do: such a "
        "program uses the filter, but a process that takes its policy from "
        "that file makes none";
  } else if (sst.was_sought && sst.answers.by_seek == 0) {
    verdict.why =
        "iterators do not ask its filter, which holds no prefixes of the "
        "prefix_extractor; Get does";
  } else if (HasBitsOfFlush(sst)) {
    verdict.why =
        "its filter has the size of a flushed file's, as RocksDB moved it to "
        "its level without writing it anew: a compaction makes it smaller";
    verdict.compact = true;
  }
  return verdict;
}

Verdict Judging::OfSst(const ExaminedSst& sst) {
  if (!sst.not_read.empty()) {
    return NotAsked(sst.not_read);
  }
  if (sst.keys == 0) {
    Verdict verdict{Use::kNoKeys, "no keys, only deleted ranges"};
    verdict.rate = 0;
    return verdict;
  }
  // Faults that show without a look-up.
  if (family_.is_policy_known && family_.policy.empty() &&
      sst.filter_bytes > 0) {
    return {Use::kNotUsed,
            "the OPTIONS file has no filter_policy, so RocksDB does not look "
            "for its filter, of '" +
                sst.policy + "'",
            "set filter_policy again; the filter is then used as it is",
            /*compact=*/false, /*rate=*/1};
  }
  // If its filter was asked, what failed was the look-up in another file.
  const bool is_asked = sst.filter_bytes > 0 && sst.answers.by_get > 0;
  const bool is_measured = sst.answers.blocks > 0;
  if (!sst.not_looked_up.empty() && !is_asked && !is_measured) {
    const bool is_unread = family_.is_policy_known && sst.filter_bytes > 0;
    return is_unread ? Unread(sst) : NotAsked(sst.not_looked_up);
  }
  if ((is_asked || !sst.not_looked_up.empty()) && sst.answers.Rate() > 0.999) {
    return NeedsCompaction(
        "every key passes its filter: it was damaged, or memory was short "
        "when it was written, or RocksDB's own policy reads one that "
        "cassandra_bloom wrote");
  }
  if (!sst.not_looked_up.empty() && !is_asked) {
    return NotAsked(sst.not_looked_up);
  }
  return sst.filter_bytes == 0 ? WithoutFilter(sst)
         : is_asked            ? OfUsed(sst)
                               : OfUnasked(sst);
}

Verdict Judging::OfCache(const std::optional<LoggedCache>& cache) const {
  // RocksDB makes no smaller shards by itself (GetDefaultCacheShardBits).
  constexpr uint64_t kSmallestShard = 512 << 10;
  uint64_t largest = 0;
  for (const ExaminedSst& sst : family_.ssts) {
    largest = std::max(largest, sst.answers.largest_block);
  }
  if (!HasFiltersInCache(family_) ||
      (cache ? cache->HasRoomFor(largest) : largest <= kSmallestShard)) {
    return {};
  }
  const std::string size = AsSize(largest);
  if (!cache) {
    return {Use::kMayBeDropped,
            "filters are in the block cache, and the largest has " + size +
                ": a cache with strict_capacity_limit and smaller shards drops "
                "it. LOG does not say how large the cache is"};
  }
  return {Use::kMayBeDropped,
          "filters are in the block cache, and the largest has " + size +
              ": the cache of " + AsSize(cache->capacity) + " in " +
              Count(1ULL << cache->num_shard_bits, "shard") +
              " has strict_capacity_limit, and drops it"};
}

}  // namespace

JudgedFamily Judge(const ExaminedFamily& family,
                   const std::optional<LoggedCache>& cache) {
  JudgedFamily judged{family, {}, {}};
  Judging judging(family);
  for (const ExaminedSst& sst : family.ssts) {
    judged.verdicts.push_back(judging.OfSst(sst));
  }
  if (!family.is_block_based && family.files.file_count > 0) {
    judged.others.push_back(NotAsked(family.not_asked));
  }
  judged.others.push_back(judging.OfCache(cache));
  return judged;
}

}  // namespace cassandra_bloom::tools
