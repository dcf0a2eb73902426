// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/cut_filter.h"

#include <bitset>
#include <limits>
#include <utility>

#include "plugin/filter/block_layout.h"
#include "plugin/filter/endian.h"
#include "plugin/filter/murmur3.h"
#include "plugin/filter/probes.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

// Cassandra cannot query a filter with more than 21 probes (see FilterDbFile).
constexpr int64_t kMaxProbesOfCassandra = 21;

// Returns whether a Filter.db of `size` bytes is shorter than `header` says.
// Returns false if Cassandra cannot use the numbers in `header`.
bool EndsEarly(const char* header, uint64_t size) {
  const int64_t num_probes = LoadBigEndian32(header);
  const int64_t num_words = LoadBigEndian32(header + 4);
  return num_probes >= 1 && num_probes <= kMaxProbesOfCassandra &&
         num_words >= 1 &&
         size - kFilterDbHeaderSize < 8 * static_cast<uint64_t>(num_words);
}

}  // namespace

bool IsCutFilter(const std::string& path) {
  std::string ignored_error;
  const FileDescriptor fd(OpenForReading(path));
  uint64_t size = 0;
  if (!SizeOfRegularFile(fd.get(), path, &size, &ignored_error)) {
    return false;
  }
  char header[kFilterDbHeaderSize];
  return size < sizeof(header) ||
         (ReadAt(fd.get(), 0, sizeof(header), header) == sizeof(header) &&
          EndsEarly(header, size));
}

std::unique_ptr<CutFilter> CutFilter::Open(const std::string& path,
                                           FilterForm form) {
  std::string ignored_error;
  std::string file;
  if (form.word_order != WordOrder::kLittleEndianWords || !IsCutFilter(path) ||
      !ReadRegularFile(path, std::numeric_limits<uint64_t>::max(), &file,
                       &ignored_error) ||
      file.size() < kFilterDbHeaderSize ||
      !EndsEarly(file.data(), file.size())) {
    return nullptr;
  }
  const int num_probes = LoadBigEndian32(file.data());
  const auto num_words =
      static_cast<uint64_t>(LoadBigEndian32(file.data() + 4));
  return std::unique_ptr<CutFilter>(
      new CutFilter(std::move(file), num_probes, 64 * num_words));
}

CutFilter::CutFilter(std::string file, int num_probes, uint64_t capacity_bits)
    : file_(std::move(file)),
      num_probes_(num_probes),
      capacity_bits_(capacity_bits),
      bits_(std::string_view(file_).substr(kFilterDbHeaderSize)) {}

uint64_t CutFilter::CountSetBits() const {
  uint64_t count = 0;
  for (const char byte : bits_) {
    count += std::bitset<8>(static_cast<unsigned char>(byte)).count();
  }
  return count;
}

bool CutFilter::MayContain(std::string_view key) const {
  ProbeSequence probes(CassandraMurmur3(key.data(), key.size()),
                       capacity_bits_);
  for (int i = 0; i < num_probes_; ++i) {
    const uint64_t position = probes.Next();
    if (position / 8 >= bits_.size() ||
        (bits_[position / 8] >> position % 8 & 1) == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace cassandra_bloom::tools
