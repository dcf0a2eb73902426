// SPDX-License-Identifier: Apache-2.0

#include "tools/filterdb/output.h"

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

namespace cassandra_bloom::tools {

void PrintJson(const Json& json) {
  // Replaces invalid bytes, because file names need not be UTF-8.
  std::cout << json.dump(2, ' ', /*ensure_ascii=*/false,
                         Json::error_handler_t::replace)
            << "\n";
}

void PrintError(const std::exception& error) {
  std::fprintf(stderr, "filterdb: %s\n", error.what());
}

std::string Count(uint64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string ThreeDigits(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", number);
  return text;
}

std::string Percent(double rate) { return ThreeDigits(100 * rate) + " %"; }

}  // namespace cassandra_bloom::tools
