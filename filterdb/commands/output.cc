// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/output.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>  // Declares program_invocation_short_name.
#include <cstdio>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kIndent[] = "  ";

// Returns null if the row does not have it.
Json ValueOf(const Json& row, const Field& field) {
  return row.value(field.name, Json());
}

std::string CellOf(const Json& row, const Field& field) {
  const Json value = ValueOf(row, field);
  return value.is_null() ? "-" : field.format(value);
}

std::string LineOf(
    const std::vector<Field>& fields,
    const std::function<std::string(const Field& field)>& cell_of) {
  std::string line;
  for (const Field& field : fields) {
    const std::string cell = cell_of(field);
    const std::string spaces(field.width - std::min(field.width, cell.size()),
                             ' ');
    line += kIndent + (field.is_left ? cell + spaces : spaces + cell);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

// U+0080 to U+009F, which some terminals obey, are C2 80 to C2 9F in UTF-8.
std::string Printable(std::string_view text) {
  std::string printable;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next =
        static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_two_bytes = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if (byte < 0x20 || byte == 0x7f || is_two_bytes) {
      printable += "\\x" + ToHex(text.substr(i, 1));
    } else {
      printable += byte == '\\' ? "\\\\" : std::string(1, text[i]);
    }
    if (is_two_bytes) {
      printable += "\\x" + ToHex(text.substr(++i, 1));
    }
  }
  return printable;
}

void PrintJson(const Json& json, int indent) {
  PrintText(json.dump(indent, ' ', /*ensure_ascii=*/false,
                      Json::error_handler_t::replace) +
            "\n");
}

void PrintError(const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name,
               Printable(error.what()).c_str());
}

void PrintText(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string ToHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    hex += {kDigits[c >> 4 & 15], kDigits[c & 15]};
  }
  return hex;
}

std::string Count(uint64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string ThreeDigits(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", number);
  return text;
}

std::string AsText(const Json& value) {
  return value.is_string() ? Printable(value.get<std::string>()) : value.dump();
}

std::string AsSize(const Json& value) {
  constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  auto number = value.get<double>();
  size_t unit = 0;
  while (number >= 999.5 && unit + 1 < std::size(kUnits)) {
    number /= 1000;
    ++unit;
  }
  return ThreeDigits(number) + " " + kUnits[unit];
}

std::string AsPercent(const Json& value) {
  return ThreeDigits(100 * value.get<double>()) + " %";
}

std::string AsThreeDigits(const Json& value) {
  return ThreeDigits(value.get<double>());
}

std::string TitleLine(const std::vector<Field>& fields) {
  return LineOf(fields, [](const Field& field) { return field.title; });
}

std::string RowLine(const std::vector<Field>& fields, const Json& row) {
  return LineOf(fields, [&](const Field& field) { return CellOf(row, field); });
}

std::string TableText(const Json& rows, const std::vector<Field>& fields) {
  std::vector<Field> fitted;
  for (Field field : fields) {
    bool is_left_out = field.is_rare;
    field.width = std::string_view(field.title).size();
    for (const Json& row : rows) {
      const Json value = ValueOf(row, field);
      is_left_out &= value.is_null() || value == 0;
      field.is_left |= value.is_string();
      field.width = std::max(field.width, CellOf(row, field).size());
    }
    if (!is_left_out) {
      fitted.push_back(field);
    }
  }
  std::string text = TitleLine(fitted);
  for (const Json& row : rows) {
    text += RowLine(fitted, row);
  }
  return text;
}

std::string ListText(const Json& object) {
  std::vector<std::pair<std::string, std::string>> lines;  // Name and value.
  size_t width = 0;
  for (const auto& [name, value] : object.items()) {
    if (value.is_null() || value.is_boolean()) {
      continue;
    }
    for (const Json& each : value.is_array() ? value : Json::array({value})) {
      width = lines.empty() ? 0 : std::max(width, name.size());
      lines.emplace_back(name, !each.is_number_float()   ? AsText(each)
                               : EndsWith(name, "_rate") ? AsPercent(each)
                                                         : AsThreeDigits(each));
    }
  }
  std::string text = lines.front().second + "\n";
  for (size_t i = 1; i < lines.size(); ++i) {
    auto& [name, value] = lines[i];
    std::replace(name.begin(), name.end(), '_', ' ');
    name.resize(width, ' ');
    text += kIndent + name + kIndent + value + "\n";
  }
  return text;
}

void PrintList(const Json& object, bool as_json) {
  if (as_json) {
    PrintJson(object);
  } else {
    PrintText(ListText(object));
  }
}

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), on_terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (shown_) {
    std::fprintf(stderr, "\r\x1b[K");
  }
}

void ProgressBar::Show(uint64_t done, uint64_t all) {
  ShowText(all == 0 ? std::to_string(done / 1000000) + " MB"
                    : std::to_string(100 * done / all) + " %");
}

void ProgressBar::ShowText(const std::string& text) {
  if (!on_terminal_ || Clock::now() < next_) {
    return;
  }
  next_ = Clock::now() + std::chrono::milliseconds(200);
  shown_ = true;
  std::fprintf(stderr, "\r%s: %s", what_.c_str(), text.c_str());
}

}  // namespace cassandra_bloom::tools
