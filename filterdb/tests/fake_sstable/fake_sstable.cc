// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/fake_sstable.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/tests/fake_sstable/checksums.h"
#include "filterdb/tests/fake_sstable/comparable_key.h"
#include "filterdb/tests/fake_sstable/compressed_data.h"
#include "filterdb/tests/fake_sstable/fake_statistics_db.h"
#include "filterdb/tests/fake_sstable/index_files.h"
#include "filterdb/tests/fake_sstable/version_facts.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

// ---- The filter ----

constexpr size_t kHeaderBytes = 8;

uint64_t ExpectedKeys(const SstableSpec& spec) {
  const uint64_t expected =
      std::max<uint64_t>(spec.keys.size(), spec.min_expected_keys);
  switch (spec.fault) {
    case FilterFault::kHalfSize:
      return std::max<uint64_t>(1, spec.keys.size() / 2);
    case FilterFault::kFourfoldSize:
      return 4 * expected;
    default:
      return expected;
  }
}

std::string Build(const SstableSpec& spec, FilterForm form) {
  std::string error;
  const auto builder = FilterDbBuilder::ForFpChance(
      spec.fp_chance, ExpectedKeys(spec), form, &error);
  if (builder == nullptr) {
    throw std::invalid_argument(error);
  }
  const bool leave_out = spec.fault == FilterFault::kKeysLeftOut;
  for (size_t i = 0; i < spec.keys.size(); ++i) {
    if (!leave_out || i % 10 != 0) {
      builder->Add(spec.keys[i]);
    }
  }
  std::string file(kHeaderBytes + size_t{8} * builder->num_words(), '\0');
  SerializeFilterDb(form, builder->num_probes(), builder->num_words(),
                    builder->bits(), file.data());
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

void CheckDeniesAKey(const SstableSpec& spec, FilterForm form,
                     const std::string& file) {
  std::string error;
  const auto filter = FilterDbFile::FromBytes(file, form, &error);
  if (filter == nullptr || std::all_of(spec.keys.begin(), spec.keys.end(),
                                       [&](const std::string& key) {
                                         return filter->MayContain(key);
                                       })) {
    throw std::runtime_error("the filter finds every key, in spite of " +
                             std::string(NameOf(spec.fault)) + error);
  }
}

// Returns the content of Filter.db with the fault of `spec`, or no value if
// there is no such file. `form` is that of the SSTable's version.
std::optional<std::string> FaultyFilter(const SstableSpec& spec,
                                        FilterForm form) {
  FilterForm written = form;
  if (spec.fault == FilterFault::kOtherForm) {
    written = form == kMaToMe ? kNaAndLater : kMaToMe;
  }
  std::string file;
  switch (spec.fault) {
    case FilterFault::kMissing:
    case FilterFault::kNoFilterPlanned:
      return std::nullopt;
    case FilterFault::kEmpty:
      return "";
    default:
      file = Build(spec, written);
  }
  switch (spec.fault) {
    case FilterFault::kBitsCleared:
      ClearBits(&file);
      [[fallthrough]];
    case FilterFault::kKeysLeftOut:
    case FilterFault::kOtherForm:
      CheckDeniesAKey(spec, form, file);
      break;
    case FilterFault::kSaturated:
      std::fill(file.begin() + kHeaderBytes, file.end(), '\xff');
      break;
    case FilterFault::kTruncated:
      file.resize(file.size() / 2);
      break;
    case FilterFault::kProbes0:
      file.replace(0, 4, BigEndian(0, 4));
      break;
    default:
      break;
  }
  return file;
}

// ---- All files ----

constexpr size_t kChunkBytes = 1024;

std::string PrefixOf(const SstableSpec& spec, const VersionFacts& facts) {
  const std::string name = spec.version + "-" + spec.generation + "-";
  return spec.folder + "/" +
         (facts.keyspace_in_names ? "ks-table-" + name
                                  : name + facts.format_name + "-");
}

class SstableWriter {
 public:
  explicit SstableWriter(SstableSpec spec)
      : spec_(std::move(spec)),
        facts_(FactsOfVersion(spec_.version)),
        prefix_(PrefixOf(spec_, facts_)),
        deletion_(NoDeletion()) {}

  WrittenSstable Write() {
    SortByToken(&spec_.keys);
    WriteData();
    if (facts_.has_trie) {
      WriteTrieIndex();
    } else {
      WriteIndexDb();
    }
    const double plan =
        spec_.fault == FilterFault::kNoFilterPlanned ? 1 : spec_.fp_chance;
    WriteComponent("Statistics.db",
                   StatisticsDb(facts_.statistics, plan, spec_.keys.size()));
    const auto filter = FaultyFilter(spec_, facts_.form);
    if (filter.has_value()) {
      WriteComponent("Filter.db", *filter);
    } else {
      std::filesystem::remove(prefix_ + "Filter.db");  // From an earlier call.
    }
    WriteComponent("TOC.txt", toc_ + "TOC.txt\n");
    return {prefix_, std::move(spec_.keys)};
  }

 private:
  std::string NoDeletion() const {
    constexpr auto kNoSeconds = std::numeric_limits<int32_t>::max();
    constexpr auto kNoTime = std::numeric_limits<int64_t>::min();
    return facts_.has_short_deletion
               ? "\x80"
               : BigEndian(kNoSeconds, 4) +
                     BigEndian(static_cast<uint64_t>(kNoTime), 8);
  }

  void WriteData() {
    uint64_t random = 0;
    std::string data;
    for (size_t i = 0; i < spec_.keys.size(); ++i) {
      const bool is_wide = spec_.wide_every > 0 && i % spec_.wide_every == 0;
      partitions_.push_back({spec_.keys[i], data.size(), is_wide});
      // Half of the filler's bytes are equal, so that LZ4 saves space.
      data += WithLength(spec_.keys[i]) + deletion_ + "rrrr" +
              BigEndian(NextRandom(&random), 4);
    }
    if (spec_.lz4) {
      CompressedData compressed = CompressData(
          data, {"LZ4Compressor", kChunkBytes,
                 facts_.has_max_chunk_bytes ? std::optional<int32_t>(INT32_MAX)
                                            : std::nullopt,
                 facts_.chunk_checksum});
      data = std::move(compressed.data);
      WriteComponent("CompressionInfo.db", compressed.info);
    }
    WriteComponent("Data.db", data);
    if (facts_.digest == DigestKind::kCrc32) {
      WriteComponent("Digest.crc32", std::to_string(Crc32(data)));
    } else if (facts_.digest == DigestKind::kAdler32) {
      WriteComponent("Digest.adler32", std::to_string(Adler32(data)));
    }
  }

  void WriteIndexDb() {
    IndexFiles files = BigIndex(partitions_, facts_);
    if (spec_.fault == FilterFault::kIndexCut) {
      // The file ends between the two bytes of a key's length.
      files.index_db.resize(files.offsets[partitions_.size() / 2] + 1);
    }
    WriteComponent("Index.db", files.index_db);
    WriteComponent("Summary.db", "filler, as nobody reads it here");
  }

  void WriteTrieIndex() {
    TrieFiles files = TrieIndex(partitions_, deletion_);
    if (spec_.fault == FilterFault::kIndexCut) {
      files.partitions_db.resize(files.partitions_db.size() / 2);
    }
    WriteComponent("Partitions.db", files.partitions_db);
    WriteComponent("Rows.db", files.rows_db);
  }

  void WriteComponent(const std::string& name, const std::string& content) {
    WriteFile(prefix_ + name, content);
    toc_ += name + "\n";
  }

  SstableSpec spec_;
  const VersionFacts facts_;
  const std::string prefix_;
  const std::string deletion_;
  std::vector<IndexedPartition> partitions_;
  std::string toc_;
};

}  // namespace

const char* NameOf(FilterFault fault) {
  constexpr const char* kNames[] = {
      "none",          "no_filter_planned", "bits_cleared",
      "keys_left_out", "other_form",        "saturated",
      "half_size",     "fourfold_size",     "truncated",
      "empty",         "missing",           "probes_0",
      "index_cut"};
  static_assert(std::size(kNames) == kAllFilterFaults.size());
  return kNames[static_cast<size_t>(fault)];
}

WrittenSstable WriteSstable(SstableSpec spec) {
  return SstableWriter(std::move(spec)).Write();
}

}  // namespace cassandra_bloom::testing
