// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/fake_sstable.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/tests/fake_sstable/compressed_data.h"
#include "filterdb/tests/fake_sstable/fake_statistics_db.h"
#include "filterdb/tests/fake_sstable/index_files.h"
#include "plugin/filter_db/filter_db_file.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

// ---- The versions ----

struct VersionFacts {
  // The first version with the files of this row. The versions after it have
  // them, too, up to the version of the next row.
  const char* first;
  FilterForm form;
  const char* start;        // Of the names of files.
  const char* format;       // What names have after the generation.
  bool has_trie;            // Has Partitions.db and Rows.db, not Index.db.
  bool has_short_deletion;  // "Not deleted" takes one byte.
  ChunkChecksum chunk_checksum;
  StatisticsLayout statistics;
};

constexpr auto kCrcOfData = ChunkChecksum::kCrcOfUncompressed;
constexpr auto kAdler = ChunkChecksum::kAdlerOfStored;
constexpr auto kCrc = ChunkChecksum::kCrcOfStored;
constexpr auto kNoTime = StatisticsLayout::kNoLowestTime;
constexpr auto kNoChance = StatisticsLayout::kNoChance;
constexpr auto kNoTable = StatisticsLayout::kNoTable;
constexpr auto kTable = StatisticsLayout::kTable;
constexpr auto kChecks = StatisticsLayout::kTableAndChecks;

constexpr VersionFacts kVersions[] = {
    {"da", kNaAndLater, "", "bti-", true, true, kCrc, kChecks},
    {"ia", kBeforeMa, "ks-table-", "", false, false, kCrcOfData, kNoTime},
    {"ib", kBeforeMa, "ks-table-", "", false, false, kCrcOfData, kNoChance},
    {"ja", kBeforeMa, "ks-table-", "", false, false, kCrcOfData, kNoTable},
    {"jb", kBeforeMa, "ks-table-", "", false, false, kAdler, kNoTable},
    {"ka", kBeforeMa, "ks-table-", "", false, false, kAdler, kTable},
    {"la", kBeforeMa, "", "big-", false, false, kAdler, kTable},
    {"ma", kMaToMe, "", "big-", false, false, kCrc, kTable},
    {"ms", kMaToMe, "", "big-", true, false, kCrc, kTable},
    {"na", kNaAndLater, "", "big-", false, false, kCrc, kChecks},
    {"oa", kNaAndLater, "", "big-", false, true, kCrc, kChecks},
};

const VersionFacts& FactsOfVersion(const std::string& version) {
  const VersionFacts* facts = nullptr;
  for (const VersionFacts& row : kVersions) {
    facts = version >= row.first ? &row : facts;
  }
  if (facts == nullptr) {
    throw std::invalid_argument(version + " is not an SSTable version");
  }
  return *facts;
}

// ---- The filter ----

constexpr size_t kHeaderBytes = 8;

std::string Build(const SstableSpec& spec, FilterForm form) {
  const uint64_t expected = spec.expected_keys != 0
                                ? spec.expected_keys
                                : std::max<uint64_t>(spec.keys.size(), 128);
  std::string error;
  const auto builder =
      FilterDbBuilder::ForFpChance(spec.fp_chance, expected, form, &error);
  if (builder == nullptr) {
    throw std::invalid_argument(error);
  }
  const bool leave_out = spec.fault == FilterFault::kKeysLeftOut;
  for (size_t i = 0; i < spec.keys.size(); ++i) {
    if (!leave_out || i % 10 != 0) {
      builder->Add(spec.keys[i]);
    }
  }
  std::string file;
  FilterDbContent(form, builder->num_probes(), builder->num_words(),
                  builder->bits())([&file](const char* data, size_t size) {
    file.append(data, size);
    return true;
  });
  return file;
}

// Clears every 64th byte that has set bits. At least one key then no longer
// matches, because every set bit belongs to a key.
void ClearBits(std::string* file) {
  size_t bytes_with_bits = 0;
  for (size_t i = kHeaderBytes; i < file->size(); ++i) {
    if ((*file)[i] != '\0' && bytes_with_bits++ % 64 == 0) {
      (*file)[i] = '\0';
    }
  }
}

// Returns the content of Filter.db with the fault of `spec`, or no value if
// there is no such file. `form` is that of the SSTable's version.
std::optional<std::string> FilterOf(const SstableSpec& spec, FilterForm form) {
  if (spec.fault == FilterFault::kMissing || spec.fp_chance >= 1) {
    return std::nullopt;
  }
  if (spec.fault == FilterFault::kEmpty) {
    return "";
  }
  const FilterForm other = form == kMaToMe ? kNaAndLater : kMaToMe;
  std::string file =
      Build(spec, spec.fault == FilterFault::kOtherForm ? other : form);
  if (spec.fault == FilterFault::kBitsCleared) {
    ClearBits(&file);
  } else if (spec.fault == FilterFault::kSaturated) {
    std::fill(file.begin() + kHeaderBytes, file.end(), '\xff');
  } else if (spec.fault == FilterFault::kTruncated) {
    file.resize(file.size() / 2);
  } else if (spec.fault == FilterFault::kProbes0) {
    file.replace(0, 4, BigEndian(0, 4));
  }
  return file;
}

// ---- The rows ----

std::string NoDeletion(const VersionFacts& facts) {
  constexpr auto kNoSeconds = std::numeric_limits<int32_t>::max();
  constexpr auto kNoMarking = std::numeric_limits<int64_t>::min();
  return facts.has_short_deletion
             ? "\x80"
             : BigEndian(kNoSeconds, 4) +
                   BigEndian(static_cast<uint64_t>(kNoMarking), 8);
}

// Returns the uncompressed Data.db, and tells where its partitions are.
std::string DataOf(const SstableSpec& spec, const std::string& deletion,
                   std::vector<IndexedPartition>* partitions) {
  uint64_t random = 0;
  std::string data;
  for (size_t i = 0; i < spec.keys.size(); ++i) {
    const bool is_wide = spec.wide_every > 0 && i % spec.wide_every == 0;
    partitions->push_back({spec.keys[i], data.size(), is_wide});
    // Half of the filler's bytes are equal, so that LZ4 saves space.
    data += WithLength(spec.keys[i]) + deletion + "rrrr" +
            BigEndian(NextRandom(&random), 4);
  }
  return data;
}

}  // namespace

WrittenSstable WriteSstable(SstableSpec spec) {
  SortByToken(&spec.keys);
  const VersionFacts& facts = FactsOfVersion(spec.version);
  const std::string deletion = NoDeletion(facts);
  std::vector<IndexedPartition> partitions;
  std::map<std::string, std::string> files;
  files["Data.db"] = DataOf(spec, deletion, &partitions);
  if (spec.lz4) {
    Compression compression = {"LZ4Compressor", /*chunk_length=*/1024,
                               std::nullopt, facts.chunk_checksum};
    if (facts.form == kNaAndLater) {
      compression.max_compressed_length = INT32_MAX;
    }
    CompressedData compressed = CompressData(files["Data.db"], compression);
    files["Data.db"] = compressed.data;
    files["CompressionInfo.db"] = compressed.info;
  }
  if (facts.has_trie) {
    const TrieFiles trie = TrieIndex(partitions, deletion);
    files["Partitions.db"] = trie.partitions_db;
    files["Rows.db"] = trie.rows_db;
  } else {
    files["Index.db"] =
        BigIndex(partitions, /*has_vints=*/facts.form != kBeforeMa);
    files["Summary.db"] = "filler, as nobody reads it here";
  }
  if (spec.fault == FilterFault::kIndexCut) {
    std::string& index = files[facts.has_trie ? "Partitions.db" : "Index.db"];
    index.resize(index.size() / 2);
  }
  files["Statistics.db"] =
      StatisticsDb(facts.statistics, spec.fp_chance, spec.keys.size());
  const std::string prefix = spec.folder + "/" + facts.start + spec.version +
                             "-" + spec.generation + "-" + facts.format;
  if (const auto filter = FilterOf(spec, facts.form)) {
    files["Filter.db"] = *filter;
  } else {
    std::filesystem::remove(prefix + "Filter.db");  // From an earlier call.
  }
  std::string toc = "TOC.txt\n";
  for (const auto& [component, content] : files) {
    WriteFile(prefix + component, content);
    toc += component + "\n";
  }
  WriteFile(prefix + "TOC.txt", toc);
  return {prefix, std::move(spec.keys)};
}

}  // namespace cassandra_bloom::testing
