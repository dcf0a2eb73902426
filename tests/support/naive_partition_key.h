// SPDX-License-Identifier: Apache-2.0

// Finds partition keys without the code of the folder `plugin`.

#ifndef CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_PARTITION_KEY_H_
#define CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_PARTITION_KEY_H_

#include <cstdlib>
#include <string>

namespace cassandra_bloom::testing {

inline long NumberBehind(const std::string& spelling, const std::string& name) {
  const size_t found = spelling.find(name);
  return found == std::string::npos
             ? -1
             : std::atol(spelling.c_str() + found + name.size());
}

// Moves one component from the front of `rest` to `taken`. Returns false if
// `rest` is too short.
inline bool TakeComponent(bool of_composite, std::string* rest,
                          std::string* taken) {
  if (rest->size() < 2) {
    return false;
  }
  const size_t length = static_cast<unsigned char>((*rest)[0]) * size_t{256} +
                        static_cast<unsigned char>((*rest)[1]);
  const size_t size = 2 + length + (of_composite ? 1 : 0);
  if (rest->size() < size) {
    return false;
  }
  *taken += of_composite ? rest->substr(0, size) : rest->substr(2, length);
  rest->erase(0, size);
  return true;
}

inline std::string NaivePartitionKey(const std::string& spelling,
                                     const std::string& key) {
  const long skip = NumberBehind(spelling, "skip:");
  std::string rest = key;
  if (skip > 0) {
    if (key.size() < static_cast<size_t>(skip)) {
      return key;
    }
    rest.erase(0, static_cast<size_t>(skip));
  }
  const long fixed = NumberBehind(spelling, "fixed:");
  if (fixed > 0) {
    const auto size = static_cast<size_t>(fixed);
    return rest.size() < size ? key : rest.substr(0, size);
  }
  std::string taken;
  if (spelling.find("u16") != std::string::npos) {
    return TakeComponent(false, &rest, &taken) ? taken : key;
  }
  const long components = NumberBehind(spelling, "composite:");
  for (long i = 0; i < components; ++i) {
    if (!TakeComponent(true, &rest, &taken)) {
      return key;
    }
  }
  return components > 0 ? taken : rest;
}

}  // namespace cassandra_bloom::testing

#endif  // CASSANDRA_BLOOM_TESTS_SUPPORT_NAIVE_PARTITION_KEY_H_
