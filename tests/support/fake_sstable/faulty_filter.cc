// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/faulty_filter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "plugin/filter/endian.h"

namespace cassandra_bloom::testing {
namespace {

constexpr size_t kHeaderBytes = 8;
// Every tenth key is left out of the filter.
constexpr size_t kLeftOutEvery = 10;
// Every 64th byte with set bits is cleared.
constexpr size_t kClearedEvery = 64;

uint64_t ExpectedKeys(const SstableSpec& spec) {
  const uint64_t expected =
      std::max<uint64_t>(spec.keys.size(), spec.min_expected_keys);
  switch (spec.fault) {
    case FilterFault::kHalfSize:
      return std::max<uint64_t>(1, spec.keys.size() / 2);
    case FilterFault::kQuarterSize:
      return std::max<uint64_t>(1, spec.keys.size() / 4);
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
    if (!leave_out || i % kLeftOutEvery != 0) {
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
    if ((*file)[i] != '\0' && bytes_with_bits++ % kClearedEvery == 0) {
      (*file)[i] = '\0';
    }
  }
}

void SaturateBits(std::string* file) {
  std::fill(file->begin() + kHeaderBytes, file->end(), '\xff');
}

void CheckDeniesAKey(const SstableSpec& spec, FilterForm form,
                     const std::string& file) {
  std::string error;
  const auto filter = FilterDbFile::FromBytes(file, form, &error);
  if (filter == nullptr) {
    throw std::runtime_error(error);
  }
  for (const std::string& key : spec.keys) {
    if (!filter->MayContain(key)) {
      return;
    }
  }
  throw std::runtime_error(
      "the filter finds every key by chance, in spite of its fault");
}

}  // namespace

std::optional<std::string> FaultyFilter(const SstableSpec& spec,
                                        FilterForm form) {
  if (spec.fault == FilterFault::kMissing ||
      spec.fault == FilterFault::kNoFilterPlanned) {
    return std::nullopt;
  }
  if (spec.fault == FilterFault::kEmpty) {
    return "";
  }
  std::string file = Build(
      spec, spec.fault == FilterFault::kOtherForm ? OtherFormOf(spec) : form);
  switch (spec.fault) {
    case FilterFault::kBitsCleared:
      ClearBits(&file);
      [[fallthrough]];
    case FilterFault::kKeysLeftOut:
    case FilterFault::kOtherForm:
      CheckDeniesAKey(spec, form, file);
      break;
    case FilterFault::kSaturated:
      SaturateBits(&file);
      break;
    case FilterFault::kTruncated:
      file.resize(file.size() / 2);
      break;
    case FilterFault::kProbes0:
      StoreBigEndian32(0, file.data());
      break;
    case FilterFault::kProbes99:
      StoreBigEndian32(99, file.data());
      break;
    default:
      break;
  }
  return file;
}

}  // namespace cassandra_bloom::testing
