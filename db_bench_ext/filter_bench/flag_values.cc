// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/flag_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <sstream>

namespace cassandra_bloom::bench {
namespace {

std::string Join(const std::vector<std::string>& items) {
  std::string joined;
  for (const std::string& item : items) {
    joined += (joined.empty() ? "" : ", ") + item;
  }
  return joined;
}

bool StandsFor(const std::string& item, const std::string& name) {
  return name == item || name.compare(0, item.size() + 1, item + "/") == 0;
}

}  // namespace

void Refuse(const std::string& flag, const std::string& value,
            const std::string& range) {
  throw UsageError("--" + flag + ": '" + value + "' is not " + range);
}

std::string Range::Name() const {
  std::ostringstream name;
  name.precision(12);
  name << "a " << (whole ? "whole " : "") << "number from " << min << " to "
       << max;
  return name.str();
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) {
    items.push_back(item);
  }
  if (text.empty() || text.back() == ',') {
    items.emplace_back();
  }
  return items;
}

double ReadNumber(const std::string& flag, const std::string& text,
                  const Range& range) {
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto read = std::from_chars(text.data(), end, value);
  const std::string suffix(read.ptr, end);
  if (suffix == "K") {
    value *= 1e3;
  } else if (suffix == "M") {
    value *= 1e6;
  } else if (!suffix.empty()) {
    Refuse(flag, text, range.Name());
  }
  const bool in_range = value >= range.min && value <= range.max;  // Not NaN.
  if (read.ec != std::errc() || !in_range ||
      (range.whole && value != std::floor(value))) {
    Refuse(flag, text, range.Name());
  }
  return value;
}

std::vector<std::string> ReadNames(const std::string& flag,
                                   const std::string& text,
                                   const std::vector<std::string>& names) {
  if (text == "all") {
    return names;
  }
  const std::vector<std::string> items = SplitAtCommas(text);
  for (const std::string& item : items) {
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) {
          return StandsFor(item, name);
        })) {
      Refuse(flag, item, "one of " + Join(names));
    }
  }
  std::vector<std::string> chosen;
  std::copy_if(names.begin(), names.end(), std::back_inserter(chosen),
               [&items](const std::string& name) {
                 return std::any_of(items.begin(), items.end(),
                                    [&name](const std::string& item) {
                                      return StandsFor(item, name);
                                    });
               });
  return chosen;
}

}  // namespace cassandra_bloom::bench
