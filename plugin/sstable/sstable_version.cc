// SPDX-License-Identifier: Apache-2.0

// The form of a Filter.db by SSTable version, and the version by file name.

#include <array>
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

bool LooksLikeOldVersion(std::string_view version) {
  return !version.empty() && version.size() <= 2 && version[0] >= 'a' &&
         version[0] <= 'h' && (version.size() == 1 || version[0] == 'h');
}

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

}  // namespace

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
  *error += LooksLikeOldVersion(version)
                ? "older than ia: its filters hash keys differently (Murmur2 "
                  "or SHA) and cannot be used; known are "
                : "unknown; known are ";
  *error += KnownNames();
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
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  // Since `la`, the name is version-id-format-Component; before, it is
  // keyspace-table-version-generation-Component, perhaps with "tmp" before the
  // version.
  const std::vector<std::string_view> parts = Split(name, '-');
  const bool since_la =
      parts.size() == 4 && (parts[2] == "big" || parts[2] == "bti");
  if (!since_la && parts.size() < 5) {
    *error = "'" + std::string(name) +
             "' is not the name of an SSTable's component, such as "
             "nb-1-big-Filter.db, so the SSTable version must be given";
    return false;
  }
  *version = since_la ? parts[0] : parts[parts.size() - 3];
  return true;
}

}  // namespace cassandra_bloom
