// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/export_names.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom {
namespace {

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
  const std::string begin = sstable_version + "-";
  if (name.substr(0, begin.size()) != begin) {
    return std::nullopt;
  }
  const std::string_view rest = name.substr(begin.size());
  uint64_t number = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return name == FilterDbName(sstable_version, number)
             ? std::optional<uint64_t>(number)
             : std::nullopt;
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
  if (after.empty()) {
    *error = "has no ')' after its path";
    return false;
  }
  if (after[0] != ')') {
    *error = "has '" + std::string(1, after[0]) +
             "' in its path, which may have only letters, digits and /._-; a "
             "symbolic link may lead to the folder";
    return false;
  }
  if (after.size() > 1 && after[1] != ':') {
    *error = "has '" + std::string(after.substr(1)) + "' after its ')'";
    return false;
  }
  if (target->out_dir.empty()) {
    *error = "has no path of the folder to export to";
    return false;
  }
  return true;
}

}  // namespace cassandra_bloom
