// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/mend_filter.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include "filterdb/health/examine_sstable.h"
#include "filterdb/mending/digests.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/sstable/toc.h"
#include "plugin/filter_db/filter_db_file.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kFilter[] = "Filter.db";

WriteContent ContentOf(const FilterDbBuilder& filter, FilterForm form) {
  return FilterDbContent(form, filter.num_probes(), filter.num_words(),
                         filter.bits());
}

FilterForm FormOf(const Sstable& sstable) {
  FilterForm form = kNaAndLater;
  std::string ignored_error;
  FormOfSstableVersion(sstable.version, &form, &ignored_error);
  return form;
}

// Returns the content of TOC.txt if it exists and does not name Filter.db.
std::optional<std::string> TocToComplete(const Sstable& sstable,
                                         const PinnedFolder& folder) {
  const std::string name = sstable.name_prefix + kTocName;
  if (!folder.HasFile(name)) {
    return std::nullopt;
  }
  const std::string toc = folder.Read(name, kMaxTocSize);
  if (!TocNames(toc, "Data.db")) {
    throw FileError{sstable.Path(kTocName) + ": " + kTocIsDamaged};
  }
  return TocNames(toc, kFilter) ? std::nullopt : std::optional(toc);
}

// Returns whether Scylla.db must be changed. If it must be changed, but
// `may_rewrite` is false, throws a MendEnd.
bool CheckDigests(const Sstable& sstable, const PinnedFolder& folder,
                  bool of_filter, bool of_toc, bool may_rewrite) {
  if (!HasDigests(sstable, folder, of_filter, of_toc)) {
    return false;
  }
  if (!may_rewrite) {
    Leave(
        "Scylla.db holds the checksum of its filter or of TOC.txt, and "
        "ScyllaDB would refuse the SSTable; give --rewrite-digests, or use "
        "--out-dir, put the filter in place and set "
        "ignore_component_digest_mismatch, or let ScyllaDB rewrite the SSTable "
        "(nodetool upgradesstables -a)");
  }
  return true;
}

// Throws a MendEnd for a backup beside an SSTable of ScyllaDB. When ScyllaDB
// removes an SSTable, it removes only the files that TOC.txt names. The backup
// would stay, and would look like an SSTable without TOC.txt
// (filesystem_storage::wipe, sstable_directory::process).
//
// If digests change, this function throws even if there is no old filter to
// back up. Otherwise, if that mend were killed, the next mend would need other
// options.
void CheckBackup(const FilterFinding& finding, const PinnedFolder& folder,
                 const KeptFilter* kept, bool changes_digests) {
  if ((finding.has_filter_file || changes_digests) && kept != nullptr &&
      kept->is_beside() &&
      folder.HasFile(finding.sstable.name_prefix + "Scylla.db")) {
    Leave(
        "ScyllaDB does not start if the old filter outlives the SSTable "
        "beside it; give --backup-dir or --no-backup");
  }
}

}  // namespace

// ScyllaDB loads a filter only if TOC.txt names it.
void CompleteToc(const Sstable& sstable, const PinnedFolder& folder) {
  const auto toc = TocToComplete(sstable, folder);
  if (!toc) {
    return;
  }
  const std::string completed = CompletedToc(*toc);
  const std::string name = sstable.name_prefix + kTocName;
  folder.Replace(name, name, ContentOf(completed),
                 [&] { SetTocDigest(sstable, folder, completed); });
}

Kept CheckPlace(const FilterFinding& finding, const PinnedFolder& folder,
                KeptFilter* kept, bool only_toc, bool rewrite_digests) {
  const Sstable& sstable = finding.sstable;
  const std::string filter = sstable.name_prefix + kFilter;
  const std::string data = sstable.name_prefix + "Data.db";
  bool has_filter = false;
  bool changes_toc = false;
  bool changes_digests = false;
  // A link may have replaced a folder of the path since the scan.
  if (!folder.IsAt(sstable.real_folder)) {
    Leave("its folder is not the one that was scanned; scan again");
  }
  try {
    has_filter = folder.HasFile(filter);
    changes_toc = TocToComplete(sstable, folder).has_value();
    changes_digests =
        CheckDigests(sstable, folder, !only_toc, changes_toc, rewrite_digests);
    CheckBackup(finding, folder, kept, changes_digests);
    // HasFile throws if Data.db or the index is a link. Data.db must be a
    // regular file, because new files may get its attributes. The index must be
    // a regular file, because the record has its checksum.
    if (kept != nullptr || !has_filter) {
      folder.HasFile(data);
    }
    if (kept != nullptr && has_filter) {
      folder.HasFile(sstable.IndexName());
    }
  } catch (const FileError& error) {
    Leave(error.text);
  }
  FailFor(folder.ReasonNotWritable());
  if (!only_toc) {
    FailFor(folder.ReasonNotToKeepOwner(has_filter ? filter : data));
  }
  if (changes_toc) {
    FailFor(folder.ReasonNotToKeepOwner(sstable.name_prefix + kTocName));
  }
  if (changes_digests) {
    FailFor(folder.ReasonNotToKeepOwner(sstable.name_prefix + "Scylla.db"));
  }
  if (kept == nullptr) {
    return {};
  }
  FailFor(kept->ReasonNotWritable());
  const Kept now = kept->Look();
  LeaveFor(kept->ReasonNotToReplace(now));
  return now;
}

std::unique_ptr<FilterDbBuilder> BuildFilter(const Sstable& sstable,
                                             const PinnedFolder* folder,
                                             uint64_t num_keys,
                                             double fp_chance,
                                             const OnKeysAdded& on_keys_added) {
  Sstable opened = sstable;
  if (folder != nullptr) {
    opened.folder = folder->OpenPath();
  }
  const auto fail = [&](std::string error) {
    if (folder != nullptr) {
      folder->NameInError(&error);
    }
    Fail(error);
  };
  std::string error;
  auto filter = FilterDbBuilder::ForFpChance(fp_chance, num_keys,
                                             FormOf(sstable), &error);
  const auto keys = filter == nullptr
                        ? nullptr
                        : OpenSstableKeys(opened, KeyChecks::kEveryKey, &error);
  if (keys == nullptr) {
    fail(error);
  }
  const auto add = [&](uint64_t num_new) {
    if (!on_keys_added(num_new)) {
      throw MendEnd{MendOutcome::kNotDone, ""};
    }
  };
  constexpr uint64_t kKeysAtOnce = 65536;
  uint64_t num_read = 0;
  std::string_view key;
  while (keys->Next(&key)) {
    filter->Add(key);
    if (++num_read % kKeysAtOnce == 0) {
      add(kKeysAtOnce);
    }
  }
  if (!keys->error().empty()) {
    fail(keys->error());
  }
  if (num_read != num_keys) {
    Fail(sstable.IndexPath() + ": has changed since it was examined");
  }
  add(num_read % kKeysAtOnce);
  return filter;
}

bool ReplaceFilter(const Sstable& sstable, const PinnedFolder& folder,
                   const FilterDbBuilder& filter, KeptFilter* kept,
                   const Kept& kept_now) {
  const std::string name = sstable.name_prefix + kFilter;
  const bool has_old = folder.HasFile(name);
  const bool has_other_links = has_old && folder.NumLinksOf(name) > 1;
  const WriteContent content = ContentOf(filter, FormOf(sstable));
  const FileSum sum = SumOf(content);
  folder.Replace(name, has_old ? name : sstable.name_prefix + "Data.db",
                 content, [&] {
                   if (kept != nullptr) {
                     kept->Keep(kept_now, sum);
                   }
                   SetFilterDigest(sstable, folder, sum.crc);
                 });
  try {
    CompleteToc(sstable, folder);
  } catch (const FileError& error) {
    Fail(error.text + "; the new filter is in place");
  }
  return has_other_links;
}

}  // namespace cassandra_bloom::tools
