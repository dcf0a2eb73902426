// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/filters/expected_filter.h"

#include <algorithm>
#include <tuple>

#include "plugin/policy/filter_name.h"

namespace cassandra_bloom::tools {
namespace {

// Returns whether no deeper level has keys in the range of `file`. Compares
// bytes, which is right for bytewise and reverse bytewise orders. A file that
// was bottommost when it was written is still bottommost, because deeper levels
// have only older rows.
bool IsBottommost(const ListedSst& file, const DatabaseListing& live) {
  const auto place = [](const ListedSst& sst) {
    return std::tie(sst.column_family, sst.level);
  };
  const auto deeper =
      std::upper_bound(live.files.begin(), live.files.end(), file,
                       [&](const ListedSst& a, const ListedSst& b) {
                         return place(a) < place(b);
                       });
  const auto [first, last] = std::minmax(file.smallest_key, file.largest_key);
  for (auto other = deeper;
       other != live.files.end() && other->column_family == file.column_family;
       ++other) {
    const auto range = std::minmax(other->smallest_key, other->largest_key);
    if (range.first <= last && range.second >= first) {
      return false;
    }
  }
  return true;
}

// Returns the file's place in the levels, as RocksDB told it to the policy when
// it wrote the file. A file of SstFileWriter gets no level, because
// SstFileWriter does not know the level.
SstPlace PlaceOf(const ListedSst& file,
                 const ROCKSDB_NAMESPACE::TableProperties& properties,
                 const DatabaseListing& live, const FamilyOptions& options) {
  SstPlace place;
  if (properties.user_collected_properties.count(
          "rocksdb.external_sst_file.version") == 0) {
    place.level = file.level;
    // RocksDB calls no flushed file bottommost. Therefore a file in level 0
    // counts as bottommost only if it names cassandra_bloom as its policy. The
    // policy has then given the file no filter.
    place.is_bottommost =
        (file.level > 0 ||
         PartitionKeyOfFilterName(properties.filter_policy_name)) &&
        IsBottommost(file, live);
  }
  place.num_levels = options.num_levels;
  place.level_ratio = options.LevelRatio();
  return place;
}

// Returns whether the first and the last key of the file are known to have no
// prefix. The policy name in the file does not prove this, because a file has
// the policy name even if the policy made no filter.
bool HasNoPrefix(const ListedSst& file, const DatabaseListing& live) {
  const auto family = live.column_families.find(file.column_family);
  if (family == live.column_families.end() ||
      family->second.prefix_extractor == nullptr) {
    return false;
  }
  const auto& extractor = *family->second.prefix_extractor;
  return !extractor.InDomain(file.smallest_key) &&
         !extractor.InDomain(file.largest_key);
}

}  // namespace

Expected ExpectedOf(const ListedSst& file,
                    const ROCKSDB_NAMESPACE::TableProperties& properties,
                    const DatabaseListing& live, const FamilyOptions& options) {
  if (!options.IsOn()) {
    return Expected::kFilter;
  }
  const SstPlace place = PlaceOf(file, properties, live, options);
  if (!options.settings.sizing.For(place) ||
      (options.filters_for_hits && place.is_bottommost)) {
    return Expected::kNone;
  }
  if (options.whole_key_filtering) {
    return Expected::kFilter;
  }
  return options.prefix_extractor.empty() ? Expected::kNothingToHold
         : PartitionKeyOfFilterName(properties.filter_policy_name) &&
                 properties.prefix_extractor_name == options.prefix_extractor &&
                 HasNoPrefix(file, live)
             ? Expected::kNone
             : Expected::kFilter;
}

}  // namespace cassandra_bloom::tools
