// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor/not_used_test.cc.
// Tested in tests/sst_filters/doctor/block_cache_test.cc.

#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <cmath>

#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy_settings.h"
#include "tools/sst_filters/doctor.h"

namespace cassandra_bloom::tools {
namespace {

using Files = std::vector<rocksdb::SstFileMetaData>;

// `files` are those of a level below level 0, in the order of their keys.
bool HasKeysInRange(const rocksdb::Comparator& comparator, const Files& files,
                    const ExaminedSst& sst) {
  const auto first = std::partition_point(
      files.begin(), files.end(), [&](const rocksdb::SstFileMetaData& file) {
        return comparator.Compare(file.largestkey, sst.file.smallestkey) < 0;
      });
  return first != files.end() &&
         comparator.Compare(first->smallestkey, sst.file.largestkey) <= 0;
}

// Returns whether the file is the last one: no deeper level has a file and, in
// level 0, it is the oldest. RocksDB asks no filter there if
// optimize_filters_for_hits is on (Version::IsFilterSkipped in
// db/version_set.cc).
bool IsLast(const ExaminedFamily& family, const ExaminedSst& sst) {
  const auto& levels = family.files.levels;
  return std::all_of(levels.begin() + sst.level + 1, levels.end(),
                     [](const rocksdb::LevelMetaData& level) {
                       return level.files.empty();
                     }) &&
         // RocksDB lists the oldest file of level 0 last.
         (sst.level > 0 ||
          levels[0].files.back().file_number == sst.file.file_number);
}

// As RocksDB does when it writes a file
// (VersionStorageInfo::RangeMightExistAfterSortedRun).
bool IsBottommost(const ExaminedFamily& family, const ExaminedSst& sst) {
  const auto& levels = family.files.levels;
  return sst.level == 0
             ? IsLast(family, sst)
             : std::none_of(levels.begin() + sst.level + 1, levels.end(),
                            [&](const rocksdb::LevelMetaData& level) {
                              return HasKeysInRange(*family.options.comparator,
                                                    level.files, sst);
                            });
}

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

std::string ExtractorNow(const ExaminedFamily& family) {
  const auto& extractor = family.options.prefix_extractor;
  return extractor == nullptr ? "none" : extractor->GetId();
}

// Returns which file names a filter policy for the column family, or "" if none
// does. RocksDB keeps two OPTIONS files, and up to a thousand LOG files.
std::string WhoNamesPolicy(const ExaminedFamily& family,
                           const RocksdbLog& log) {
  for (const ExaminedSst& sst : family.ssts) {
    if (!sst.policy.empty()) {
      return sst.file.relative_filename + " names '" + sst.policy + "'";
    }
  }
  if (!family.former_policy.empty()) {
    return family.former_policy;
  }
  const auto logged = log.policies.find(family.files.name);
  return logged == log.policies.end() ? "" : logged->second;
}

// Judges a file without a filter, where the OPTIONS file names no policy.
Verdict JudgeWithoutPolicy(const std::string& who_names) {
  // A program may want no filters, as for a column family that it hardly uses.
  if (who_names.empty()) {
    return OnPurpose(
        "no filter, as no OPTIONS, SST or LOG file that is there names a "
        "filter_policy: a look-up of an absent key reads a block of each file "
        "of level 0, and of one of each deeper level");
  }
  // A process may have dropped the policy that it did not know.
  return NeedsCompaction(
      "no filter, as the OPTIONS file has no filter_policy, but " + who_names,
      "set filter_policy, then ");
}

Verdict JudgeWithoutFilter(const ExaminedSst& sst,
                           const ExaminedFamily& family) {
  if (family.options.optimize_filters_for_hits && sst.is_bottommost) {
    return OnPurpose(
        "no filter: optimize_filters_for_hits, and no older file has its "
        "keys");
  }
  if (!family.table.whole_key_filtering) {
    if (family.options.prefix_extractor == nullptr) {
      return NeedsCompaction(
          "no filter, as whole_key_filtering is off and there is no "
          "prefix_extractor",
          "set a prefix_extractor, or whole_key_filtering=true; then ");
    }
    // Keys between the first and the last may have prefixes. Only what the file
    // names tells whether RocksDB looked for them when it was written.
    if (!sst.was_sought &&
        (sst.policy.empty() || sst.prefix_extractor != ExtractorNow(family))) {
      return NeedsCompaction(
          "no filter: it was written with " +
          (sst.policy.empty()
               ? "no policy"
               : "the prefix_extractor " + sst.prefix_extractor) +
          ", and of " + ExtractorNow(family) + " its keys may have prefixes");
    }
    if (!sst.was_sought) {
      return OnPurpose(
          "no filter: neither its first nor its last key has a prefix");
    }
  }
  if (family.has_no_bits) {
    return NeedsCompaction(
        "no filter, and the OPTIONS file names '" + family.policy +
            "' without bits per key: a process that takes its policy from "
            "that file makes none",
        "set filter_policy with its bits, such as bloomfilter:10, then ");
  }
  if (BuilderFor(*family.table.filter_policy, family, sst.level,
                 sst.is_bottommost) == nullptr) {
    return OnPurpose("no filter: the policy gives it none");
  }
  return NeedsCompaction("no filter");
}

// Judges a file with a filter that the policy does not read.
Verdict JudgeUnread(const ExaminedSst& sst, const ExaminedFamily& family) {
  const PolicySettings settings = SettingsOf(family.policy);
  const bool is_rocksdbs = sst.policy == "bloomfilter" ||
                           sst.policy == "ribbonfilter" ||
                           sst.policy == kRocksdbsFilterName;
  std::string before = "set the policy back, or ";
  if (is_rocksdbs && family.policy.rfind(kPolicyName, 0) == 0 &&
      settings.error.empty() && settings.block_form == BlockForm::kFilterDb &&
      settings.partition_key.is_whole()) {
    before = "set filter_policy=" + family.policy +
             ":blocks:rocksdb, which reads it as it is; or " + before;
  }
  return NeedsCompaction(
      "the policy does not read its filter: it was written by the policy '" +
          sst.policy + "', perhaps with other options, or is damaged",
      before);
}

// Judges a file with a filter that RocksDB did not ask when it looked up absent
// keys.
Verdict JudgeUnasked(const ExaminedSst& sst, const ExaminedFamily& family) {
  if (family.options.optimize_filters_for_hits && IsLast(family, sst)) {
    return OnPurpose(
        "optimize_filters_for_hits: RocksDB asks no filter of the last "
        "level");
  }
  if (sst.answers.blocks == 0) {
    return JudgeUnread(sst, family);
  }
  // RocksDB asks for whole keys if the file and the options have them, and
  // otherwise for prefixes, if both have the same extractor
  // (BlockBasedTable::FullFilterKeyMayMatch).
  const bool asks_for_keys = sst.holds_keys && family.table.whole_key_filtering;
  if (!asks_for_keys && sst.prefix_extractor != ExtractorNow(family)) {
    if (sst.holds_keys) {
      return NeedsCompaction(
          "its filter holds whole keys, and whole_key_filtering is off",
          "set whole_key_filtering=true, or ");
    }
    return NeedsCompaction(
        "its filter holds prefixes of the prefix_extractor " +
            sst.prefix_extractor + ", and now that is " + ExtractorNow(family),
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

// Returns how many bits per key the policy gives a file, or 0 if none.
double BitsOf(const ExaminedFamily& family, int level, bool is_bottommost) {
  constexpr size_t kBytes = 64 << 10;
  const auto builder =
      BuilderFor(*family.table.filter_policy, family, level, is_bottommost);
  return builder == nullptr
             ? 0
             : 8. * kBytes /
                   static_cast<double>(builder->ApproximateNumEntries(kBytes));
}

// RocksDB moves a file to a deeper level without writing it anew if no file
// there has keys of its range.
bool HasBitsOfFlush(const ExaminedSst& sst, const ExaminedFamily& family) {
  // A small filter has more bits per key.
  constexpr uint64_t kFewKeys = 1000;
  constexpr double kTenth = 1.1;
  if (sst.level == 0 || sst.filter_keys < kFewKeys ||
      sst.policy != family.table.filter_policy->Name()) {
    return false;
  }
  const double of_flush = BitsOf(family, /*level=*/0, /*is_bottommost=*/false);
  const double of_place = BitsOf(family, sst.level, sst.is_bottommost);
  const double bits = 8 * static_cast<double>(sst.filter_bytes) /
                      static_cast<double>(sst.filter_keys);
  return of_flush > kTenth * of_place &&
         std::abs(bits - of_flush) < std::abs(bits - of_place);
}

// Judges a file whose filter RocksDB asks.
Verdict JudgeUsed(const ExaminedSst& sst, const ExaminedFamily& family) {
  Verdict verdict;
  verdict.rate = sst.answers.Rate();
  if (family.has_no_bits) {
    verdict.why =
        "the OPTIONS file names '" + family.policy +
        "' without bits per key, as programs in C, Rust and Go do: such a "
        "program uses the filter, but a process that takes its policy from "
        "that file makes none";
  } else if (sst.was_sought && sst.answers.by_seek == 0) {
    verdict.why =
        "iterators do not ask its filter, which holds no prefixes of the "
        "prefix_extractor; Get does";
  } else if (HasBitsOfFlush(sst, family)) {
    verdict.why =
        "its filter has the size of a flushed file's, as RocksDB moved it to "
        "its level without writing it anew: a compaction makes it smaller";
    verdict.compact = true;
  }
  return verdict;
}

Verdict JudgeSst(const ExaminedSst& sst, const ExaminedFamily& family,
                 const std::string& who_names) {
  if (!sst.not_read.empty()) {
    return NotAsked(sst.not_read);
  }
  if (sst.keys == 0) {
    Verdict verdict{Use::kNoKeys, "no keys, only deleted ranges"};
    verdict.rate = 0;
    return verdict;
  }
  // Faults that show without a look-up.
  if (family.is_policy_known && family.policy.empty()) {
    if (sst.filter_bytes == 0) {
      return JudgeWithoutPolicy(who_names);
    }
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
    const bool is_unread = family.is_policy_known && sst.filter_bytes > 0;
    return is_unread ? JudgeUnread(sst, family) : NotAsked(sst.not_looked_up);
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
  return sst.filter_bytes > 0
             ? (is_asked ? JudgeUsed : JudgeUnasked)(sst, family)
             : JudgeWithoutFilter(sst, family);
}

Verdict JudgeCache(const ExaminedFamily& family) {
  const auto& cache = family.cache;
  // RocksDB makes no smaller shards by itself (GetDefaultCacheShardBits).
  constexpr uint64_t kSmallestShard = 512 << 10;
  uint64_t largest = 0;
  for (const ExaminedSst& sst : family.ssts) {
    largest = std::max(largest, sst.answers.largest_block);
  }
  if (!HasFiltersInCache(family) ||
      (cache ? cache->HasRoomFor(largest) : largest <= kSmallestShard)) {
    return {};
  }
  const std::string where =
      "filters are in the block cache, and the largest has " + AsSize(largest);
  return {Use::kMayBeDropped,
          cache ? where + ": the cache of " + AsSize(cache->capacity) + " in " +
                      Count(1ULL << cache->num_shard_bits, "shard") +
                      " has strict_capacity_limit, and drops it"
                : where +
                      ": a cache with strict_capacity_limit and smaller "
                      "shards drops it. LOG does not say how large the "
                      "cache is"};
}

}  // namespace

bool HasFiltersInCache(const Family& family) {
  return !family.table.no_block_cache &&
         (family.table.cache_index_and_filter_blocks ||
          family.table.partition_filters);
}

std::unique_ptr<rocksdb::FilterBitsBuilder> BuilderFor(
    const rocksdb::FilterPolicy& policy, const Family& family, int level,
    bool is_bottommost) {
  rocksdb::FilterBuildingContext context(family.table);
  context.compaction_style = family.options.compaction_style;
  context.num_levels = family.options.num_levels;
  context.level_at_creation = level;
  // RocksDB flushes no bottommost files.
  context.is_bottommost = is_bottommost && level > 0;
  context.reason = level == 0 ? rocksdb::TableFileCreationReason::kFlush
                              : rocksdb::TableFileCreationReason::kCompaction;
  return std::unique_ptr<rocksdb::FilterBitsBuilder>(
      policy.GetBuilderWithContext(context));
}

bool NeedsAllLogs(const ExaminedFamily& family) {
  return family.is_policy_known && family.policy.empty() &&
         WhoNamesPolicy(family, {}).empty() &&
         std::any_of(family.ssts.begin(), family.ssts.end(),
                     [](const ExaminedSst& sst) { return sst.keys > 0; });
}

void Judge(const RocksdbLog& log, ExaminedFamily* family) {
  if (const auto logged = log.caches.find(family->files.name);
      logged != log.caches.end()) {
    family->cache = logged->second;
  }
  const std::string who_names = WhoNamesPolicy(*family, log);
  for (ExaminedSst& sst : family->ssts) {
    sst.is_bottommost = IsBottommost(*family, sst);
    sst.verdict = JudgeSst(sst, *family, who_names);
  }
  if (!family->is_block_based && family->files.file_count > 0) {
    family->others.push_back(NotAsked(family->not_asked));
  }
  family->others.push_back(JudgeCache(*family));
}

}  // namespace cassandra_bloom::tools
