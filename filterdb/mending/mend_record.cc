// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/mend_record.h"

#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <system_error>

namespace cassandra_bloom::tools {
namespace {

constexpr std::string_view kFormat = "filterdb mend ";
constexpr std::string_view kVersion = "2";
constexpr std::string_view kVersionWithDigest = "3";
constexpr std::string_view kIndex = "index ";
constexpr std::string_view kOld = "Filter.db old ";
constexpr std::string_view kNew = "Filter.db new ";
constexpr std::string_view kDigest = "Scylla.db digest ";
constexpr std::string_view kEnd = "end";

std::string Line(std::string_view what, const FileSum& sum) {
  char numbers[48];
  std::snprintf(numbers, sizeof(numbers), "%" PRIu64 " %08" PRIx32 "\n",
                sum.size, sum.crc);
  return std::string(what) + numbers;
}

// Removes the first line from `*text`. Returns false if `*text` has no LF.
bool TakeLine(std::string_view* text, std::string_view* line) {
  const size_t end = text->find('\n');
  if (end == std::string_view::npos) {
    return false;
  }
  *line = text->substr(0, end);
  text->remove_prefix(end + 1);
  return true;
}

bool TakeBeginning(std::string_view* line, std::string_view wanted) {
  if (line->substr(0, wanted.size()) != wanted) {
    return false;
  }
  line->remove_prefix(wanted.size());
  return true;
}

template <typename Number>
bool ParseNumber(std::string_view text, int base, Number* number) {
  const char* const end = text.data() + text.size();
  const auto [parsed_to, error] =
      std::from_chars(text.data(), end, *number, base);
  return error == std::errc() && parsed_to == end;
}

bool ParseSum(std::string_view numbers, FileSum* sum) {
  const size_t space = numbers.find(' ');
  return space != std::string_view::npos &&
         ParseNumber(numbers.substr(0, space), 10, &sum->size) &&
         ParseNumber(numbers.substr(space + 1), 16, &sum->crc);
}

std::string DigestLine(uint32_t digest) {
  char number[16];
  std::snprintf(number, sizeof(number), "%08" PRIx32 "\n", digest);
  return std::string(kDigest) + number;
}

bool TakeDigest(std::string_view* text, std::optional<uint32_t>* digest) {
  std::string_view line;
  uint32_t number = 0;
  if (!TakeLine(text, &line) || !TakeBeginning(&line, kDigest) ||
      !ParseNumber(line, 16, &number)) {
    return false;
  }
  *digest = number;
  return true;
}

bool TakeSum(std::string_view* text, std::string_view what, FileSum* sum) {
  std::string_view rest = *text;
  std::string_view line;
  if (!TakeLine(&rest, &line) || !TakeBeginning(&line, what) ||
      !ParseSum(line, sum)) {
    return false;
  }
  *text = rest;
  return true;
}

}  // namespace

std::string FormatMendRecord(const MendRecord& record) {
  std::string text =
      std::string(kFormat) +
      std::string(record.old_digest ? kVersionWithDigest : kVersion) + "\n" +
      Line(kIndex, record.index) + Line(kOld, record.old_filter);
  for (const FileSum& filter : record.new_filters) {
    text += Line(kNew, filter);
  }
  if (record.old_digest) {
    text += DigestLine(*record.old_digest);
  }
  return text + std::string(kEnd) + "\n";
}

bool ParseMendRecord(std::string_view text, MendRecord* record,
                     std::string* error) {
  std::string_view line;
  if (!TakeLine(&text, &line) || !TakeBeginning(&line, kFormat)) {
    *error = "not a record of filterdb mend";
    return false;
  }
  const bool has_digest = line == kVersionWithDigest;
  if (line != kVersion && !has_digest) {
    *error = "a record of another version of filterdb, '" + std::string(line) +
             "'; use that version";
    return false;
  }
  *record = {};
  FileSum filter;
  if (TakeSum(&text, kIndex, &record->index) &&
      TakeSum(&text, kOld, &record->old_filter)) {
    while (TakeSum(&text, kNew, &filter)) {
      record->new_filters.push_back(filter);
    }
    if ((!has_digest || TakeDigest(&text, &record->old_digest)) &&
        TakeLine(&text, &line) && line == kEnd && text.empty()) {
      return true;
    }
  }
  *error = "damaged";
  return false;
}

}  // namespace cassandra_bloom::tools
