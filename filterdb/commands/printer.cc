// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/printer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

namespace cassandra_bloom::tools {
namespace {

constexpr char kIndent[] = "  ";

std::string Formatted(const char* format, double number) {
  char text[64];
  std::snprintf(text, sizeof(text), format, number);
  return text;
}

// JSON has null for infinity.
bool HasValue(const Json& object, const Field& field) {
  const auto found = object.find(field.name);
  return found != object.end() && !found->is_null() &&
         !(found->is_number_float() && std::isinf(found->get<double>()));
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
  return Percent(value.get<double>());
}

std::string AsThreeDigits(const Json& value) {
  return ThreeDigits(value.get<double>());
}

std::string AsFraction(const Json& value) {
  return Formatted("%.3f", value.get<double>());
}

std::string AsRounded(const Json& value) {
  return Formatted("%.0f", value.get<double>());
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

std::string ListText(const Json& object, const std::vector<Field>& fields) {
  std::string text = TextOf(object, fields.front()) + "\n";
  size_t width = 0;
  for (size_t i = 1; i < fields.size(); ++i) {
    if (HasValue(object, fields[i]) &&
        object[fields[i].name] != Json::array()) {
      width = std::max(width, std::string(fields[i].title).size());
    }
  }
  for (size_t i = 1; i < fields.size(); ++i) {
    const Field& field = fields[i];
    if (!HasValue(object, field)) {
      continue;
    }
    const Json& value = object[field.name];
    const Json values = value.is_array() ? value : Json::array({value});
    for (const Json& each : values) {
      std::string title = field.title;
      title.resize(width, ' ');
      text += kIndent + title + kIndent + field.format(each) + "\n";
    }
  }
  return text;
}

void PrintText(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void PrintList(const Json& object, const std::vector<Field>& fields,
               bool as_json) {
  if (as_json) {
    PrintJson(object);
  } else {
    PrintText(ListText(object, fields));
  }
}

}  // namespace cassandra_bloom::tools
