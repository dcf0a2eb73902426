// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/statistics_db.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

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

  // Reads over a string of DataOutput.writeUTF: its size in two bytes, then its
  // bytes.
  void SkipString() {
    char size[2] = {};
    Read(size, sizeof(size));
    std::string text(LoadBigEndian16(size), '\0');
    Read(text.data(), text.size());
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
constexpr int32_t kMaxComponents = 64;

// Reads the table of components. Returns the offset of VALIDATION, or a
// negative number after an error.
int32_t OffsetOfValidation(StatisticsFile* file, bool has_checksums) {
  file->RestartCrc();
  const int32_t num_components = file->Int32();
  if (num_components < 1 || num_components > kMaxComponents) {
    file->Fail("a table of " + std::to_string(num_components) +
               " components; the file is damaged or of another version");
    return -1;
  }
  if (has_checksums && !file->CheckCrc()) {
    return -1;
  }
  int32_t offset = -1;
  for (int32_t i = 0; i < num_components && file->good(); ++i) {
    const int32_t type = file->Int32();
    const int32_t at = file->Int32();
    offset = type == kValidation ? at : offset;
  }
  if (!file->good() || (has_checksums && !file->CheckCrc())) {
    return -1;
  }
  if (offset < 0) {
    file->Fail("no component VALIDATION");
  }
  return offset;
}

double ReadFromComponents(StatisticsFile* file, bool has_checksums) {
  const int32_t offset = OffsetOfValidation(file, has_checksums);
  if (offset < 0) {
    return 0;
  }
  file->GoTo(static_cast<uint64_t>(offset));
  file->RestartCrc();
  file->SkipString();  // The class of the partitioner.
  const double fp_chance = file->Double();
  return !has_checksums || file->CheckCrc() ? fp_chance : 0;
}

// Versions `ja` and `jb`: two histograms of 16 bytes an entry, the position in
// the commit log (a long and an int), two timestamps (longs) and the time of
// the latest deletion (an int) come first (SSTableMetadata of Cassandra 2.0).
double ReadFromNumbers(StatisticsFile* file) {
  constexpr int64_t kEntrySize = 16;
  constexpr uint64_t kOtherNumbers = 12 + 2 * 8 + 4;
  for (int i = 0; i < 2; ++i) {
    const int64_t num_entries = file->Int32();
    if (num_entries < 0) {
      file->Fail("a histogram of " + std::to_string(num_entries) +
                 " entries; the file is damaged");
      return 0;
    }
    file->GoTo(file->offset() +
               static_cast<uint64_t>(kEntrySize * num_entries));
  }
  file->GoTo(file->offset() + kOtherNumbers);
  return file->Double();
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
                   ? ReadFromNumbers(&file)
                   : ReadFromComponents(&file, HasChecksums(version));
  return file.good() &&
         ((*fp_chance > 0 && *fp_chance <= 1) ||
          file.Fail("a planned chance of " + std::to_string(*fp_chance) +
                    ", not more than 0 and at most 1; the file is damaged"));
}

}  // namespace cassandra_bloom::tools
