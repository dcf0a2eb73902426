// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/examine_sst.h"

#include <rocksdb/version.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "plugin/policy/filter_name.h"
#include "tools/sst_filters/doctor/files/sst_file.h"
#include "tools/sst_filters/doctor/files/sst_format.h"
#include "tools/sst_filters/doctor/filters/expected_filter.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kRewrite[] =
    "compact it (CompactRange with bottommost_level_compaction=kForce), "
    "which writes its filter anew";

// Sets the fault of a file whose filter RocksDB cannot read. `damage` is
// RocksDB's message. If a full filter is damaged, RocksDB reads the file
// without the filter. If a partition of a filter is damaged, reads of its keys
// fail.
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

// Sets the state of a file that has no filter. Also sets the fault if the file
// should have a filter. `is_on` says whether the OPTIONS file sets the policy
// cassandra_bloom.
void FindFaultWithoutFilter(Expected expected, bool is_on, Sst* sst) {
  if (expected == Expected::kNone) {
    sst->state = FilterState::kNoneExpected;
  } else if (expected == Expected::kNothingToHold) {
    SetFault(FilterState::kUnfiltered,
             "no filter, as whole_key_filtering is off and there is no "
             "prefix_extractor",
             "set a prefix_extractor, or whole_key_filtering=true; then ", sst);
  } else if (!PartitionKeyOfFilterName(sst->policy)) {
    SetFault(
        FilterState::kUnfiltered, "no filter",
        is_on ? "written before the policy was switched on: " : kSwitchOnFirst,
        sst);
  } else {
    SetFault(FilterState::kUnfiltered, "no filter, though the policy was on",
             is_on ? "the options now give it one: " : kSwitchOnFirst, sst);
  }
}

void FindFault(const std::string& damage, const FilterBlocks& blocks,
               Sst* sst) {
  if (!damage.empty()) {
    CannotBeRead(damage, sst);
  } else if (blocks.count() == 0) {
    SetFault(FilterState::kUnfiltered,
             "a filter by our name that RocksDB does not find", "", sst);
  } else if (blocks.damaged() > 0 && IsRocksdbs(sst->kind)) {
    SetFault(FilterState::kDamaged,
             NameOfRocksdbs(sst->kind) + ", which lets every key pass",
             "memory may have been short when it was written: ", sst);
  } else if (blocks.damaged() > 0) {
    SetFault(FilterState::kDamaged,
             "an empty or damaged filter, which lets every key pass",
             "memory may have been short when it was written: ", sst);
  } else if (blocks.saturated() > 0) {
    SetFault(FilterState::kSaturated,
             "a saturated filter, which lets too many absent keys pass",
             "it was made for fewer keys, or memory was short when it was "
             "written: ",
             sst);
  }
}

std::string LayoutOf(const SstFile& file) {
  return file.filter_kind() == FilterKind::kNone      ? "none"
         : file.filter_kind() == FilterKind::kUnknown ? "unknown"
         : file.has_full_filter()                     ? "full"
                                                      : "partitioned";
}

Filters FiltersOf(const SstFile& file, const FilterBlocks& blocks,
                  uint64_t entries) {
  Filters filter;
  filter.files = 1;
  filter.keys = file.properties().num_filter_entries;
  filter.bytes = file.properties().filter_size;
  if (blocks.count() > 0) {
    const PassRate pass = blocks.Rate();
    filter.rate_weight = static_cast<double>(entries);
    filter.weighted_rate = filter.rate_weight * pass.rate;
    filter.is_measured = pass.is_measured;
    filter.is_at_most = pass.is_at_most;
  }
  return filter;
}

bool HoldsWholeKeys(const SstFile& file) {
  const auto partition_key = file.partition_key();
  return file.filter_holds() != FilterHolds::kPrefixes &&
         (IsRocksdbs(file.filter_kind()) ||
          (partition_key && partition_key->is_whole()));
}

Sst ToSst(const ListedSst& listed, const SstFile& file,
          const std::string& damage, const FilterBlocks& blocks,
          const DatabaseListing& live, const FamilyOptions& options) {
  const auto& properties = file.properties();
  Sst sst;
  sst.file = listed;
  sst.policy = properties.filter_policy_name;
  sst.layout = LayoutOf(file);
  sst.kind = file.filter_kind();
  sst.entries =
      properties.num_entries -
      std::min(properties.num_range_deletions, properties.num_entries);
  sst.bits = static_cast<double>(blocks.bits());
  sst.rate_bound = blocks.Rate().bound;
  sst.whole_keys = HoldsWholeKeys(file);
  if (sst.entries > 0 && sst.kind == FilterKind::kNone) {
    FindFaultWithoutFilter(ExpectedOf(listed, properties, live, options),
                           options.IsOn(), &sst);
  } else if (sst.entries > 0) {
    FindFault(damage, blocks, &sst);
  }
  sst.filter = FiltersOf(file, blocks, sst.entries);
  return sst;
}

// Describes an SST file of which only the entry in the MANIFEST is known.
Sst NotRead(const ListedSst& listed, FilterState state) {
  Sst sst;
  sst.file = listed;
  sst.layout = "unknown";
  sst.state = state;
  sst.entries = listed.num_entries;
  sst.filter.files = 1;
  return sst;
}

// Describes a file that this filterdb's release of RocksDB cannot open. The
// rows of the file need not be lost, because the database's own release may be
// able to read the file.
Sst Unreadable(const ListedSst& listed, const std::string& error) {
  Sst sst = NotRead(listed, FilterState::kUnreadable);
  sst.reason = error;
  const auto format = ReadSstFormat(listed.path);
  // Every supported release of RocksDB reads format versions up to kRead. A
  // number above kMostPlausible is damage, not a later format version.
  constexpr uint32_t kRead = 5;
  constexpr uint32_t kMostPlausible = 15;
  if (!listed.error.empty()) {
    sst.remedy =
        "name the folder of the right file (--db-path); if there is none, "
        "restore the file from a backup";
  } else if (format && !format->IsBlockBased()) {
    sst.fault = "not examined: its format is " + format->table +
                ", and only block-based SST files have filters of a policy";
    sst.remedy = "leave its column family out (--column-family)";
    return sst;
  } else if (format && format->format_version > kRead &&
             format->format_version <= kMostPlausible &&
             error.find("format_version") != std::string::npos) {
    sst.fault = "not examined: its format_version is " +
                std::to_string(format->format_version) +
                ", for which RocksDB " +
                ROCKSDB_NAMESPACE::GetRocksVersionAsString() +
                " of this filterdb is too old";
    sst.remedy =
        "use a filterdb that was built for the RocksDB that the database has";
    return sst;
  } else {
    sst.remedy =
        "see whether this user may read it and whether the disk fails; if the "
        "file is damaged, restore it from a backup";
  }
  const std::string path = listed.path + ": ";
  sst.fault = "unreadable: it " +
              error.substr(error.rfind(path, 0) == 0 ? path.size() : 0);
  return sst;
}

}  // namespace

void Filters::Add(const Filters& other) {
  files += other.files;
  num_healthy += other.num_healthy;
  num_rocksdbs += other.num_rocksdbs;
  keys += other.keys;
  bytes += other.bytes;
  weighted_rate += other.weighted_rate;
  rate_weight += other.rate_weight;
  is_measured |= other.is_measured;
  is_at_most |= other.is_at_most;
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

void SetFault(FilterState state, const std::string& fault,
              const std::string& before_remedy, Sst* sst) {
  sst->state = state;
  sst->fault = fault;
  sst->remedy = before_remedy + kRewrite;
}

Sst MissingSst(const ListedSst& listed) {
  Sst sst = NotRead(listed, FilterState::kMissing);
  sst.fault = WhyMissing(listed);
  sst.remedy = RemedyForMissing(listed) + " (--db-path)";
  return sst;
}

std::optional<Sst> ExamineSst(const ListedSst& listed,
                              const DatabaseListing& live,
                              const FamilyOptions& options) {
  if (!listed.error.empty()) {
    return Unreadable(listed, listed.error);
  }
  FilterBlocks blocks;
  std::string error;
  const auto file = SstFile::Open(
      listed.path,
      [&](const ROCKSDB_NAMESPACE::Slice& block, FilterKind kind) {
        blocks.Add(block, kind);
      },
      &error);
  if (file != nullptr) {
    const std::string damage = file->FindFilterDamage();
    if (damage.empty()) {
      blocks.Measure();
      return ToSst(listed, *file, damage, blocks, live, options);
    }
    // Leaves out all blocks, because the blocks before the damage are not the
    // whole filter.
    return ToSst(listed, *file, damage, FilterBlocks(), live, options);
  }
  if (access(listed.path.c_str(), F_OK) != 0 && errno == ENOENT) {
    return std::nullopt;
  }
  return Unreadable(listed, error);
}

}  // namespace cassandra_bloom::tools
