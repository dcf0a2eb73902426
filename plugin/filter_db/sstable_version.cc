// SPDX-License-Identifier: Apache-2.0

#include "plugin/filter_db/sstable_version.h"

#include <string>
#include <string_view>
#include <vector>

#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/split.h"

namespace cassandra_bloom {
namespace {

constexpr std::string_view kBig = "big";
constexpr std::string_view kBti = "bti";
constexpr auto kFixed = IndexKind::kFixedWidth;
constexpr auto kVInt = IndexKind::kVInt;
constexpr auto kTrie = IndexKind::kTrie;
constexpr auto kEither = IndexKind::kVIntOrTrie;
constexpr auto kHistograms = StatisticsLayout::kHistograms;
constexpr auto kChance = StatisticsLayout::kHistogramsAndChance;
constexpr auto kTable = StatisticsLayout::kTable;
constexpr auto kChecked = StatisticsLayout::kTableWithChecksums;
constexpr auto kCrcOfData = ChunkChecksum::kCrcOfUncompressed;
constexpr auto kAdler = ChunkChecksum::kAdlerOfStored;
constexpr auto kCrc = ChunkChecksum::kCrcOfStored;

// The SSTable versions, each family from the oldest to the newest. This is not
// the alphabetical order: `da` is newer than `oa`. The table begins with `ia`,
// because the filters of older versions hash keys with Murmur2 or SHA. This
// library cannot read those filters.
//
// Sources: Descriptor.Version of Cassandra 1.2 and 2.0. BigFormat and BtiFormat
// of cassandra-5.0.1 (hasMaxCompressedLength, hasMetadataChecksum) and of its
// trunk. ScyllaDB's sstables/version.hh for `ms` and `mt`, which are like `me`
// but have a trie index. DSE's versions: SSTables in the test data of
// DataStax's projects.
constexpr SstableVersion kVersions[] = {
    // Cassandra 1.2.
    {"ia", kBeforeMa, kBig, kFixed, kHistograms, kCrcOfData, false},
    {"ib", kBeforeMa, kBig, kFixed, kHistograms, kCrcOfData, false},
    {"ic", kBeforeMa, kBig, kFixed, kHistograms, kCrcOfData, false},
    // Cassandra 2.0.
    {"ja", kBeforeMa, kBig, kFixed, kChance, kCrcOfData, false},
    {"jb", kBeforeMa, kBig, kFixed, kChance, kAdler, false},
    // Cassandra 2.1 and 2.2.
    {"ka", kBeforeMa, kBig, kFixed, kTable, kAdler, false},
    {"la", kBeforeMa, kBig, kFixed, kTable, kAdler, false},
    {"lb", kBeforeMa, kBig, kFixed, kTable, kAdler, false},
    // Cassandra 3.x.
    {"ma", kMaToMe, kBig, kVInt, kTable, kCrc, false},
    {"mb", kMaToMe, kBig, kVInt, kTable, kCrc, false},
    {"mc", kMaToMe, kBig, kVInt, kTable, kCrc, false},
    {"md", kMaToMe, kBig, kVInt, kTable, kCrc, false},
    {"me", kMaToMe, kBig, kVInt, kTable, kCrc, false},
    // ScyllaDB.
    {"ms", kMaToMe, kBig, kTrie, kTable, kCrc, false},
    {"mt", kMaToMe, kBig, kTrie, kTable, kCrc, false},
    // Cassandra 4.x and 5.0.
    {"na", kNaAndLater, kBig, kVInt, kChecked, kCrc, true},
    {"nb", kNaAndLater, kBig, kVInt, kChecked, kCrc, true},
    {"nc", kNaAndLater, kBig, kVInt, kChecked, kCrc, true},
    {"oa", kNaAndLater, kBig, kVInt, kChecked, kCrc, true},
    {"da", kNaAndLater, kBti, kTrie, kChecked, kCrc, true},
    // DSE 6.0 and 6.7.
    {"aa", kMaToMe, kBti, kTrie, kChecked, kCrc, true},
    {"ac", kMaToMe, kBti, kTrie, kChecked, kCrc, true},
    {"ad", kMaToMe, kBti, kTrie, kChecked, kCrc, true},
    // DSE 6.8, HCD and Astra.
    {"ba", kNaAndLater, kBti, kTrie, kChecked, kCrc, true},
    {"bb", kNaAndLater, kBti, kTrie, kChecked, kCrc, true},
    {"ca", kNaAndLater, kBti, kTrie, kChecked, kCrc, true},
    {"cb", kNaAndLater, kBti, kTrie, kChecked, kCrc, true},
    {"cc", kNaAndLater, kBti, kTrie, kChecked, kCrc, true},
    // Cassandra 6. `pb` and `eb` are known from its source alone.
    {"pa", kNaAndLater, kBig, kVInt, kChecked, kCrc, true},
    {"pb", kNaAndLater, kBig, kVInt, kChecked, kCrc, true},
    {"ea", kNaAndLater, kBti, kTrie, kChecked, kCrc, true},
    {"eb", kNaAndLater, kBti, kTrie, kChecked, kCrc, true},
};

// The names of forms (FilterForm). A user may give the name of a form instead
// of a version. `index` is kVIntOrTrie if the versions of the form have
// different indexes. `format` is always "big". All other fields are those of
// the newest version of the form that Cassandra writes.
constexpr SstableVersion kForms[] = {
    {"before-ma", kBeforeMa, kBig, kFixed, kTable, kAdler, false},
    {"ma-to-me", kMaToMe, kBig, kEither, kTable, kCrc, false},
    {"na-and-later", kNaAndLater, kBig, kEither, kChecked, kCrc, true},
};

std::string KnownNames() {
  std::string names;
  for (const SstableVersion& known : kVersions) {
    names.append(names.empty() ? "" : ", ").append(known.name);
  }
  names += "; or name the form: before-ma, ma-to-me, na-and-later";
  return names;
}

// Returns true for a file name of the kind that Cassandra uses since version
// `la`: version-id-format-Component. Before that, there may be a mark ("tmp"),
// or keyspace and table, which some tools add to the names of copies. `parts`
// are the parts of the name between the hyphens.
bool IsNameSinceLa(const std::vector<std::string_view>& parts) {
  return parts.size() >= 4 &&
         (parts[parts.size() - 2] == kBig || parts[parts.size() - 2] == kBti);
}

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns true for a file name of a Cassandra that does not write the keyspace
// into it: table-version-generation-Component.
bool IsNameWithoutKeyspace(const std::vector<std::string_view>& parts) {
  return parts.size() == 4 && IsNumber(parts[2]) && IsVersionBeforeIa(parts[1]);
}

}  // namespace

// Versions were first written into file names before the release of Cassandra
// 0.7.0, which wrote `f`. A `b` in a file name is more likely DSE's.
bool IsVersionBeforeIa(std::string_view version) {
  return version.size() == 1 ? version[0] >= 'c' && version[0] <= 'h'
                             : version.size() == 2 && version[0] == 'h';
}

const SstableVersion* FindSstableVersion(std::string_view name,
                                         std::string* error) {
  for (const SstableVersion& known : kVersions) {
    if (known.name == name) {
      return &known;
    }
  }
  for (const SstableVersion& form : kForms) {
    if (form.name == name) {
      return &form;
    }
  }
  if (error != nullptr && name.empty()) {
    *error = "no SSTable version, such as nb in nb-1-big-Filter.db";
  } else if (error != nullptr) {
    *error = "SSTable version '" + std::string(name) + "' is ";
    *error += IsVersionBeforeIa(name)
                  ? "older than ia: its filters hash keys differently (Murmur2 "
                    "or SHA) and cannot be used"
                  : "unknown; known are " + KnownNames();
  }
  return nullptr;
}

bool IsFormName(std::string_view name) {
  const SstableVersion* const known = FindSstableVersion(name);
  return known != nullptr && FormName(known->form) == name;
}

std::string_view FormatOfSstableVersion(std::string_view version) {
  const SstableVersion* const known = FindSstableVersion(version);
  return known == nullptr ? kBig : known->format;
}

bool HasTrieIndex(std::string_view version) {
  const SstableVersion* const known = FindSstableVersion(version);
  return known != nullptr && known->index == IndexKind::kTrie;
}

bool FormOfSstableVersion(std::string_view version, FilterForm* form,
                          std::string* error) {
  const SstableVersion* const known = FindSstableVersion(version, error);
  if (known != nullptr) {
    *form = known->form;
  }
  return known != nullptr;
}

const char* FormName(FilterForm form) {
  for (const SstableVersion& named : kForms) {
    if (named.form == form) {
      return named.name.data();
    }
  }
  return "(no form of Cassandra's)";
}

bool SstableVersionOfFileName(std::string_view path, std::string* version,
                              std::string* error) {
  const std::string_view name = FileNameOf(path);
  // Before version `la`, a component's name is
  // keyspace-table-version-generation-Component.
  const std::vector<std::string_view> parts = Split(name, '-');
  if (IsNameSinceLa(parts)) {
    *version = parts[parts.size() - 4];
    return true;
  }
  if (parts.size() < 5 && !IsNameWithoutKeyspace(parts)) {
    *error = "'" + std::string(name) +
             "' is not the name of an SSTable's component, such as "
             "nb-1-big-Filter.db, so the SSTable version must be given";
    return false;
  }
  *version = parts[parts.size() - 3];
  return true;
}

}  // namespace cassandra_bloom
