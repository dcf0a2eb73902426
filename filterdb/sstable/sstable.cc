// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/sstable.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "cassandra_bloom/filter_db.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/split.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

// The components of all versions, without those of secondary indexes
// (SSTableFormat.Components, BigFormat, BtiFormat; Component of Cassandra
// 3.11).
constexpr std::string_view kComponents[] = {
    "Data.db",        "Index.db",    "Partitions.db",
    "Rows.db",        "Filter.db",   "Statistics.db",
    "Summary.db",     "CRC.db",      "CompressionInfo.db",
    "Digest.adler32", "Digest.sha1", "Digest.crc32",
    "Scylla.db",      "TOC.txt",     "TOC.txt.tmp"};

bool IsComponent(std::string_view name) {
  return std::find(std::begin(kComponents), std::end(kComponents), name) !=
         std::end(kComponents);
}

// Returns true for names such as "SI_name.db" and "SAI+aa+name+Meta.db".
bool IsOfSecondaryIndex(std::string_view component) {
  return (component.rfind("SI_", 0) == 0 || component.rfind("SAI+", 0) == 0) &&
         EndsWith(component, ".db");
}

}  // namespace

std::optional<ComponentName> ParseComponentName(std::string_view name) {
  const size_t end = name.find_last_of('-');
  if (end == std::string_view::npos || end == 0) {
    return std::nullopt;
  }
  const std::string_view component = name.substr(end + 1);
  if (!IsComponent(component) && !IsOfSecondaryIndex(component)) {
    return std::nullopt;
  }
  return ComponentName{std::string(name.substr(0, end + 1)),
                       std::string(component)};
}

uint32_t ComponentBit(std::string_view component) {
  const auto* const found =
      std::find(std::begin(kComponents), std::end(kComponents), component);
  return uint32_t{1} << (found - std::begin(kComponents));
}

std::vector<std::string> ComponentsOf(uint32_t bits) {
  std::vector<std::string> names;
  for (const std::string_view component : kComponents) {
    if ((bits & ComponentBit(component)) != 0) {
      names.emplace_back(component);
    }
  }
  return names;
}

// In versions before `ma`, the file names of an SSTable that is being written
// have "tmp" or "tmplink" before the version. In versions before `la`, the
// names begin with keyspace and table. So the second word may also be a table
// called "tmp", which is no such mark (Descriptor.fromFilename of Cassandra
// 2.1).
bool IsNameOfUnfinished(std::string_view name_prefix) {
  std::vector<std::string_view> words = Split(name_prefix, '-');
  words.pop_back();  // What follows the last "-".
  const bool since_la =
      !words.empty() && (words.back() == "big" || words.back() == "bti");
  const size_t from_version_on = since_la ? 3 : 2;
  if (words.size() <= from_version_on) {
    return false;
  }
  const size_t before_version = words.size() - from_version_on;
  const std::string_view mark = words[before_version - 1];
  return (mark == "tmp" || mark == "tmplink") &&
         (since_la || before_version != 2);
}

const char* NameOf(SstableState state) {
  constexpr const char* kNames[] = {"live", "being written", "obsolete",
                                    "vanished"};
  return kNames[static_cast<size_t>(state)];
}

Sstable::Sstable(const std::string& in_folder, const std::string& prefix)
    : folder(in_folder), name_prefix(prefix) {
  std::string ignored_error;
  if (!SstableVersionOfFileName(name_prefix + "Data.db", &version,
                                &ignored_error)) {
    version.clear();
  }
}

std::string Sstable::IndexPath() const {
  const std::string trie = Path("Partitions.db");
  return HasTrieIndex(version) || FileExists(trie) ? trie : Path("Index.db");
}

// ScyllaDB writes TOC.txt.tmp first, and renames it to TOC.txt at the end. To
// remove an SSTable, it renames TOC.txt back first, and removes it last
// (filesystem_storage::seal and wipe). So one beside a TOC.txt means nothing.
bool Sstable::HasTemporaryToc() const {
  return FileExists(Path("TOC.txt.tmp")) && !NameExists(Path("TOC.txt"));
}

std::string NameOfUser(uid_t user) {
  const struct passwd* const entry = getpwuid(user);
  return entry != nullptr ? entry->pw_name : "user " + std::to_string(user);
}

// sudo refuses a user that has no name on this machine, as that of a container.
std::string FilterdbAs(uid_t user, gid_t group) {
  const struct passwd* const entry = getpwuid(user);
  return std::string(geteuid() == 0 ? "" : "sudo ") +
         "setpriv --reuid=" + std::to_string(user) + " --regid=" +
         std::to_string(entry != nullptr ? entry->pw_gid : group) +
         " --clear-groups filterdb";
}

std::string BelongsTo(uid_t user, gid_t group) {
  return "belongs to " + NameOfUser(user) +
         "; run: " + FilterdbAs(user, group) + " …";
}

// The user of the node owns the folders of the SSTables.
std::string HowToRead(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    stat(FolderOf(path).c_str(), &status);
  }
  return status.st_uid != geteuid() ? BelongsTo(status.st_uid, status.st_gid)
                                    : "let " + NameOfUser(status.st_uid) +
                                          " read it (chown, chmod u+rX)";
}

}  // namespace cassandra_bloom::tools
