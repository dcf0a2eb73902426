// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/mending/mend_filter.h"

#include <cstdint>
#include <string_view>

#include "plugin/filter_db/filter_db_file.h"
#include "tools/sstable/health/examine_sstable.h"
#include "tools/sstable/health/toc.h"
#include "tools/sstable/scylla_db.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kFilter[] = "Filter.db";
constexpr char kToc[] = "TOC.txt";

// Far more than any real file of this kind has.
constexpr uint64_t kMaxScyllaDbSize = uint64_t{1} << 30;

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

// Whether TOC.txt is to be completed. Sets `*toc` to its content.
enum class TocState { kComplete, kLacksFilter, kRefused };

TocState ReadToc(const Sstable& sstable, const PinnedFolder& folder,
                 std::string* toc, std::string* error) {
  const std::string name = sstable.name_prefix + kToc;
  const auto kind = folder.KindOf(name, error);
  if (kind == PinnedFolder::Kind::kNone) {
    return TocState::kComplete;
  }
  if (kind == PinnedFolder::Kind::kRefused ||
      !folder.Read(name, kMaxTocSize, toc, error)) {
    return TocState::kRefused;
  }
  if (!TocNames(*toc, "Data.db")) {
    *error = sstable.Path(kToc) + ": " + kTocIsDamaged;
    return TocState::kRefused;
  }
  return TocNames(*toc, kFilter) ? TocState::kComplete : TocState::kLacksFilter;
}

// Why ScyllaDB would not start, or would refuse the SSTable; empty if it is not
// ScyllaDB's.
std::string ReasonOfScyllaDb(const FilterFinding& finding,
                             const PinnedFolder& folder,
                             const KeptFilter* kept) {
  std::string error;
  const std::string name = finding.sstable.name_prefix + "Scylla.db";
  const auto kind = folder.KindOf(name, &error);
  if (kind == PinnedFolder::Kind::kNone) {
    return "";
  }
  std::string content;
  if (kind == PinnedFolder::Kind::kRefused ||
      !folder.Read(name, kMaxScyllaDbSize, &content, &error)) {
    return error;
  }
  if (DigestsIn(content) != ComponentDigests::kNone) {
    return "Scylla.db may hold the checksum of its filter, and ScyllaDB would "
           "refuse the SSTable; use --out-dir, put the filter in place and set "
           "ignore_component_digest_mismatch, or let ScyllaDB rewrite the "
           "SSTable (nodetool upgradesstables -a)";
  }
  // ScyllaDB removes only files that TOC.txt names, and takes what is left for
  // an SSTable without TOC.txt (filesystem_storage::wipe,
  // sstable_directory::process).
  return finding.has_filter_file && kept != nullptr && kept->is_beside()
             ? "ScyllaDB does not start if the old filter outlives the SSTable "
               "beside it; give --backup-dir or --no-backup"
             : "";
}

// Why a file that is needed beside the filter is left alone, such as a symbolic
// link: Data.db, whose attributes new files get, and the index, whose sum the
// record has.
std::string ReasonOfLinks(const Sstable& sstable, const PinnedFolder& folder,
                          bool needs_data, bool needs_index) {
  std::string reason;
  if (needs_data) {
    folder.KindOf(sstable.name_prefix + "Data.db", &reason);
  }
  if (needs_index && reason.empty()) {
    folder.KindOf(sstable.IndexName(), &reason);
  }
  return reason;
}

}  // namespace

// ScyllaDB loads a filter only if TOC.txt names it.
bool CompleteToc(const Sstable& sstable, const PinnedFolder& folder,
                 std::string* error) {
  std::string toc;
  const TocState state = ReadToc(sstable, folder, &toc, error);
  if (state != TocState::kLacksFilter) {
    return state == TocState::kComplete;
  }
  if (!toc.empty() && toc.back() != '\n') {
    toc += '\n';
  }
  toc += std::string(kFilter) + "\n";
  const std::string name = sstable.name_prefix + kToc;
  return folder.Replace(name, name, ContentOf(toc), /*before_naming=*/nullptr,
                        error);
}

Kept CheckPlace(const FilterFinding& finding, const PinnedFolder& folder,
                KeptFilter* kept, bool only_toc) {
  const Sstable& sstable = finding.sstable;
  // A link in its path may lead to filters now that nobody has named.
  if (!folder.IsAt(sstable.real_folder)) {
    Leave("its folder is not the one that was scanned; scan again");
  }
  std::string reason;
  std::string content;
  const auto kind = folder.KindOf(sstable.name_prefix + kFilter, &reason);
  const bool has_filter = kind == PinnedFolder::Kind::kFile;
  const TocState toc = kind == PinnedFolder::Kind::kRefused
                           ? TocState::kRefused
                           : ReadToc(sstable, folder, &content, &reason);
  if (toc != TocState::kRefused) {
    reason = ReasonOfScyllaDb(finding, folder, kept);
  }
  if (reason.empty()) {
    reason = ReasonOfLinks(sstable, folder, kept != nullptr || !has_filter,
                           kept != nullptr && has_filter);
  }
  if (!reason.empty()) {
    Leave(reason);
  }
  const std::string like = has_filter ? kFilter : "Data.db";
  if (!folder.IsWritable(&reason) ||
      (!only_toc &&
       !folder.CanKeepOwner(sstable.name_prefix + like, &reason)) ||
      (toc == TocState::kLacksFilter &&
       !folder.CanKeepOwner(sstable.name_prefix + kToc, &reason)) ||
      (kept != nullptr && !kept->IsWritable(&reason))) {
    Fail(reason);
  }
  if (kept == nullptr) {
    return {};
  }
  const Kept now = kept->Look();
  reason = kept->ReasonNotToReplace(now);
  if (!reason.empty()) {
    Leave(reason);
  }
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
                        : OpenKeysOf(opened, KeyChecks::kEveryKey, &error);
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
  std::string error;
  const auto kind = folder.KindOf(name, &error);
  if (kind == PinnedFolder::Kind::kRefused) {
    Fail(error);
  }
  const bool has_old = kind == PinnedFolder::Kind::kFile;
  const bool has_other_links = has_old && folder.NumLinksOf(name) > 1;
  const WriteContent content = ContentOf(filter, FormOf(sstable));
  const auto keep = [&] {
    if (kept != nullptr) {
      kept->Keep(kept_now, SumOf(content));
    }
  };
  if (!folder.Replace(name, has_old ? name : sstable.name_prefix + "Data.db",
                      content, keep, &error)) {
    Fail(error);
  }
  if (!CompleteToc(sstable, folder, &error)) {
    Fail(error + "; the new filter is in place");
  }
  return has_other_links;
}

}  // namespace cassandra_bloom::tools
