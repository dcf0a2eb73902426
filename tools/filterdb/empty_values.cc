// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/empty_values.h"

namespace cassandra_bloom::tools {
namespace {

bool IsOption(const std::string& word) {
  return word.size() > 2 && word.compare(0, 2, "--") == 0;
}

std::string OfOption(const std::string& name) {
  return name + ": its value is empty; give one, or leave the option out";
}

}  // namespace

std::string EmptyValueIn(const std::vector<std::string>& words) {
  bool options_end = false;  // After "--" all words are operands.
  std::string before;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (!options_end && IsOption(word) && equals == word.size() - 1) {
      return OfOption(word.substr(0, equals));
    }
    if (word.empty()) {
      return !options_end && IsOption(before) &&
                     before.find('=') == std::string::npos
                 ? OfOption(before)
                 : "an operand is empty; give a value, or leave it out";
    }
    options_end |= word == "--";
    before = word;
  }
  return "";
}

}  // namespace cassandra_bloom::tools
