#include "tools/doctor_examine.h"

#include <unistd.h>

#include <algorithm>

#include "plugin/core/endian.h"
#include "plugin/core/filter_db.h"
#include "plugin/rocksdb/policy_settings.h"
#include "plugin/rocksdb/running_rocksdb.h"
#include "plugin/rocksdb/sst_file.h"
#include "tools/output.h"
#include "tools/saturation.h"

namespace cassandra_bloom::tools {
namespace {

// The name that the filters of a policy have, as the OPTIONS file has it. Empty
// if it is not ours, or one that is refused.
std::string FilterNameOf(const std::string& policy_id) {
  if (policy_id.rfind(kPolicyName, 0) != 0) {
    return "";
  }
  const auto settings = ParseSettings(policy_id, {});
  return settings.error.empty() ? FilterNameFor(settings.partition_key) : "";
}

uint64_t CountSetBits(const FilterDb& filter) {
  uint64_t set_bits = 0;
  for (size_t i = 0; i < filter.num_words; ++i) {
    set_bits += static_cast<uint64_t>(
        __builtin_popcountll(LoadLittleEndian64(filter.bits + 8 * i)));
  }
  return set_bits;
}

// What our filter blocks tell, as RocksDB reads one after another.
struct Blocks {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t bits = 0;
  uint64_t damaged = 0;
  uint64_t saturated = 0;
  double sum_of_rates = 0;

  // Partitions have an index, too, which counts in the size.
  bool AreFullFilter(uint64_t filter_size) const {
    return count == 1 && bytes == filter_size;
  }

  // RocksDB cuts partitions of one size, so that each is as likely asked.
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

// In a file that has no filter of ours.
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

// `expected`: the name of the filters that are read; empty if none of ours is.
void FindFault(const Blocks& blocks, const std::string& expected, Sst* sst) {
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
  return filter_size == 0                    ? "none"
         : !file.partition_key()             ? "unknown"
         : blocks.AreFullFilter(filter_size) ? "full"
                                             : "partitioned";
}

Filters FiltersOf(const SstFile& file, const Blocks& blocks, const Sst& sst) {
  Filters filter;
  filter.files = 1;
  filter.ours = sst.fault.empty() ? 1 : 0;
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
    FindFault(blocks, expected, &sst);
  }
  sst.filter = FiltersOf(file, blocks, sst);
  return sst;
}

// None if the file has gone since it was listed.
std::optional<Sst> Examine(const LiveSst& listed, const std::string& expected) {
  if (!listed.error.empty()) {
    throw Unusable(listed.error);
  }
  Blocks blocks;
  std::string error;
  const auto file = SstFile::Open(
      listed.path,
      [&](const ROCKSDB_NAMESPACE::Slice& block) { blocks.Add(block); },
      &error);
  if (file != nullptr) {
    return ToSst(listed, *file, blocks, expected);
  }
  if (access(listed.path.c_str(), F_OK) != 0) {
    return std::nullopt;
  }
  throw Unusable(error);
}

Family ExamineFamily(const std::string& name,
                     const ColumnFamilySettings& settings,
                     const LiveSsts& live) {
  Family family;
  family.name = name;
  family.policy = settings.filter_policy;
  const std::string expected = FilterNameOf(settings.filter_policy);
  family.on = !expected.empty();
  family.levelled = settings.levelled;
  for (const LiveSst& file : live.files) {
    if (file.column_family != name) {
      continue;
    }
    if (const auto sst = Examine(file, expected)) {
      family.levels[file.level].Add(sst->filter);
      family.ssts.push_back(*sst);
    }
  }
  return family;
}

}  // namespace

void Filters::Add(const Filters& other) {
  files += other.files;
  ours += other.ours;
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

std::vector<Family> ExamineDatabase(const std::string& db) {
  LiveSsts live;
  std::string error;
  if (!RunningRocksdbIsOurs()) {
    throw Unusable("this is not the release of RocksDB that it was built for");
  }
  if (!ListLiveSsts(db, "", &live, &error)) {
    throw Unusable(error);
  }
  std::vector<Family> families;
  for (const auto& [name, settings] : live.column_families) {
    families.push_back(ExamineFamily(name, settings, live));
  }
  return families;
}

}  // namespace cassandra_bloom::tools
