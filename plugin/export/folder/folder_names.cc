// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/folder/folder_names.h"

#include <charconv>
#include <string_view>
#include <system_error>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter_db/sstable_version.h"
#include "plugin/io/names.h"
#include "plugin/io/temporary_file.h"

namespace cassandra_bloom {
namespace {

constexpr std::string_view kFilterDb = "-Filter.db";

// Removes an unsigned number from the front of `*text`.
bool TakeNumber(std::string_view* text, uint64_t* number) {
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, *number);
  if (error != std::errc()) {
    return false;
  }
  text->remove_prefix(static_cast<size_t>(rest - text->data()));
  return true;
}

bool TakePrefix(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) {
    return false;
  }
  text->remove_prefix(prefix.size());
  return true;
}

// Removes a name like "nb-123-big-Filter.db" from the front of `*text` and
// returns its number. Refuses leading zeros, as in "nb-007-big-Filter.db",
// because an export never writes them.
std::optional<uint64_t> TakeFilterDbName(std::string_view* text,
                                         const std::string& version) {
  std::string_view rest = *text;
  uint64_t number = 0;
  if (!TakePrefix(&rest, version + "-") || !TakeNumber(&rest, &number) ||
      !TakePrefix(text, FilterDbName(version, number))) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::string FilterDbName(const std::string& sstable_version, uint64_t number) {
  return (sstable_version + "-" + std::to_string(number) + "-")
      .append(FormatOfSstableVersion(sstable_version))
      .append(kFilterDb);
}

std::optional<uint64_t> NumberOfFilterDb(const std::string& name,
                                         const std::string& sstable_version) {
  std::string_view rest = name;
  const auto number = TakeFilterDbName(&rest, sstable_version);
  return rest.empty() ? number : std::nullopt;
}

bool IsTemporaryName(const std::string& name,
                     const std::string& sstable_version) {
  std::string_view rest = name;
  return (TakePrefix(&rest, kFolderMarkName) ||
          TakeFilterDbName(&rest, sstable_version)) &&
         IsTemporarySuffix(rest);
}

bool IsNamedAsExported(const std::string& path) {
  return EndsWith(path, "-big-Filter.db") || EndsWith(path, "-bti-Filter.db");
}

bool IsNamedAsSstable(const std::string& name) {
  return EndsWith(name, "-Data.db");
}

std::optional<uint64_t> NumberOfSst(const std::string& path) {
  std::string_view name = path;
  name.remove_prefix(name.find_last_of('/') + 1);
  uint64_t number = 0;
  if (!TakeNumber(&name, &number) || name != ".sst") {
    return std::nullopt;
  }
  return number;
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

}  // namespace cassandra_bloom
