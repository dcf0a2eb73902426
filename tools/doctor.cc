// filterdb doctor

#include <unistd.h>

#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugin/core/endian.h"
#include "plugin/core/filter_db.h"
#include "plugin/rocksdb/live_ssts.h"
#include "plugin/rocksdb/policy_settings.h"
#include "plugin/rocksdb/running_rocksdb.h"
#include "plugin/rocksdb/sst_file.h"
#include "tools/command.h"

namespace cassandra_bloom::tools {
namespace {

struct Options {
  std::string db;
  bool json = false;
};

// The filters of some SST files, or of one.
struct Filters {
  uint64_t files = 0;
  uint64_t ours = 0;
  uint64_t keys = 0;
  uint64_t bytes = 0;
  // Of ours: sums over blocks.
  double weighted_rate = 0;
  double rate_weight = 0;

  void Add(const Filters& other) {
    files += other.files;
    ours += other.ours;
    keys += other.keys;
    bytes += other.bytes;
    weighted_rate += other.weighted_rate;
    rate_weight += other.rate_weight;
  }

  std::optional<double> BitsPerKey() const {
    return keys == 0 ? std::nullopt
                     : std::optional(8 * static_cast<double>(bytes) /
                                     static_cast<double>(keys));
  }
  std::optional<double> Rate() const {
    return rate_weight == 0 ? std::nullopt
                            : std::optional(weighted_rate / rate_weight);
  }
};

struct Sst {
  LiveSst file;
  std::string policy;
  std::string kind;   // full, partitioned, none
  std::string fault;  // Empty: our filter is there.
  std::string remedy;
  Filters filter;
};

struct Family {
  std::string name;
  std::string policy;  // In the OPTIONS file.
  bool on;
  std::vector<Sst> ssts;
  std::map<int, Filters> levels;
};

// A policy of our name as the OPTIONS file has it.
bool IsOurs(const std::string& policy_id) {
  return policy_id.rfind(kPolicyName, 0) == 0;
}

// The name that its filters have.
std::string FilterNameOf(const std::string& policy_id) {
  return FilterNameFor(ParseSettings(policy_id, {}).partition_key);
}

// What our filter blocks tell, as RocksDB reads one after another.
struct Blocks {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t damaged = 0;
  double weighted_rate = 0;
  double weight = 0;

  // Partitions have an index, too, which counts in the size.
  bool AreFullFilter(uint64_t filter_size) const {
    return count == 1 && bytes == filter_size;
  }

  void Add(const ROCKSDB_NAMESPACE::Slice& block) {
    ++count;
    bytes += block.size();
    FilterDb filter;
    if (!ParseFilterDb(block.data(), block.size(), &filter)) {
      ++damaged;
      return;
    }
    uint64_t set_bits = 0;
    for (size_t i = 0; i < filter.num_words; ++i) {
      set_bits += static_cast<uint64_t>(
          __builtin_popcountll(LoadLittleEndian64(filter.bits + 8 * i)));
    }
    const auto capacity = static_cast<double>(filter.capacity_bits());
    weight += capacity;
    weighted_rate +=
        capacity * ObservedFalsePositiveRate(filter.num_probes, set_bits,
                                             filter.capacity_bits());
  }
};

// `expected`: the name of the filters that are read; empty if none of ours is.
void FindFault(const Blocks& blocks, const std::string& expected, Sst* sst) {
  const std::string rewrite =
      "compact it (CompactRange with bottommost_level_compaction=kForce), "
      "which writes its filter anew";
  const bool ours = PartitionKeyOfFilterName(sst->policy).has_value();
  if (sst->kind == "none" && ours) {
    sst->fault = "no filter, though the policy was on";
    sst->remedy =
        "expected in the last level with optimize_filters_for_hits, or with "
        "bits per key below 0.5; otherwise " +
        rewrite;
  } else if (!ours) {
    sst->fault = sst->kind == "none"
                     ? "no filter"
                     : "a filter of the policy '" + sst->policy + "'";
    sst->remedy = expected.empty()
                      ? "switch the policy on, then " + rewrite
                      : "written before the policy was switched on: " + rewrite;
  } else if (!expected.empty() && sst->policy != expected) {
    sst->fault = "a filter of other partition keys, '" + sst->policy +
                 "', which is not used";
    sst->remedy = "written before partition_key was changed: " + rewrite;
  } else if (blocks.count == 0) {
    sst->fault = "a filter by our name that RocksDB does not find";
    sst->remedy = rewrite;
  } else if (blocks.damaged > 0) {
    sst->fault = "an empty or damaged filter, which lets every key pass";
    sst->remedy = "memory may have been short when it was written: " + rewrite;
  }
}

// None if the file has gone since it was listed.
std::optional<Sst> Examine(const LiveSst& file, const std::string& expected) {
  if (!file.error.empty()) {
    throw Unusable(file.error);
  }
  Blocks blocks;
  std::string error;
  const auto opened = SstFile::Open(
      file.path,
      [&](const ROCKSDB_NAMESPACE::Slice& block) { blocks.Add(block); },
      &error);
  if (opened == nullptr) {
    if (access(file.path.c_str(), F_OK) != 0) {
      return std::nullopt;
    }
    throw Unusable(error);
  }
  const auto& properties = opened->properties();
  Sst sst;
  sst.file = file;
  sst.policy = properties.filter_policy_name;
  sst.kind = properties.filter_size == 0                    ? "none"
             : !opened->partition_key()                     ? "unknown"
             : blocks.AreFullFilter(properties.filter_size) ? "full"
                                                            : "partitioned";
  // Ranges alone have no key that a filter could hold.
  if (properties.num_entries > properties.num_range_deletions) {
    FindFault(blocks, expected, &sst);
  }
  sst.filter.files = 1;
  sst.filter.ours = sst.fault.empty() ? 1 : 0;
  sst.filter.keys = properties.num_filter_entries;
  sst.filter.bytes = properties.filter_size;
  sst.filter.weighted_rate = blocks.weighted_rate;
  sst.filter.rate_weight = blocks.weight;
  return sst;
}

std::vector<Family> ExamineAll(const std::string& db) {
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
    Family family = {
        name, settings.filter_policy, IsOurs(settings.filter_policy), {}, {}};
    const std::string expected = family.on ? FilterNameOf(family.policy) : "";
    for (const LiveSst& file : live.files) {
      if (file.column_family != name) {
        continue;
      }
      if (const auto sst = Examine(file, expected)) {
        family.levels[file.level].Add(sst->filter);
        family.ssts.push_back(*sst);
      }
    }
    families.push_back(std::move(family));
  }
  return families;
}

// ---- Output ----

Json OrNull(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json ToJson(const Filters& filters) {
  return {{"keys", filters.keys},
          {"filter_bytes", filters.bytes},
          {"bits_per_key", OrNull(filters.BitsPerKey())},
          {"estimated_rate", OrNull(filters.Rate())}};
}

Json ToJson(const Sst& sst) {
  Json json = {{"file", sst.file.path},
               {"level", sst.file.level},
               {"policy", sst.policy},
               {"filter", sst.kind}};
  json.update(ToJson(sst.filter));
  json["ours"] = sst.fault.empty();
  if (!sst.fault.empty()) {
    json["fault"] = sst.fault;
    json["remedy"] = sst.remedy;
  }
  return json;
}

Json ToJson(const Family& family) {
  Json levels = Json::array();
  for (const auto& [level, filters] : family.levels) {
    Json json = {{"level", level},
                 {"files", filters.files},
                 {"with_our_filter", filters.ours}};
    json.update(ToJson(filters));
    levels.push_back(json);
  }
  Json ssts = Json::array();
  for (const Sst& sst : family.ssts) {
    ssts.push_back(ToJson(sst));
  }
  return {{"name", family.name},
          {"filter_policy", family.policy},
          {"on", family.on},
          {"levels", levels},
          {"ssts", ssts}};
}

void PrintRow(const std::string& level, const std::string& file,
              const std::string& policy, const Filters& filters) {
  char bits[32] = "-";
  if (filters.BitsPerKey()) {
    std::snprintf(bits, sizeof(bits), "%.2f", *filters.BitsPerKey());
  }
  std::printf("  %5s  %-16s %-26s %12llu %12llu %8s  %s\n", level.c_str(),
              file.c_str(), policy.c_str(),
              static_cast<unsigned long long>(filters.keys),
              static_cast<unsigned long long>(filters.bytes), bits,
              filters.Rate() ? Percent(*filters.Rate()).c_str() : "-");
}

void Print(const Family& family) {
  std::printf("column family %s: %s\n", family.name.c_str(),
              family.on ? ("on, filter_policy=" + family.policy).c_str()
              : family.policy.empty()
                  ? "off, no filter policy in the OPTIONS file"
                  : ("off, filter_policy=" + family.policy).c_str());
  if (!family.on) {
    std::printf("  to do: open it with filter_policy=%s:10\n", kPolicyName);
  }
  if (!family.ssts.empty()) {
    std::printf("  %5s  %-16s %-26s %12s %12s %8s  %s\n", "level", "SST files",
                "policy", "keys", "filter bytes", "bits/key", "estimated rate");
  }
  for (const auto& [level, filters] : family.levels) {
    const std::string number = std::to_string(level);
    for (const Sst& sst : family.ssts) {
      if (sst.file.level == level) {
        const std::string& path = sst.file.path;
        PrintRow(number, path.substr(path.find_last_of('/') + 1),
                 sst.kind == "none" ? "(no filter)"
                 : sst.policy.empty()
                     ? "(unknown)"
                     : sst.policy +
                           (sst.kind == "partitioned" ? ", partitioned" : ""),
                 sst.filter);
      }
    }
    PrintRow(number, "all " + std::to_string(filters.files),
             std::to_string(filters.ours) + " ours", filters);
  }
  for (const Sst& sst : family.ssts) {
    if (!sst.fault.empty()) {
      std::printf("%s: %s\n  to do: %s\n", sst.file.path.c_str(),
                  sst.fault.c_str(), sst.remedy.c_str());
    }
  }
}

ExitCode RunDoctor(const Options& options) {
  const std::vector<Family> families = ExamineAll(options.db);
  bool fault = false;
  Json all = Json::array();
  for (const Family& family : families) {
    fault |= !family.on;
    for (const Sst& sst : family.ssts) {
      fault |= !sst.fault.empty();
    }
    all.push_back(ToJson(family));
  }
  if (options.json) {
    PrintJson({{"db", options.db}, {"column_families", all}, {"fault", fault}});
  } else {
    for (const Family& family : families) {
      Print(family);
    }
    std::printf("%s\n", fault ? "not every key has our filter"
                              : "all is well: every SST file has our filter");
  }
  return fault ? kFault : kGood;
}

}  // namespace

void AddDoctor(CLI::App* app, Run* run) {
  auto* const command = app->add_subcommand(
      "doctor",
      "Whether a RocksDB database has our filters everywhere: a fault if not");
  auto* const options = NewOptions(command, run, RunDoctor);
  command
      ->add_option("--db", options->db,
                   "The folder of the database, which may be in use. Nothing "
                   "in it is changed")
      ->required()
      ->type_name("DIR");
  AddJson(command, &options->json);
}

}  // namespace cassandra_bloom::tools
