// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/statistics_db.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "filterdb/sstable/bytes/byte_reader.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/bytes/random_access_file.h"
#include "plugin/filter/endian.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

// Returns the CRC-32 of the bytes from `begin` to the reader's offset. To
// continue a checksum, give the CRC-32 of the preceding bytes as `before`.
uint32_t CrcSince(uint64_t begin, ByteReader* file, uint32_t before = 0) {
  constexpr uint64_t kPieceSize = 4096;
  const uint64_t end = file->offset();
  uint32_t sum = before;
  for (file->GoTo(begin); file->good() && file->offset() < end;) {
    sum = Crc32(
        file->Bytes(std::min(kPieceSize, end - file->offset()), "the sum"),
        sum);
  }
  return sum;
}

bool CheckCrc(uint32_t computed, ByteReader* file) {
  const auto stored = static_cast<uint32_t>(file->Int32("a checksum"));
  return file->good() &&
         (stored == computed ||
          file->Fail("the checksum is wrong; the file is damaged"));
}

// Returns whether each part of the file has a checksum, which Cassandra checks
// (MetadataSerializer.deserialize).
bool HasChecksums(const SstableVersion& version) {
  return version.statistics == StatisticsLayout::kTableWithChecksums;
}

bool HasTable(const SstableVersion& version) {
  return version.statistics == StatisticsLayout::kTable ||
         HasChecksums(version);
}

// The types of components (io.sstable.metadata.MetadataType). Cassandra has
// four. A file with more than kMaxComponents is damaged.
constexpr int32_t kValidation = 0;
constexpr int32_t kStats = 2;
constexpr int32_t kMaxComponents = 64;

struct Component {
  uint64_t begin = 0;
  uint64_t end = 0;  // Where the next component begins, or the file ends.
};

std::optional<Component> FindComponent(ByteReader* file, int32_t wanted,
                                       bool has_checksums) {
  file->GoTo(0);
  const int32_t num_components = file->Int32("the number of components");
  if (file->good() && (num_components < 1 || num_components > kMaxComponents)) {
    file->Fail("a table of " + std::to_string(num_components) +
               " components; the file is damaged or of another version");
  }
  uint32_t sum = has_checksums ? CrcSince(0, file) : 0;
  if (has_checksums && !CheckCrc(sum, file)) {
    return std::nullopt;
  }
  const uint64_t table_at = file->offset();
  int64_t offset = -1;
  std::vector<int64_t> offsets;
  for (int32_t i = 0; i < num_components && file->good(); ++i) {
    const int32_t type = file->Int32("the table of components");
    offsets.push_back(file->Int32("the table of components"));
    offset = type == wanted ? offsets.back() : offset;
  }
  if (has_checksums) {
    CheckCrc(CrcSince(table_at, file, sum), file);
  }
  if (file->good() && offset < 0) {
    file->Fail(wanted == kValidation ? "no component VALIDATION"
                                     : "no component STATS");
  }
  if (!file->good()) {
    return std::nullopt;
  }
  auto end = static_cast<int64_t>(file->offset() + file->left());
  for (const int64_t other : offsets) {
    end = other > offset ? std::min(end, other) : end;
  }
  return Component{static_cast<uint64_t>(offset), static_cast<uint64_t>(end)};
}

struct Validation {
  std::string partitioner;  // The class name with its package.
  double fp_chance = 0;
};

// After an error, file->good() is false.
Validation ReadValidation(ByteReader* file, bool has_checksums) {
  Validation validation;
  const auto component = FindComponent(file, kValidation, has_checksums);
  if (component) {
    file->GoTo(component->begin);
    validation.partitioner = file->Text("the partitioner");
    validation.fp_chance = file->Double("the planned chance");
    if (has_checksums) {
      CheckCrc(CrcSince(component->begin, file), file);
    }
  }
  return validation;
}

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

// The largest size in bytes of a component STATS or of a histogram. Cassandra's
// histograms have 150 entries.
constexpr uint64_t kMaxStatsSize = uint64_t{1} << 20;

// The component STATS begins with the histogram of partition sizes
// (StatsMetadata.serialize).
std::optional<uint64_t> CountInStats(ByteReader* file, bool has_checksums) {
  constexpr uint64_t kCrcSize = 4;
  const auto component = FindComponent(file, kStats, has_checksums);
  const uint64_t crc_size = has_checksums ? kCrcSize : 0;
  if (!component || component->end < component->begin + crc_size) {
    return std::nullopt;
  }
  const uint64_t size = component->end - component->begin - crc_size;
  if (size > kMaxStatsSize) {
    return std::nullopt;
  }
  file->GoTo(component->begin);
  const std::string stats(file->Bytes(static_cast<size_t>(size), "STATS"));
  const bool is_good = has_checksums
                           ? CheckCrc(CrcSince(component->begin, file), file)
                           : file->good();
  return is_good ? CountInHistogram(stats) : std::nullopt;
}

// Before version `ka`, Statistics.db begins with:
//
//    histogram of partition sizes
//    another histogram
//    position in the commit log     a long and an int
//    two timestamps                 longs
//    time of the latest deletion    int, only since `ja`
//    planned false positive rate    double, only since `ja`
//    compression ratio              double
//    class of the partitioner
//
// (SSTableMetadata of Cassandra 1.2 and 2.0.)
struct OldNumbers {
  std::optional<uint64_t> num_partitions;
  double fp_chance = 0;
};

// After the call, the offset of `*file` is that of the compression ratio.
OldNumbers ReadOldNumbers(ByteReader* file, bool has_chance) {
  constexpr uint64_t kOtherNumbers = 12 + 2 * 8;
  OldNumbers numbers;
  for (int i = 0; i < 2; ++i) {
    const uint64_t begin = file->offset();
    const int64_t num_entries = file->Int32("a histogram");
    if (num_entries < 0) {
      file->Fail("a histogram of " + std::to_string(num_entries) +
                 " entries; the file is damaged");
      return numbers;
    }
    const uint64_t size = kHistogramEntry * static_cast<uint64_t>(num_entries);
    if (i == 0 && size <= kMaxStatsSize) {
      file->GoTo(begin);
      numbers.num_partitions = CountInHistogram(
          file->Bytes(4 + static_cast<size_t>(size), "a histogram"));
    }
    file->GoTo(begin + 4 + size);
  }
  file->GoTo(file->offset() + kOtherNumbers);
  if (has_chance) {
    file->Int32("the time of the latest deletion");
    numbers.fp_chance = file->Double("the planned chance");
  }
  return numbers;
}

}  // namespace

bool ReadFpChance(const std::string& path, std::string_view version,
                  double* fp_chance, std::string* error) {
  const SstableVersion* const known = FindSstableVersion(version, error);
  if (known == nullptr) {
    return false;
  }
  if (known->statistics == StatisticsLayout::kHistograms) {
    *error = path + ": version " + std::string(version) +
             " does not hold the planned chance; versions from ja on do";
    return false;
  }
  const auto opened = RandomAccessFile::Open(path, error);
  if (opened == nullptr) {
    return false;
  }
  ByteReader file(opened.get());
  *fp_chance = HasTable(*known)
                   ? ReadValidation(&file, HasChecksums(*known)).fp_chance
                   : ReadOldNumbers(&file, /*has_chance=*/true).fp_chance;
  if (file.good() && !(*fp_chance > 0 && *fp_chance <= 1)) {
    file.Fail("a planned chance of " + std::to_string(*fp_chance) +
              ", not more than 0 and at most 1; the file is damaged");
  }
  *error = file.error();
  return file.good();
}

PartitionFacts ReadPartitionFacts(const std::string& path,
                                  std::string_view version) {
  std::string ignored_error;
  const SstableVersion* const known = FindSstableVersion(version);
  const auto opened =
      known == nullptr ? nullptr : RandomAccessFile::Open(path, &ignored_error);
  if (opened == nullptr) {
    return {};
  }
  ByteReader file(opened.get());
  PartitionFacts facts;
  if (HasTable(*known)) {
    facts.partitioner = ReadValidation(&file, HasChecksums(*known)).partitioner;
  } else {
    facts.num_partitions =
        ReadOldNumbers(
            &file, known->statistics == StatisticsLayout::kHistogramsAndChance)
            .num_partitions;
    file.Double("the compression ratio");
    facts.partitioner = file.Text("the partitioner");
  }
  if (!file.good()) {
    return {};
  }
  if (HasTable(*known)) {
    facts.num_partitions = CountInStats(&file, HasChecksums(*known));
  }
  facts.partitioner.erase(0, facts.partitioner.rfind('.') + 1);
  return facts;
}

}  // namespace cassandra_bloom::tools
