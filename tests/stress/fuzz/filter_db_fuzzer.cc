// SPDX-License-Identifier: Apache-2.0

// Opens a Filter.db of any bytes. An accepted filter must answer like
// NaiveFilter, a slow and simple filter, with the same bits. Writing the filter
// must give the same bytes again. The first byte of the input decides whether
// the header is changed to fit the file.

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter_db/filter_db_file.h"
#include "tests/stress/fuzz/fuzz_input.h"
#include "tests/support/naive_filter.h"

namespace cassandra_bloom::testing {
namespace {

using Positions = std::vector<uint64_t>;

// Reads and sets the bits of a Filter.db in the bytes of the file.
class NaiveFile {
 public:
  // `bytes` must be a Filter.db that is not empty.
  NaiveFile(const std::string& bytes, FilterForm form)
      : bytes_(bytes),
        form_(form),
        num_probes_(static_cast<int>(HeaderOf(bytes).num_probes)),
        num_words_(static_cast<uint32_t>(HeaderOf(bytes).num_words)) {}

  const std::string& bytes() const { return bytes_; }
  int num_probes() const { return num_probes_; }
  uint32_t num_words() const { return num_words_; }

  std::vector<Positions> PositionsOf(
      const std::vector<std::string>& keys) const {
    std::vector<Positions> positions;
    for (const std::string& key : keys) {
      auto [h1, h2] = PlainHash(key);
      if (form_ == kBeforeMa) {
        std::swap(h1, h2);
      }
      Positions& of_key = positions.emplace_back();
      for (int probe = 0; probe < num_probes_; ++probe) {
        of_key.push_back(PlainPosition(h1, h2, probe, num_words_));
      }
    }
    return positions;
  }

  void Set(const Positions& positions) {
    for (const uint64_t position : positions) {
      char& byte = bytes_[ByteOf(position)];
      byte = static_cast<char>(byte | (1 << (position % 8)));
    }
  }

  bool AllSet(const Positions& positions) const {
    return std::all_of(
        positions.begin(), positions.end(), [this](uint64_t position) {
          return (bytes_[ByteOf(position)] >> (position % 8) & 1) != 0;
        });
  }

  uint64_t CountSetBits() const {
    uint64_t count = 0;
    for (size_t i = kHeaderSize; i < bytes_.size(); ++i) {
      count += std::bitset<8>(static_cast<uint8_t>(bytes_[i])).count();
    }
    return count;
  }

 private:
  size_t ByteOf(uint64_t position) const {
    const uint64_t in_word = position % 64 / 8;
    return kHeaderSize + position / 64 * 8 +
           (form_ == kNaAndLater ? in_word : 7 - in_word);
  }

  std::string bytes_;
  const FilterForm form_;
  const int num_probes_;
  const uint32_t num_words_;
};

std::vector<bool> AskAll(const FilterDbFile& filter,
                         const std::vector<std::string>& keys) {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  const auto answers = std::make_unique<bool[]>(keys.size());
  filter.MayContain(views.data(), views.size(), answers.get());
  for (size_t i = 0; i < keys.size(); ++i) {
    FUZZ_CHECK(filter.MayContain(keys[i]) == answers[i]);
  }
  return std::vector<bool>(answers.get(), answers.get() + keys.size());
}

std::unique_ptr<FilterDbFile> Open(const std::string& bytes, FilterForm form) {
  const std::string path = FuzzFolder() / "file";
  // Another filter may still have the previous file in its memory map. So the
  // previous file must be removed, and must not be overwritten.
  std::filesystem::remove(path);
  WriteFile(path, bytes);
  std::string error;
  auto filter = FilterDbFile::Open(path, form, &error);
  // An empty file is a filter of Cassandra that every key matches.
  FUZZ_CHECK((filter != nullptr) == (bytes.empty() || IsFilter(bytes)));
  FUZZ_CHECK(filter != nullptr || error.size() > path.size() + 2);
  return filter;
}

std::string Written(const FilterDbFile& filter, FilterForm form) {
  std::string error;
  FUZZ_CHECK(
      WriteFileAtomically(FuzzFolder() / "written", /*overwrite=*/true,
                          FilterDbContent(form, filter.num_probes(),
                                          filter.num_words(), filter.bits()),
                          &error));
  return ReadFile(FuzzFolder() / "written");
}

void CheckAlwaysPresent(const FilterDbFile& filter,
                        const std::vector<std::string>& keys) {
  FUZZ_CHECK(filter.always_present());
  FUZZ_CHECK(filter.num_probes() == 0 && filter.num_words() == 0);
  FUZZ_CHECK(filter.capacity_bits() == 0 && filter.CountSetBits() == 0);
  FUZZ_CHECK(AskAll(filter, keys) == std::vector<bool>(keys.size(), true));
}

void CheckContent(const FilterDbFile& filter, const NaiveFile& naive) {
  FUZZ_CHECK(!filter.always_present());
  FUZZ_CHECK(filter.num_probes() == naive.num_probes());
  FUZZ_CHECK(filter.num_words() == naive.num_words());
  FUZZ_CHECK(filter.capacity_bits() / 8 + kHeaderSize == naive.bytes().size());
  FUZZ_CHECK(filter.CountSetBits() == naive.CountSetBits());
}

// Checks the answers. Then sets the bits of all keys and checks again, because
// few keys match random bits.
void CheckAnswers(const FilterDbFile& filter, NaiveFile naive,
                  const std::vector<std::string>& keys) {
  const std::vector<Positions> positions = naive.PositionsOf(keys);
  const std::vector<bool> answers = AskAll(filter, keys);
  for (size_t i = 0; i < keys.size(); ++i) {
    FUZZ_CHECK(answers[i] == naive.AllSet(positions[i]));
  }
  for (const Positions& of_key : positions) {
    naive.Set(of_key);
  }
  const auto filled = Open(naive.bytes(), filter.form());
  CheckContent(*filled, naive);
  FUZZ_CHECK(AskAll(*filled, keys) == std::vector<bool>(keys.size(), true));
}

void CheckConversion(const FilterDbFile& filter, const std::string& bytes) {
  const FilterForm form = filter.form();
  FUZZ_CHECK(Written(filter, form) == bytes);
  const FilterForm other = form == kNaAndLater ? kMaToMe : kNaAndLater;
  const auto converted = Open(Written(filter, other), other);
  FUZZ_CHECK(Written(*converted, form) == bytes);
}

void Check(const std::string& bytes, FilterForm form) {
  const auto filter = Open(bytes, form);
  if (filter == nullptr) {
    return;
  }
  FUZZ_CHECK(filter->form() == form);
  const std::vector<std::string> keys = KeysIn(bytes);
  if (bytes.empty()) {
    CheckAlwaysPresent(*filter, keys);
    return;
  }
  const NaiveFile naive(bytes, form);
  CheckContent(*filter, naive);
  CheckAnswers(*filter, naive, keys);
  CheckConversion(*filter, bytes);
}

}  // namespace
}  // namespace cassandra_bloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cassandra_bloom;
  testing::FuzzInput input(data, size);
  const bool fits = input.Number(1) % 2 == 1;
  std::string bytes = input.Bytes(size);
  if (fits) {
    testing::MakeHeaderFit(&bytes);
  }
  for (const FilterForm form : {kBeforeMa, kMaToMe, kNaAndLater}) {
    testing::Check(bytes, form);
  }
  return 0;
}
