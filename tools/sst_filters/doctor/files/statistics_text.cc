// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/doctor/files/statistics_text.h"

#include <charconv>
#include <map>
#include <sstream>
#include <system_error>

namespace cassandra_bloom::tools {
namespace {

constexpr char kUseful[] = "rocksdb.bloom.filter.useful";
constexpr char kPositive[] = "rocksdb.bloom.filter.full.positive";
constexpr char kTruePositive[] = "rocksdb.bloom.filter.full.true.positive";

// Parses the line "NAME COUNT : N", which RocksDB's monitoring/statistics.cc
// writes.
bool ParseTicker(const std::string& line, std::string* name, uint64_t* count) {
  std::istringstream words(line);
  std::string label, colon, number, surplus;
  if (!(words >> *name >> label >> colon >> number) || (words >> surplus) ||
      label != "COUNT" || colon != ":") {
    return false;
  }
  const char* const end = number.data() + number.size();
  const auto [parsed_to, error] = std::from_chars(number.data(), end, *count);
  return error == std::errc() && parsed_to == end;
}

}  // namespace

std::optional<double> FilterQuestions::Rate() const {
  return of_absent_keys() == 0
             ? std::nullopt
             : std::optional(static_cast<double>(false_positives()) /
                             static_cast<double>(of_absent_keys()));
}

std::optional<FilterQuestions> ParseStatistics(std::istream* text,
                                               std::string* error) {
  FilterQuestions questions;
  std::map<std::string, uint64_t*> missing = {
      {kUseful, &questions.useful},
      {kPositive, &questions.positive},
      {kTruePositive, &questions.true_positive}};
  const std::map<std::string, uint64_t*> wanted = missing;
  std::string line, name;
  uint64_t count = 0;
  while (std::getline(*text, line)) {
    if (!ParseTicker(line, &name, &count)) {
      continue;
    }
    const auto found = wanted.find(name);
    if (found != wanted.end()) {
      *found->second = count;
      missing.erase(name);
    }
  }
  if (!missing.empty()) {
    *error = "has no line '" + missing.begin()->first +
             " COUNT : N', so these are not RocksDB's statistics, as "
             "`db_bench --statistics`, Statistics::ToString() and RocksDB's "
             "LOG (stats_dump_period_sec) give them";
    return std::nullopt;
  }
  return questions;
}

}  // namespace cassandra_bloom::tools
