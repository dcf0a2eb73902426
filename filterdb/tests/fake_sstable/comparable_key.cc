// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/comparable_key.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "plugin/filter/murmur3.h"
#include "tests/support/partition_layouts.h"

namespace cassandra_bloom::testing {
namespace {

constexpr char kNextPart = '\x40';
constexpr char kEnd = '\x38';

// Appends the bytes of `key`, and then a mark of their end. n zero bytes within
// the key become 00, then n - 1 times FE, then FF. If the key does not end with
// a zero byte, the mark is 00. If the key ends with n zero bytes, they become
// 00, then n times FE. These bytes are then also the mark.
void AppendEscaped(std::string_view key, std::string* out) {
  for (size_t at = 0; at < key.size();) {
    if (key[at] != '\0') {
      out->push_back(key[at++]);
      continue;
    }
    const size_t end = std::min(key.find_first_not_of('\0', at), key.size());
    out->push_back('\0');
    out->append(end - at - 1, '\xfe');
    out->push_back(end == key.size() ? '\xfe' : '\xff');
    at = end;
  }
  if (key.empty() || key.back() != '\0') {
    out->push_back('\0');
  }
}

}  // namespace

int64_t Murmur3Token(std::string_view key) {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  if (key.empty()) {
    return kLowest;
  }
  const auto token =
      static_cast<int64_t>(CassandraMurmur3(key.data(), key.size()).h1);
  return token == kLowest ? std::numeric_limits<int64_t>::max() : token;
}

void SortByToken(std::vector<std::string>* keys) {
  std::vector<std::pair<int64_t, std::string>> tokens_and_keys;
  tokens_and_keys.reserve(keys->size());
  for (std::string& key : *keys) {
    const int64_t token = Murmur3Token(key);
    tokens_and_keys.emplace_back(token, std::move(key));
  }
  std::sort(tokens_and_keys.begin(), tokens_and_keys.end());
  for (size_t i = 0; i < keys->size(); ++i) {
    (*keys)[i] = std::move(tokens_and_keys[i].second);
  }
}

std::string ComparableForm(std::string_view key) {
  constexpr uint64_t kSignBit = uint64_t{1} << 63;
  std::string form =
      kNextPart +
      BigEndian(static_cast<uint64_t>(Murmur3Token(key)) ^ kSignBit, 8) +
      kNextPart;
  AppendEscaped(key, &form);
  form.push_back(kEnd);
  return form;
}

}  // namespace cassandra_bloom::testing
