// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/statistics_db.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "filterdb/sstable/bytes/byte_reader.h"
#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "plugin/filter/endian.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

// The largest size in bytes of a component or of a histogram that is read.
// Cassandra's histograms have 150 entries.
constexpr uint64_t kMaxPartSize = uint64_t{1} << 20;

// ---- Histograms ----

// The size in bytes of a histogram entry: the limit and the count of a bucket,
// both longs (utils.EstimatedHistogram).
constexpr size_t kHistogramEntry = 16;

// Returns the sum of the counts in the histogram at the beginning of `bytes`.
std::optional<uint64_t> CountInHistogram(std::string_view bytes) {
  const int64_t num_entries =
      bytes.size() < 4 ? 0 : LoadBigEndian32(bytes.data());
  if (num_entries < 1 || static_cast<uint64_t>(num_entries) >
                             (bytes.size() - 4) / kHistogramEntry) {
    return std::nullopt;
  }
  uint64_t count = 0;
  for (size_t i = 0; i < static_cast<size_t>(num_entries); ++i) {
    const int64_t in_bucket =
        LoadBigEndian64(bytes.data() + 4 + i * kHistogramEntry + 8);
    if (in_bucket < 0 || in_bucket > INT64_MAX / num_entries) {
      return std::nullopt;
    }
    count += static_cast<uint64_t>(in_bucket);
  }
  // An SSTable has at least one partition. So a count of 0 means that the
  // histogram was not filled.
  return count == 0 ? std::nullopt : std::optional<uint64_t>(count);
}

// ---- Since version `ka`: a table of components ----

// The types of components (io.sstable.metadata.MetadataType). Cassandra has
// four. A file with more than kMaxComponents is damaged.
constexpr int32_t kValidation = 0;
constexpr int32_t kStats = 2;
constexpr int32_t kMaxComponents = 64;

// Compares the checksum at the reader's offset with that of the bytes from
// `begin` to there. To continue a checksum, give the CRC-32 of the preceding
// bytes as `before`. Returns the CRC-32.
uint32_t CheckCrc(uint64_t begin, ByteReader* file, uint32_t before = 0) {
  const uint64_t end = file->offset();
  file->GoTo(begin);
  const uint32_t computed = Crc32(
      file->Bytes(static_cast<size_t>(end - begin), "a checked part"), before);
  const auto stored = static_cast<uint32_t>(file->Int32("a checksum"));
  if (stored != computed) {
    file->Fail("the checksum is wrong; the file is damaged");
  }
  return computed;
}

class ComponentTable {
 public:
  // Reads the table at the beginning of the file. With `has_checksums`, there
  // are checksums after the number of components, after the table and after
  // each component (MetadataSerializer.deserialize).
  ComponentTable(bool has_checksums, ByteReader* file)
      : has_checksums_(has_checksums), file_(file) {
    const int32_t num_components = file->Int32("the number of components");
    if (num_components < 1 || num_components > kMaxComponents) {
      file->Fail("a table of " + std::to_string(num_components) +
                 " components; the file is damaged or of another version");
      return;
    }
    const uint32_t sum = has_checksums ? CheckCrc(0, file) : 0;
    const uint64_t begin = file->offset();
    for (int32_t i = 0; i < num_components; ++i) {
      const int32_t type = file->Int32("the table of components");
      components_.emplace_back(type, file->Int32("the table of components"));
    }
    if (has_checksums) {
      CheckCrc(begin, file, sum);
    }
  }

  // Goes to a component, and compares it with its checksum. Returns its size in
  // bytes. After an error, file->good() is false.
  size_t GoTo(int32_t wanted, const std::string& name) {
    const auto found = std::find_if(
        components_.begin(), components_.end(),
        [wanted](const auto& component) { return component.first == wanted; });
    if (found == components_.end() || found->second < 0) {
      file_->Fail("no component " + name);
      return 0;
    }
    const auto begin = static_cast<uint64_t>(found->second);
    file_->GoTo(begin);
    uint64_t end = begin + file_->left();
    for (const auto& [type, other] : components_) {
      if (other > found->second) {
        end = std::min(end, static_cast<uint64_t>(other));
      }
    }
    const uint64_t checksum_size = has_checksums_ ? 4 : 0;
    const uint64_t size = end - begin - std::min(end - begin, checksum_size);
    if (size == 0 || size > kMaxPartSize) {
      file_->Fail("the component " + name + " of " + std::to_string(size) +
                  " bytes; the file is damaged");
      return 0;
    }
    if (has_checksums_) {
      file_->GoTo(begin + size);
      CheckCrc(begin, file_);
      file_->GoTo(begin);
    }
    return static_cast<size_t>(size);
  }

 private:
  const bool has_checksums_;
  ByteReader* const file_;
  std::vector<std::pair<int32_t, int64_t>> components_;  // Type and offset.
};

// Returns the planned rate. If that or the partitioner cannot be read, sets
// `facts->error`.
double ReadTable(bool has_checksums, ByteReader* file, Statistics* facts) {
  ComponentTable table(has_checksums, file);
  table.GoTo(kValidation, "VALIDATION");
  const std::string partitioner(file->Text("the partitioner"));
  const double fp_chance = file->Double("the planned chance");
  facts->error = file->error();
  if (file->good()) {
    facts->partitioner = partitioner;
    // The component STATS begins with the histogram of partition sizes
    // (StatsMetadata.serialize).
    const size_t size = table.GoTo(kStats, "STATS");
    facts->num_partitions = CountInHistogram(file->Bytes(size, "STATS"));
  }
  return fp_chance;
}

// ---- Before version `ka` ----

// Statistics.db begins with:
//
//    histogram of partition sizes
//    another histogram
//    position in the commit log     a long and an int
//    lowest timestamp               long, only since `ib`
//    highest timestamp              long
//    time of the latest deletion    int, only since `ja`
//    planned false positive rate    double, only since `ja`
//    compression ratio              double
//    class of the partitioner
//
// (SSTableMetadata of Cassandra 1.2 and 2.0.)
//
// Returns the planned rate. If that cannot be read, sets `facts->error`.
double ReadNumbers(bool has_chance, bool has_lowest_time, ByteReader* file,
                   Statistics* facts) {
  const uint64_t other_numbers = 12 + 8 + (has_lowest_time ? 8 : 0);
  double fp_chance = 0;
  std::optional<uint64_t> num_partitions;
  for (const bool is_first : {true, false}) {
    const uint64_t begin = file->offset();
    const int64_t num_entries = file->Int32("a histogram");
    if (num_entries < 0) {
      file->Fail("a histogram of " + std::to_string(num_entries) +
                 " entries; the file is damaged");
    }
    const uint64_t size =
        4 + kHistogramEntry * static_cast<uint64_t>(num_entries);
    if (is_first && size <= kMaxPartSize) {
      file->GoTo(begin);
      num_partitions = CountInHistogram(
          file->Bytes(static_cast<size_t>(size), "a histogram"));
    }
    file->GoTo(begin + size);
  }
  file->GoTo(file->offset() + other_numbers);
  if (has_chance) {
    file->Int32("the time of the latest deletion");
    fp_chance = file->Double("the planned chance");
  }
  facts->error = file->error();
  file->Double("the compression ratio");
  const std::string partitioner(file->Text("the partitioner"));
  if (file->good()) {
    facts->partitioner = partitioner;
    facts->num_partitions = num_partitions;
  }
  return fp_chance;
}

}  // namespace

Statistics ReadStatistics(const std::string& path, std::string_view version) {
  Statistics facts;
  const SstableVersion* const known = FindSstableVersion(version, &facts.error);
  const auto opened =
      known == nullptr ? nullptr : RandomAccessFile::Open(path, &facts.error);
  if (opened == nullptr) {
    return facts;
  }
  ByteReader file(opened.get());
  const StatisticsLayout layout = known->statistics;
  const bool has_chance = layout != StatisticsLayout::kHistograms;
  const double fp_chance =
      layout == StatisticsLayout::kTable ||
              layout == StatisticsLayout::kTableWithChecksums
          ? ReadTable(layout == StatisticsLayout::kTableWithChecksums, &file,
                      &facts)
          : ReadNumbers(has_chance, /*has_lowest_time=*/version != "ia", &file,
                        &facts);
  facts.partitioner.erase(0, facts.partitioner.rfind('.') + 1);
  if (!has_chance) {
    facts.error = path + ": version " + std::string(version) +
                  " does not hold the planned chance; versions from ja on do";
  } else if (facts.error.empty() && fp_chance > 0 && fp_chance <= 1) {
    facts.fp_chance = fp_chance;
  } else if (facts.error.empty()) {
    facts.error = path + ": a planned chance of " + std::to_string(fp_chance) +
                  ", not more than 0 and at most 1; the file is damaged";
  }
  return facts;
}

}  // namespace cassandra_bloom::tools
