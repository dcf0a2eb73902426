// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/comparable_key.h"

#include <limits>
#include <map>

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
  bool is_after_zero = false;
  for (const char byte : key) {
    if (byte == '\0') {
      out->push_back(is_after_zero ? '\xfe' : '\0');
    } else {
      out->append(is_after_zero ? "\xff" : "");
      out->push_back(byte);
    }
    is_after_zero = byte == '\0';
  }
  out->push_back(is_after_zero ? '\xfe' : '\0');
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
  std::map<std::string, std::string> key_of_form;
  for (const std::string& key : *keys) {
    key_of_form[ComparableForm(key)] = key;
  }
  keys->clear();
  for (const auto& [form, key] : key_of_form) {
    keys->push_back(key);
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
