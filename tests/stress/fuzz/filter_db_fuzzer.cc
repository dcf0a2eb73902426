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

// Puts the bytes of each word into the order of NaiveFilter, which is that of
// `na` and later, or back into the order of `form`.
std::string Reordered(std::string bytes, FilterForm form) {
  if (form != kNaAndLater) {
    for (auto word = bytes.begin() + kHeaderSize; word != bytes.end();
         word += 8) {
      std::reverse(word, word + 8);
    }
  }
  return bytes;
}

std::pair<uint64_t, uint64_t> HashOf(const std::string& key, FilterForm form) {
  auto [h1, h2] = PlainHash(key);
  return form == kBeforeMa ? std::pair(h2, h1) : std::pair(h1, h2);
}

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

void CheckContent(const FilterDbFile& filter, const std::string& bytes) {
  FUZZ_CHECK(!filter.always_present());
  const Header header = HeaderOf(bytes);
  FUZZ_CHECK(static_cast<uint64_t>(filter.num_probes()) == header.num_probes);
  FUZZ_CHECK(filter.num_words() == header.num_words);
  FUZZ_CHECK(filter.capacity_bits() / 8 + kHeaderSize == bytes.size());
  uint64_t num_set = 0;
  for (size_t i = kHeaderSize; i < bytes.size(); ++i) {
    num_set += std::bitset<8>(static_cast<uint8_t>(bytes[i])).count();
  }
  FUZZ_CHECK(filter.CountSetBits() == num_set);
}

// Checks the answers. Then sets the bits of all keys and checks again, because
// few keys match random bits.
void CheckAnswers(const FilterDbFile& filter, const std::string& bytes,
                  const std::vector<std::string>& keys) {
  std::string naive = Reordered(bytes, filter.form());
  char* const bits = naive.data() + kHeaderSize;
  const std::vector<bool> answers = AskAll(filter, keys);
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto [h1, h2] = HashOf(keys[i], filter.form());
    FUZZ_CHECK(answers[i] == PlainBitsMayContain(h1, h2, filter.num_probes(),
                                                 filter.num_words(), bits));
  }
  for (const std::string& key : keys) {
    const auto [h1, h2] = HashOf(key, filter.form());
    AddToPlainBits(h1, h2, filter.num_probes(), filter.num_words(), bits);
  }
  naive = Reordered(naive, filter.form());
  const auto filled = Open(naive, filter.form());
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
  CheckContent(*filter, bytes);
  CheckAnswers(*filter, bytes, keys);
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
