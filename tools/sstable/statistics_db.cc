// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/statistics_db.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter/endian.h"
#include "plugin/sstable/file_io.h"

namespace cassandra_bloom::tools {
namespace {

// Reads numbers one after another. After the first failure every number is 0.
class StatisticsFile {
 public:
  StatisticsFile(const std::string& path, std::string* error)
      : path_(path),
        fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)),
        error_(error) {
    if (fd_.get() < 0) {
      FailWithErrno(path_, "cannot open", error_);
      good_ = false;
    }
  }

  bool good() const { return good_; }
  uint64_t offset() const { return offset_; }

  // From now on, computes the CRC32 of what is read.
  void RestartCrc() { crc_ = 0; }

  // Reads a stored CRC32, which is not a part of the sum itself. Fails if it is
  // not that of the bytes since RestartCrc.
  bool CheckCrc() {
    const uint32_t computed = crc_;
    const auto stored = static_cast<uint32_t>(Int32());
    crc_ = computed;
    return good_ && (computed == stored ||
                     Fail("the checksum is wrong; the file is damaged"));
  }

  void GoTo(uint64_t offset) { offset_ = offset; }

  int32_t Int32() {
    char bytes[4] = {};
    Read(bytes, sizeof(bytes));
    return LoadBigEndian32(bytes);
  }

  double Double() {
    char bytes[8] = {};
    Read(bytes, sizeof(bytes));
    const int64_t bits = LoadBigEndian64(bytes);
    double number;
    std::memcpy(&number, &bits, sizeof(number));
    return number;
  }

  // Reads a string of DataOutput.writeUTF: its size in two bytes, then its
  // bytes.
  std::string String() {
    char size[2] = {};
    Read(size, sizeof(size));
    return Bytes(LoadBigEndian16(size));
  }

  std::string Bytes(size_t size) {
    std::string bytes(size, '\0');
    Read(bytes.data(), bytes.size());
    return bytes;
  }

  // The number of bytes; 0 after an error.
  uint64_t size() {
    struct stat status;
    return good_ && fstat(fd_.get(), &status) == 0
               ? static_cast<uint64_t>(status.st_size)
               : 0;
  }

  // Keeps the first error. Returns false.
  bool Fail(const std::string& what) {
    if (good_) {
      *error_ = path_ + ": byte " + std::to_string(offset_) + ": " + what;
    }
    good_ = false;
    return false;
  }

 private:
  void Read(char* to, size_t size) {
    size_t done = 0;
    while (good_ && done < size) {
      const ssize_t got = pread(fd_.get(), to + done, size - done,
                                static_cast<off_t>(offset_ + done));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        good_ = FailWithErrno(path_, "cannot read", error_);
      } else if (got == 0) {
        Fail("the file ends here; it is truncated or damaged");
      }
      done += static_cast<size_t>(got > 0 ? got : 0);
    }
    if (!good_) {
      std::memset(to, 0, size);
    }
    offset_ += size;
    crc_ = static_cast<uint32_t>(crc32(crc_, reinterpret_cast<const Bytef*>(to),
                                       static_cast<uInt>(size)));
  }

  const std::string path_;
  const FileDescriptor fd_;
  std::string* const error_;
  bool good_ = true;
  uint64_t offset_ = 0;
  uint32_t crc_ = 0;
};

// Cassandra checks the sum of each part since `na`
// (MetadataSerializer.deserialize; `da` is later than `na`).
bool HasChecksums(std::string_view version) {
  return version[0] == 'n' || version[0] == 'o' || version[0] == 'd';
}

// The types of components: org.apache.cassandra.io.sstable.metadata
// .MetadataType. There are four; more in a file would be of a later version.
constexpr int32_t kValidation = 0;
constexpr int32_t kStats = 2;
constexpr int32_t kMaxComponents = 64;

struct Component {
  uint64_t begin = 0;
  uint64_t end = 0;  // Where the next one begins, or the file ends.
};

// Reads the table of components. Returns the place of one of them, or nothing
// after an error.
std::optional<Component> FindComponent(StatisticsFile* file, int32_t wanted,
                                       bool has_checksums) {
  file->GoTo(0);
  file->RestartCrc();
  const int32_t num_components = file->Int32();
  if (num_components < 1 || num_components > kMaxComponents) {
    file->Fail("a table of " + std::to_string(num_components) +
               " components; the file is damaged or of another version");
    return std::nullopt;
  }
  if (has_checksums && !file->CheckCrc()) {
    return std::nullopt;
  }
  int64_t offset = -1;
  std::vector<int64_t> offsets;
  for (int32_t i = 0; i < num_components && file->good(); ++i) {
    const int32_t type = file->Int32();
    offsets.push_back(file->Int32());
    offset = type == wanted ? offsets.back() : offset;
  }
  if (!file->good() || (has_checksums && !file->CheckCrc())) {
    return std::nullopt;
  }
  if (offset < 0) {
    file->Fail(wanted == kValidation ? "no component VALIDATION"
                                     : "no component STATS");
    return std::nullopt;
  }
  auto end = static_cast<int64_t>(file->size());
  for (const int64_t other : offsets) {
    end = other > offset ? std::min(end, other) : end;
  }
  return Component{static_cast<uint64_t>(offset), static_cast<uint64_t>(end)};
}

struct Validation {
  std::string partitioner;  // With its package.
  double fp_chance = 0;
};

// After an error, file->good() is false.
Validation ReadValidation(StatisticsFile* file, bool has_checksums) {
  Validation validation;
  const auto component = FindComponent(file, kValidation, has_checksums);
  if (component) {
    file->GoTo(component->begin);
    file->RestartCrc();
    validation.partitioner = file->String();
    validation.fp_chance = file->Double();
    if (has_checksums) {
      file->CheckCrc();
    }
  }
  return validation;
}

// A histogram (utils.EstimatedHistogram) is the number of its entries, an int,
// and for each the bucket's limit and what is in the bucket, longs.
constexpr size_t kHistogramEntry = 16;

// The sum of all buckets of a histogram at the beginning of `bytes`; nothing if
// there is none.
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
  // No SSTable is empty, so the histogram is not in use.
  return count == 0 ? std::nullopt : std::optional<uint64_t>(count);
}

// As much of STATS, or of an older file, as may be a histogram and what follows
// it. (Cassandra's have 150 entries.)
constexpr uint64_t kMaxStatsSize = uint64_t{1} << 20;

// STATS begins with the histogram of the sizes of partitions
// (StatsMetadata.serialize).
std::optional<uint64_t> CountInStats(StatisticsFile* file, bool has_checksums) {
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
  file->RestartCrc();
  const std::string stats = file->Bytes(static_cast<size_t>(size));
  return file->good() && (!has_checksums || file->CheckCrc())
             ? CountInHistogram(stats)
             : std::nullopt;
}

// Before `ka` there is no table: two histograms, the first of the sizes of
// partitions, the position in the commit log (a long and an int) and two
// timestamps (longs) come first. Then, from `ja` on, the time of the latest
// deletion (an int) and the planned chance (SSTableMetadata of Cassandra 1.2
// and 2.0).
struct OldNumbers {
  std::optional<uint64_t> num_partitions;
  double fp_chance = 0;
};

// The file is then at the compression ratio, a double, which the class of the
// partitioner follows.
OldNumbers ReadOldNumbers(StatisticsFile* file, bool has_chance) {
  constexpr uint64_t kOtherNumbers = 12 + 2 * 8;
  OldNumbers numbers;
  for (int i = 0; i < 2; ++i) {
    const uint64_t begin = file->offset();
    const int64_t num_entries = file->Int32();
    if (num_entries < 0) {
      file->Fail("a histogram of " + std::to_string(num_entries) +
                 " entries; the file is damaged");
      return numbers;
    }
    const uint64_t size = kHistogramEntry * static_cast<uint64_t>(num_entries);
    if (i == 0 && size <= kMaxStatsSize) {
      file->GoTo(begin);
      numbers.num_partitions =
          CountInHistogram(file->Bytes(4 + static_cast<size_t>(size)));
    }
    file->GoTo(begin + 4 + size);
  }
  file->GoTo(file->offset() + kOtherNumbers);
  if (has_chance) {
    file->Int32();
    numbers.fp_chance = file->Double();
  }
  return numbers;
}

}  // namespace

bool ReadFpChance(const std::string& path, std::string_view version,
                  double* fp_chance, std::string* error) {
  FilterForm form;
  if (!FormOfSstableVersion(version, &form, error)) {
    return false;
  }
  if (version[0] == 'i') {
    *error = path + ": version " + std::string(version) +
             " does not hold the planned chance; versions from ja on do";
    return false;
  }
  StatisticsFile file(path, error);
  if (!file.good()) {
    return false;
  }
  *fp_chance = version[0] == 'j'
                   ? ReadOldNumbers(&file, /*has_chance=*/true).fp_chance
                   : ReadValidation(&file, HasChecksums(version)).fp_chance;
  return file.good() &&
         ((*fp_chance > 0 && *fp_chance <= 1) ||
          file.Fail("a planned chance of " + std::to_string(*fp_chance) +
                    ", not more than 0 and at most 1; the file is damaged"));
}

PartitionFacts ReadPartitionFacts(const std::string& path,
                                  std::string_view version) {
  PartitionFacts facts;
  FilterForm form;
  std::string ignored_error;
  if (!FormOfSstableVersion(version, &form, &ignored_error)) {
    return facts;
  }
  StatisticsFile file(path, &ignored_error);
  if (version[0] == 'i' || version[0] == 'j') {
    facts.num_partitions =
        ReadOldNumbers(&file, version[0] == 'j').num_partitions;
    file.Double();
    facts.partitioner = file.String();
    if (!file.good()) {
      return {};
    }
  } else {
    const bool has_checksums = HasChecksums(version);
    facts.partitioner = ReadValidation(&file, has_checksums).partitioner;
    if (!file.good()) {
      return {};
    }
    facts.num_partitions = CountInStats(&file, has_checksums);
  }
  facts.partitioner.erase(0, facts.partitioner.rfind('.') + 1);
  return facts;
}

}  // namespace cassandra_bloom::tools
