// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/output.h"

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

constexpr unsigned char ByteAt(std::string_view text, size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// Returns the length of the control character at the front of `text`: U+0000 to
// U+001F, or U+007F to U+009F, in UTF-8. Returns 0 if there is none.
size_t LengthOfControl(std::string_view text) {
  const unsigned char first = ByteAt(text, 0);
  if (first < 0x20 || first == 0x7f) {
    return 1;
  }
  return first == 0xc2 && ByteAt(text, 1) >= 0x80 && ByteAt(text, 1) < 0xa0 ? 2
                                                                            : 0;
}

constexpr char kIndent[] = "  ";

bool HasValue(const Json& object, const Field& field) {
  const auto found = object.find(field.name);
  return found != object.end() && !found->is_null();
}

std::string TextOf(const Json& object, const Field& field) {
  return HasValue(object, field) ? field.format(object[field.name]) : "-";
}

bool IsLeftOut(const Json& rows, const Field& field) {
  return field.is_rare &&
         std::all_of(rows.begin(), rows.end(), [&](const Json& row) {
           return !HasValue(row, field) || row[field.name] == 0;
         });
}

struct Column {
  const Field* field;
  std::vector<std::string> cells;  // The title, and one for each row.
  size_t width = 0;
  bool is_text = false;
};

Column MakeColumn(const Json& rows, const Field& field) {
  Column column{&field, {field.title}};
  for (const Json& row : rows) {
    column.cells.push_back(TextOf(row, field));
    column.is_text |= HasValue(row, field) && row[field.name].is_string();
  }
  for (const std::string& cell : column.cells) {
    column.width = std::max(column.width, cell.size());
  }
  return column;
}

std::string Line(const std::vector<Column>& columns, size_t number) {
  std::string line;
  for (const Column& column : columns) {
    const std::string& cell = column.cells[number];
    const std::string spaces(column.width - cell.size(), ' ');
    line += kIndent + (column.is_text ? cell + spaces : spaces + cell);
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const size_t control = LengthOfControl(text);
    for (size_t i = 0; i < control; ++i) {
      printable += "\\x" + ToHex(text.substr(i, 1));
    }
    if (control == 0) {
      printable += text[0] == '\\' ? "\\\\" : std::string(1, text[0]);
    }
    text.remove_prefix(std::max<size_t>(control, 1));
  }
  return printable;
}

void PrintJson(const Json& json) {
  PrintText(json.dump(2, ' ', /*ensure_ascii=*/false,
                      Json::error_handler_t::replace) +
            "\n");
}

void PrintJsonLine(const Json& json) {
  PrintText(json.dump(-1, ' ', /*ensure_ascii=*/false,
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
  std::string hex;
  for (size_t i = 0; i < bytes.size(); ++i) {
    char digits[4];
    std::snprintf(digits, sizeof(digits), "%02x", ByteAt(bytes, i));
    hex += digits;
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

std::string TableText(const Json& rows, const std::vector<Field>& fields,
                      const Notes& notes) {
  std::vector<Column> columns;
  for (const Field& field : fields) {
    if (!IsLeftOut(rows, field)) {
      columns.push_back(MakeColumn(rows, field));
    }
  }
  std::string text = Line(columns, 0);
  size_t number = 0;
  for (const Json& row : rows) {
    text += Line(columns, ++number);
    if (notes != nullptr) {
      for (const std::string& note : notes(row)) {
        text += kIndent + std::string(kIndent) + Printable(note) + "\n";
      }
    }
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

}  // namespace cassandra_bloom::tools
