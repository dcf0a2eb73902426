// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/export_names.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom {
namespace {

// Removes an unsigned number from the front of `*text`.
std::optional<uint64_t> TakeNumber(std::string_view* text) {
  uint64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text->remove_prefix(static_cast<size_t>(rest - text->data()));
  return number;
}

// Other bytes have a meaning in options strings.
bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || (c != '\0' && std::strchr("/._-", c));
}

}  // namespace

std::string FilterDbName(const std::string& sstable_version, uint64_t number) {
  return (sstable_version + "-" + std::to_string(number) + "-")
      .append(FormatOfSstableVersion(sstable_version))
      .append("-Filter.db");
}

// Refuses leading zeros, as in "nb-007-big-Filter.db", because an export never
// writes them.
std::optional<uint64_t> NumberOfFilterDb(std::string_view name,
                                         const std::string& sstable_version) {
  std::string_view rest = name;
  if (rest.substr(0, sstable_version.size()) != sstable_version) {
    return std::nullopt;
  }
  rest.remove_prefix(sstable_version.size());
  rest.remove_prefix(rest.substr(0, 1) == "-" ? 1 : 0);
  const std::optional<uint64_t> number = TakeNumber(&rest);
  return number && name == FilterDbName(sstable_version, *number)
             ? number
             : std::nullopt;
}

std::optional<uint64_t> NumberOfSst(const std::string& path) {
  std::string_view name = FileNameOf(path);
  const std::optional<uint64_t> number = TakeNumber(&name);
  return name == ".sst" ? number : std::nullopt;
}

bool IsNameableVersion(const std::string& sstable_version, std::string* error) {
  FilterForm form;
  if (!FormOfSstableVersion(sstable_version, &form, error)) {
    return false;
  }
  if (sstable_version == FormName(form)) {
    *error = "'" + sstable_version +
             "' is a form, but the names of the files need an SSTable version, "
             "such as nb";
    return false;
  }
  return true;
}

std::string ExportId(const ExportTarget& target) {
  return std::string(kExportListenerName) + "(" + target.sstable_version + "," +
         target.out_dir + ")";
}

bool ParseExportId(std::string_view id, ExportTarget* target,
                   std::string* error) {
  const std::string begin = std::string(kExportListenerName) + "(";
  const size_t joined = id.find(":" + begin);
  if (id.substr(0, begin.size()) != begin && joined != std::string_view::npos) {
    id.remove_prefix(joined + 1);
  }
  const size_t comma = id.find(',');
  if (id.substr(0, begin.size()) != begin || comma == std::string_view::npos) {
    *error =
        "is unknown; the listener is " + ExportId({"/var/lib/filters", "nb"});
    return false;
  }
  target->sstable_version = id.substr(begin.size(), comma - begin.size());
  const std::string_view rest = id.substr(comma + 1);
  const auto end = std::find_if_not(rest.begin(), rest.end(), IsPlain);
  target->out_dir.assign(rest.begin(), end);
  const std::string_view after = rest.substr(target->out_dir.size());
  if (after != ")" && after.substr(0, 2) != "):") {
    *error =
        "has no ')' after its path, or another character in the path than "
        "letters, digits and /._-; a symbolic link may lead to the folder";
    return false;
  }
  if (target->out_dir.empty()) {
    *error = "has no path of the folder to export to";
    return false;
  }
  return IsNameableVersion(target->sstable_version, error);
}

}  // namespace cassandra_bloom
