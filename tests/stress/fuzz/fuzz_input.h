// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_INPUT_H_
#define CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom::testing {

// Takes numbers and strings from the front of a fuzzer's input. After the end
// of the input, numbers are 0 and strings are empty.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  bool at_end() const { return rest_.empty(); }

  std::string Bytes(size_t size) {
    std::string bytes(rest_.substr(0, size));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }

  // Takes a big-endian number of `size` bytes, or of all remaining bytes if
  // fewer remain.
  uint64_t Number(size_t size) {
    uint64_t number = 0;
    for (const char byte : Bytes(size)) {
      number = number << 8 | static_cast<uint8_t>(byte);
    }
    return number;
  }

 private:
  std::string_view rest_;
};

// Returns parts of `bytes` as keys, enough for two batches of a kernel.
inline std::vector<std::string> KeysIn(const std::string& bytes) {
  constexpr size_t kNumKeys = 70;
  std::vector<std::string> keys;
  for (size_t i = 0; i < kNumKeys; ++i) {
    keys.push_back(bytes.substr(i * 13 % (bytes.size() + 1), i % 41));
  }
  return keys;
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_STRESS_FUZZ_FUZZ_INPUT_H_
