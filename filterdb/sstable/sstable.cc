// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/sstable.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

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

// Returns true for names such as "SI_name.db" and "SAI+aa+name+Meta.db".
bool IsOfSecondaryIndex(std::string_view component) {
  return (component.rfind("SI_", 0) == 0 || component.rfind("SAI+", 0) == 0) &&
         EndsWith(component, ".db");
}

struct User {
  std::string name;
  gid_t group;
};

// Several threads may ask at once, and getpwuid has one place for its answer.
std::optional<User> FindUser(uid_t user) {
  struct passwd found;
  struct passwd* entry = nullptr;
  char buffer[1024];
  getpwuid_r(user, &found, buffer, sizeof(buffer), &entry);
  return entry == nullptr
             ? std::nullopt
             : std::optional<User>({entry->pw_name, entry->pw_gid});
}

}  // namespace

std::optional<ComponentName> ParseComponentName(std::string_view name) {
  const size_t end = name.find_last_of('-');
  if (end == std::string_view::npos || end == 0) {
    return std::nullopt;
  }
  const std::string_view component = name.substr(end + 1);
  if (std::find(std::begin(kComponents), std::end(kComponents), component) ==
          std::end(kComponents) &&
      !IsOfSecondaryIndex(component)) {
    return std::nullopt;
  }
  return ComponentName{std::string(name.substr(0, end + 1)),
                       std::string(component)};
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

std::string Sstable::DeniedPath() const {
  for (const std::string_view component : kComponents) {
    std::string path = Path(std::string(component));
    if (access(path.c_str(), R_OK) != 0 &&
        (errno == EACCES || errno == EPERM)) {
      return path;
    }
  }
  return "";
}

FileStamp StampOf(const struct stat& status) {
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

FileStamp StampOf(const std::string& path) {
  struct stat status = {};
  lstat(path.c_str(), &status);
  return StampOf(status);
}

std::vector<FileStamp> StampsOf(const Sstable& sstable) {
  return {StampOf(sstable.Path("Data.db")), StampOf(sstable.IndexPath()),
          StampOf(sstable.Path("Filter.db")), StampOf(sstable.Path(kTocName)),
          StampOf(sstable.Path("Scylla.db"))};
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines = Split(text, '\n');
  if (lines.back().empty()) {  // What follows the last line.
    lines.pop_back();
  }
  for (std::string_view& line : lines) {
    line.remove_suffix(EndsWith(line, "\r") ? 1 : 0);
  }
  return lines;
}

bool TocNames(std::string_view content, std::string_view component) {
  const auto lines = LinesOf(content);
  return std::find(lines.begin(), lines.end(), component) != lines.end();
}

std::string CompletedToc(std::string content) {
  if (TocNames(content, "Filter.db")) {
    return content;
  }
  if (!content.empty() && content.back() != '\n') {
    content += '\n';
  }
  return std::move(content) + "Filter.db\n";
}

std::string NameOfUser(uid_t user) {
  const auto known = FindUser(user);
  return known ? known->name : "user " + std::to_string(user);
}

// sudo refuses a user that has no name on this machine, as that of a container.
std::string FilterdbAs(uid_t user, gid_t group) {
  const auto known = FindUser(user);
  return std::string(geteuid() == 0 ? "" : "sudo ") +
         "setpriv --reuid=" + std::to_string(user) +
         " --regid=" + std::to_string(known ? known->group : group) +
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
