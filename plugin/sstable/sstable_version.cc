// SPDX-License-Identifier: Apache-2.0

// The form of a Filter.db by SSTable version, and the version by file name.

#include "plugin/sstable/sstable_version.h"

#include <string>
#include <string_view>
#include <vector>

#include "cassandra_bloom/filter_db.h"

namespace cassandra_bloom {
namespace {

struct KnownVersion {
  std::string_view version;
  FilterForm form;
};

// Not in alphabetical order: `da` is later than `oa`. Versions before `ia` are
// not known: they hash keys differently (with Murmur2 or SHA).
constexpr KnownVersion kKnownVersions[] = {
    // Cassandra 1.2 to 2.2
    {"ia", kBeforeMa},
    {"ib", kBeforeMa},
    {"ic", kBeforeMa},
    {"ja", kBeforeMa},
    {"jb", kBeforeMa},
    {"ka", kBeforeMa},
    {"la", kBeforeMa},
    {"lb", kBeforeMa},
    // Cassandra 3.x
    {"ma", kMaToMe},
    {"mb", kMaToMe},
    {"mc", kMaToMe},
    {"md", kMaToMe},
    {"me", kMaToMe},
    // ScyllaDB
    {"ms", kMaToMe},
    {"mt", kMaToMe},
    // Cassandra 4.0 and later
    {"na", kNaAndLater},
    {"nb", kNaAndLater},
    {"nc", kNaAndLater},
    {"oa", kNaAndLater},
    {"da", kNaAndLater},
};

struct NamedForm {
  std::string_view name;
  FilterForm form;
};

constexpr NamedForm kNamedForms[] = {{"before-ma", kBeforeMa},
                                     {"ma-to-me", kMaToMe},
                                     {"na-and-later", kNaAndLater}};

std::string KnownNames() {
  std::string names;
  for (const KnownVersion& known : kKnownVersions) {
    names.append(names.empty() ? "" : ", ").append(known.version);
  }
  names += "; or name the form: before-ma, ma-to-me, na-and-later";
  return names;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

// True for the names since `la`: version-id-format-Component.
bool IsNameSinceLa(const std::vector<std::string_view>& parts) {
  return parts.size() == 4 && (parts[2] == "big" || parts[2] == "bti");
}

// True for the mark of an SSTable that is being written. Since `la` it is in
// front of the name, before in front of the version.
bool IsTemporaryMark(std::string_view part) {
  return part == "tmp" || part == "tmplink";
}

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view FileName(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace

std::string_view FormatOfSstableVersion(std::string_view version) {
  return version == "da" ? "bti" : "big";
}

bool IsVersionBeforeIa(std::string_view version) {
  return !version.empty() && version.size() <= 2 && version[0] >= 'a' &&
         version[0] <= 'h' && (version.size() == 1 || version[0] == 'h');
}

bool FormOfSstableVersion(std::string_view version, FilterForm* form,
                          std::string* error) {
  for (const KnownVersion& known : kKnownVersions) {
    if (known.version == version) {
      *form = known.form;
      return true;
    }
  }
  for (const NamedForm& named : kNamedForms) {
    if (named.name == version) {
      *form = named.form;
      return true;
    }
  }
  *error = "SSTable version '" + std::string(version) + "' is ";
  *error += IsVersionBeforeIa(version)
                ? "older than ia: its filters hash keys differently (Murmur2 "
                  "or SHA) and cannot be used"
                : "unknown; known are " + KnownNames();
  return false;
}

const char* FormName(FilterForm form) {
  for (const NamedForm& named : kNamedForms) {
    if (named.form == form) {
      return named.name.data();
    }
  }
  return "(no form of Cassandra's)";
}

bool SstableVersionOfFileName(std::string_view path, std::string* version,
                              std::string* error) {
  const std::string_view name = FileName(path);
  // Before `la`, the name is keyspace-table-version-generation-Component.
  std::vector<std::string_view> parts = Split(name, '-');
  if (parts.size() == 5 && IsTemporaryMark(parts[0])) {
    const std::vector<std::string_view> unmarked(parts.begin() + 1,
                                                 parts.end());
    if (IsNameSinceLa(unmarked)) {
      parts = unmarked;
    }
  }
  const bool since_la = IsNameSinceLa(parts);
  if (!since_la && parts.size() < 5) {
    *error = "'" + std::string(name) +
             "' is not the name of an SSTable's component, such as "
             "nb-1-big-Filter.db, so the SSTable version must be given";
    return false;
  }
  *version = since_la ? parts[0] : parts[parts.size() - 3];
  return true;
}

bool IsFilterBeforeIa(std::string_view path, std::string* version) {
  // Stricter than SstableVersionOfFileName, because no option overrules this: a
  // file of any name may have hyphens and a single letter between them.
  const std::vector<std::string_view> parts = Split(FileName(path), '-');
  const size_t n = parts.size();
  if (n < 5 || parts[n - 1] != "Filter.db" || !IsNumber(parts[n - 2]) ||
      !IsVersionBeforeIa(parts[n - 3])) {
    return false;
  }
  *version = parts[n - 3];
  return true;
}

}  // namespace cassandra_bloom
