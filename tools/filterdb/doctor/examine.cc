// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/doctor/examine.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "plugin/export/sst_file.h"
#include "plugin/filter/block_layout.h"
#include "plugin/policy/filter_name.h"
#include "plugin/policy/policy_string.h"
#include "plugin/policy/running_rocksdb.h"
#include "tools/filterdb/output.h"
#include "tools/sstable/health/saturation.h"

namespace cassandra_bloom::tools {
namespace {

// The name of a policy's filters in SST files. `policy_id`: the policy as it is
// written in the OPTIONS file. Returns "" if the policy is not ours, or if its
// settings are refused.
std::string FilterNameOf(const std::string& policy_id) {
  if (policy_id.rfind(kPolicyName, 0) != 0) {
    return "";
  }
  const auto settings = PolicyString(policy_id).Settings();
  return settings.error.empty() ? FilterNameFor(settings.partition_key) : "";
}

// Sums over our filter blocks in an SST file, which RocksDB reads one by one.
struct Blocks {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t bits = 0;
  uint64_t damaged = 0;
  uint64_t saturated = 0;
  double sum_of_rates = 0;

  // True if the blocks are one full filter. For a partitioned filter,
  // `filter_size` includes the index of its partitions.
  bool AreFullFilter(uint64_t filter_size) const {
    return count == 1 && bytes == filter_size;
  }

  // The average rate of the blocks. RocksDB cuts partitions of the same size,
  // so reads are equally likely to ask each of them.
  double Rate() const {
    return count == 0 ? 1 : sum_of_rates / static_cast<double>(count);
  }

  void Add(const ROCKSDB_NAMESPACE::Slice& block) {
    ++count;
    bytes += block.size();
    FilterDb filter;
    if (!ParseFilterDb(block.data(), block.size(), &filter)) {
      ++damaged;
      sum_of_rates += 1;
      return;
    }
    const uint64_t capacity = filter.capacity_bits();
    const uint64_t set_bits = CountSetBits(filter);
    bits += capacity;
    saturated += IsSaturated(filter.num_probes, set_bits, capacity) ? 1 : 0;
    sum_of_rates +=
        ObservedFalsePositiveRate(filter.num_probes, set_bits, capacity);
  }
};

constexpr char kRewrite[] =
    "compact it (CompactRange with bottommost_level_compaction=kForce), "
    "which writes its filter anew";

void SetFault(FilterState state, const std::string& fault,
              const std::string& before_remedy, Sst* sst) {
  sst->state = state;
  sst->fault = fault;
  sst->remedy = before_remedy + kRewrite;
}

// Sets the fault of a file that has no filter of ours.
void NotOurs(bool on, Sst* sst) {
  const std::string remedy = on ? "written before the policy was switched on: "
                                : "switch the policy on, then ";
  if (sst->kind == "none") {
    SetFault(FilterState::kUnfiltered, "no filter", remedy, sst);
  } else {
    SetFault(FilterState::kOtherPolicy,
             "a filter of the policy '" + sst->policy + "'", remedy, sst);
  }
}

// Sets the fault of a file whose filter RocksDB cannot read. `damage` is
// RocksDB's message. RocksDB then reads without the filter if this is a full
// one, or if the index of a partitioned one is damaged. If a partition is
// damaged, reads of its keys fail.
void CannotBeRead(const std::string& damage, Sst* sst) {
  const bool is_checksum = damage.find("checksum") != std::string::npos;
  SetFault(
      FilterState::kDamaged,
      std::string("a damaged filter, ") +
          (is_checksum ? "whose checksum is wrong" : "which cannot be read") +
          ": RocksDB reads without it, or reads fail for keys that need its "
          "damaged part",
      "see whether the disk fails; restore the file from a backup, or ", sst);
  sst->remedy +=
      "; if the compaction fails because of the damage, compact it without a "
      "filter_policy first";
  sst->reason = damage;
}

// Finds and sets the fault of a file, if it has one. `expected`: the name of
// the filters that RocksDB asks; empty if it asks no filters of ours.
void FindFault(const std::string& damage, const Blocks& blocks,
               const std::string& expected, Sst* sst) {
  const bool ours = PartitionKeyOfFilterName(sst->policy).has_value();
  if (!ours) {
    NotOurs(!expected.empty(), sst);
  } else if (sst->kind == "none") {
    SetFault(
        FilterState::kUnfiltered, "no filter, though the policy was on",
        "expected in the last level with optimize_filters_for_hits, or where "
        "the policy gives no bits; otherwise ",
        sst);
  } else if (!expected.empty() && sst->policy != expected) {
    SetFault(FilterState::kOtherPartitionKeys,
             "a filter of other partition keys, '" + sst->policy +
                 "', which is not used",
             "written before partition_key was changed: ", sst);
  } else if (!damage.empty()) {
    CannotBeRead(damage, sst);
  } else if (blocks.count == 0) {
    SetFault(FilterState::kUnfiltered,
             "a filter by our name that RocksDB does not find", "", sst);
  } else if (blocks.damaged > 0) {
    SetFault(FilterState::kDamaged,
             "an empty or damaged filter, which lets every key pass",
             "memory may have been short when it was written: ", sst);
  } else if (blocks.saturated > 0) {
    SetFault(FilterState::kSaturated,
             "a saturated filter, which lets too many absent keys pass",
             "it was made for fewer keys, or memory was short when it was "
             "written: ",
             sst);
  }
}

std::string KindOf(const SstFile& file, const Blocks& blocks) {
  const uint64_t filter_size = file.properties().filter_size;
  return filter_size == 0                                         ? "none"
         : !file.partition_key() || !file.filter_damage().empty() ? "unknown"
         : blocks.AreFullFilter(filter_size)                      ? "full"
                                             : "partitioned";
}

Filters FiltersOf(const SstFile& file, const Blocks& blocks, const Sst& sst) {
  Filters filter;
  filter.files = 1;
  filter.num_healthy = sst.fault.empty() ? 1 : 0;
  filter.keys = file.properties().num_filter_entries;
  filter.bytes = file.properties().filter_size;
  if (blocks.count > 0) {
    filter.rate_weight = static_cast<double>(sst.entries);
    filter.weighted_rate = filter.rate_weight * blocks.Rate();
  }
  return filter;
}

Sst ToSst(const LiveSst& listed, const SstFile& file, const Blocks& blocks,
          const std::string& expected) {
  const auto& properties = file.properties();
  Sst sst;
  sst.file = listed;
  sst.policy = properties.filter_policy_name;
  sst.kind = KindOf(file, blocks);
  sst.entries =
      properties.num_entries -
      std::min(properties.num_range_deletions, properties.num_entries);
  sst.bits = static_cast<double>(blocks.bits);
  sst.whole_keys = file.filter_holds() != FilterHolds::kPrefixes &&
                   file.partition_key() && file.partition_key()->is_whole();
  if (sst.entries > 0) {
    FindFault(file.filter_damage(), blocks, expected, &sst);
  }
  sst.filter = FiltersOf(file, blocks, sst);
  return sst;
}

// Describes an SST file of which only the MANIFEST's entry is known.
Sst NotRead(const LiveSst& listed, FilterState state) {
  Sst sst;
  sst.file = listed;
  sst.kind = "unknown";
  sst.state = state;
  sst.entries = listed.num_entries;
  sst.filter.files = 1;
  return sst;
}

Sst Missing(const LiveSst& listed) {
  Sst sst = NotRead(listed, FilterState::kMissing);
  sst.fault = WhyMissing(listed);
  sst.remedy = RemedyForMissing(listed);
  return sst;
}

Sst Unreadable(const LiveSst& listed, const std::string& error) {
  Sst sst = NotRead(listed, FilterState::kUnreadable);
  const std::string path = listed.path + ": ";
  sst.fault = "unreadable: it " +
              error.substr(error.rfind(path, 0) == 0 ? path.size() : 0);
  sst.remedy =
      "see whether this user may read it and whether the disk fails; otherwise "
      "its rows are lost: restore the database from a backup";
  sst.reason = error;
  return sst;
}

// Examines one SST file. Returns nullopt if it does not exist.
std::optional<Sst> Examine(const LiveSst& listed, const std::string& expected) {
  if (!listed.error.empty()) {
    return Unreadable(listed, listed.error);
  }
  Blocks blocks;
  std::string error;
  const auto file = SstFile::Open(
      listed.path,
      [&](const ROCKSDB_NAMESPACE::Slice& block) { blocks.Add(block); },
      &error);
  if (file != nullptr) {
    // If the filter is damaged, the blocks that were read before the damage are
    // left out, because they are not the whole filter.
    return ToSst(listed, *file,
                 file->filter_damage().empty() ? blocks : Blocks(), expected);
  }
  if (access(listed.path.c_str(), F_OK) != 0 && errno == ENOENT) {
    return std::nullopt;
  }
  return Unreadable(listed, error);
}

LiveSsts List(const std::string& db, const std::vector<std::string>& db_paths) {
  LiveSsts live;
  std::string error;
  if (!ListLiveSsts(db, db_paths, "", &live, &error)) {
    throw Unusable(error);
  }
  return live;
}

// Examines the SST files of one listing after another, each file once.
class Examiner {
 public:
  // Returns false if a listed file does not exist; the caller must then call
  // this again with a new listing. If that still has the file, the file counts
  // as missing.
  bool Examine(const LiveSsts& live) {
    bool all_there = true;
    for (const LiveSst& file : live.files) {
      if (ssts_.count(file.number) != 0) {
        continue;
      }
      const std::string& policy =
          live.column_families.at(file.column_family).filter_policy;
      auto sst = tools::Examine(file, FilterNameOf(policy));
      if (!sst && !gone_.insert(file.number).second) {
        sst = Missing(file);
      }
      if (sst) {
        ssts_.emplace(file.number, *sst);
      } else {
        all_there = false;
      }
    }
    return all_there;
  }

  // `live`: the last listing.
  std::vector<Family> Families(const LiveSsts& live) const {
    std::map<std::string, Family> families;
    for (const auto& [name, settings] : live.column_families) {
      Family& family = families[name];
      family.name = name;
      family.policy = settings.filter_policy;
      family.on = !FilterNameOf(settings.filter_policy).empty();
      family.levelled = settings.levelled;
    }
    for (const LiveSst& file : live.files) {
      Family& family = families[file.column_family];
      family.ssts.push_back(ssts_.at(file.number));
      // Takes the file from the last listing, because a trivial move may have
      // taken it to another level.
      family.ssts.back().file = file;
      family.levels[file.level].Add(family.ssts.back().filter);
    }
    std::vector<Family> all;
    for (auto& family : families) {
      all.push_back(std::move(family.second));
    }
    return all;
  }

 private:
  std::map<uint64_t, Sst> ssts_;
  std::set<uint64_t> gone_;
};

}  // namespace

void Filters::Add(const Filters& other) {
  files += other.files;
  num_healthy += other.num_healthy;
  keys += other.keys;
  bytes += other.bytes;
  weighted_rate += other.weighted_rate;
  rate_weight += other.rate_weight;
}

std::optional<double> Filters::BitsPerKey() const {
  return keys == 0 ? std::nullopt
                   : std::optional(8 * static_cast<double>(bytes) /
                                   static_cast<double>(keys));
}

std::optional<double> Filters::Rate() const {
  return rate_weight == 0 ? std::nullopt
                          : std::optional(weighted_rate / rate_weight);
}

Database ExamineDatabase(const std::string& db,
                         const std::vector<std::string>& db_paths) {
  if (!RocksdbReleaseMatches()) {
    throw Unusable(
        "filterdb was built for another release of RocksDB than this one");
  }
  const FilesWatch watch(SstFoldersOf(db, db_paths));
  const auto list = [&] { return List(db, db_paths); };
  Examiner examiner;
  LiveSsts live = list();
  // A compaction may remove files that were listed. A new listing has the files
  // that replaced them.
  constexpr int kListings = 20;
  for (int listing = 1; !examiner.Examine(live); ++listing) {
    if (listing == kListings) {
      throw Unusable(
          db + ": its files are removed faster than they can be examined");
    }
    live = list();
  }
  return {examiner.Families(live), watch.Look(live, list)};
}

}  // namespace cassandra_bloom::tools
