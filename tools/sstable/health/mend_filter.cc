// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/health/mend_filter.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "plugin/filter_db/filter_db_file.h"
#include "plugin/io/file_io.h"
#include "tools/sstable/health/examine_sstable.h"
#include "tools/sstable/health/toc.h"
#include "tools/sstable/scylla_db.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

constexpr char kFilter[] = "Filter.db";
constexpr char kToc[] = "TOC.txt";

// Far more than any real file of this kind has.
constexpr uint64_t kMaxScyllaDbSize = uint64_t{1} << 30;

WriteContent ContentOf(const FilterDbBuilder& filter, FilterForm form) {
  return FilterDbContent(form, filter.num_probes(), filter.num_words(),
                         filter.bits());
}

FilterForm FormOf(const SstableFiles& files) {
  FilterForm form = kNaAndLater;
  std::string ignored_error;
  FormOfSstableVersion(files.version, &form, &ignored_error);
  return form;
}

WriteContent ContentOf(const std::string& bytes) {
  return [&bytes](const Append& append) {
    return append(bytes.data(), bytes.size());
  };
}

// Copies the old filter to the folder of backups. An earlier backup is kept.
bool CopyToBackupFolder(const SstableFiles& files, const PinnedFolder& folder,
                        const std::string& backup_folder, std::string* error) {
  std::string path;
  if (!BackupPath(files, backup_folder, &path, error)) {
    return false;
  }
  std::error_code failure;
  fs::create_directories(fs::path(path).parent_path(), failure);
  if (failure) {
    *error = path + ": cannot create the folder: " + failure.message();
    return false;
  }
  std::string bytes;
  if (!folder.Read(files.sstable + kFilter, UINT64_MAX, &bytes, error)) {
    return false;
  }
  // A run that was killed may have kept this filter already.
  std::string kept;
  std::string ignored_error;
  return (ReadRegularFile(path, bytes.size(), &kept, &ignored_error) &&
          kept == bytes) ||
         WriteFileAtomically(path, /*overwrite=*/false, ContentOf(bytes),
                             error);
}

bool KeepOld(const SstableFiles& files, const PinnedFolder& folder,
             const BackupPlan& backup, std::string* error) {
  const std::string name = files.sstable + kFilter;
  switch (backup.kind) {
    case Backup::kBeside:
      return folder.AddName(name, name + kBackupSuffix, error);
    case Backup::kFolder:
      return CopyToBackupFolder(files, folder, backup.folder, error);
    case Backup::kNone:
      return true;
  }
  return false;
}

bool UndoFromBackupFolder(const SstableFiles& files, const PinnedFolder& folder,
                          const std::string& backup_folder,
                          std::string* error) {
  std::string path;
  if (!BackupPath(files, backup_folder, &path, error)) {
    return false;
  }
  std::string bytes;
  if (!ReadRegularFile(path, UINT64_MAX, &bytes, error)) {
    return false;
  }
  const std::string name = files.sstable + kFilter;
  const auto kind = folder.KindOf(name, nullptr, error);
  const std::string like =
      kind == PinnedFolder::Kind::kFile ? name : files.sstable + "Data.db";
  return kind != PinnedFolder::Kind::kRefused &&
         folder.Replace(
             name, like, ContentOf(bytes), [](std::string*) { return true; },
             error) &&
         (std::remove(path.c_str()) == 0 ||
          FailWithErrno(path, "cannot remove", error));
}

}  // namespace

// ScyllaDB loads a filter only if TOC.txt names it.
bool CompleteToc(const SstableFiles& files, const PinnedFolder& folder,
                 std::string* error) {
  const std::string name = files.sstable + kToc;
  const auto kind = folder.KindOf(name, nullptr, error);
  if (kind != PinnedFolder::Kind::kFile) {
    return kind == PinnedFolder::Kind::kNone;
  }
  std::string toc;
  if (!folder.Read(name, kMaxTocSize, &toc, error)) {
    return false;
  }
  if (TocNamesFilter(toc)) {
    return true;
  }
  if (!toc.empty() && toc.back() != '\n') {
    toc += '\n';
  }
  toc += std::string(kFilter) + "\n";
  return folder.Replace(
      name, name, ContentOf(toc), [](std::string*) { return true; }, error);
}

std::string ReasonNotInPlace(const FilterFinding& finding,
                             const PinnedFolder& folder,
                             const BackupPlan& backup) {
  // A link in its path may lead to filters now that nobody has named.
  if (!folder.IsAt(finding.files.real_folder)) {
    return "its folder is not the one that was scanned; scan again";
  }
  std::string error;
  if (folder.KindOf(finding.files.sstable + kFilter, nullptr, &error) ==
      PinnedFolder::Kind::kRefused) {
    return error;
  }
  const std::string name = finding.files.sstable + "Scylla.db";
  const auto kind = folder.KindOf(name, nullptr, &error);
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
  return finding.has_filter_file && backup.kind == Backup::kBeside
             ? "ScyllaDB does not start if the old filter outlives the SSTable "
               "beside it; give --backup-dir or --no-backup"
             : "";
}

std::unique_ptr<FilterDbBuilder> BuildFilterIn(const PinnedFolder& folder,
                                               const FilterFinding& finding,
                                               double fp_chance,
                                               std::string* error) {
  FilterFinding here = finding;
  here.files.folder = folder.OpenPath();
  auto filter = BuildFilter(here, fp_chance, error);
  if (filter == nullptr) {
    folder.NameInError(error);
  }
  return filter;
}

std::unique_ptr<FilterDbBuilder> BuildFilter(const FilterFinding& finding,
                                             double fp_chance,
                                             std::string* error) {
  auto filter = FilterDbBuilder::ForFpChance(fp_chance, finding.num_keys,
                                             FormOf(finding.files), error);
  const auto keys = filter == nullptr ? nullptr
                                      : OpenKeysOf(finding.files,
                                                   KeyChecks::kEveryKey, error);
  if (keys == nullptr) {
    return nullptr;
  }
  uint64_t num_keys = 0;
  std::string_view key;
  for (; keys->Next(&key); ++num_keys) {
    filter->Add(key);
  }
  if (!keys->error().empty()) {
    *error = keys->error();
    return nullptr;
  }
  if (num_keys != finding.num_keys) {
    *error = finding.files.IndexPath() + ": has changed since it was examined";
    return nullptr;
  }
  return filter;
}

bool BackupPath(const SstableFiles& files, const std::string& backup_folder,
                std::string* path, std::string* error) {
  std::error_code failure;
  const fs::path folder = fs::canonical(files.folder, failure);
  if (failure) {
    *error = files.folder + ": cannot open: " + failure.message();
    return false;
  }
  *path = (backup_folder / folder.relative_path() / (files.sstable + kFilter))
              .string();
  return true;
}

bool ReplaceFilter(const FilterFinding& finding, const PinnedFolder& folder,
                   const FilterDbBuilder& filter, const BackupPlan& backup,
                   bool* has_other_links, std::string* error) {
  const std::string name = finding.files.sstable + kFilter;
  uint64_t num_links = 1;
  const auto kind = folder.KindOf(name, &num_links, error);
  if (kind == PinnedFolder::Kind::kRefused) {
    return false;
  }
  const bool has_old = kind == PinnedFolder::Kind::kFile;
  *has_other_links = has_old && num_links > 1;
  return folder.Replace(
             name, has_old ? name : finding.files.sstable + "Data.db",
             ContentOf(filter, FormOf(finding.files)),
             [&](std::string* why) {
               return !has_old || KeepOld(finding.files, folder, backup, why);
             },
             error) &&
         CompleteToc(finding.files, folder, error);
}

bool HasBackup(const SstableFiles& files, const BackupPlan& backup) {
  std::string path = files.Path(kFilter) + kBackupSuffix;
  std::string ignored_error;
  return backup.kind != Backup::kNone &&
         (backup.kind == Backup::kBeside ||
          BackupPath(files, backup.folder, &path, &ignored_error)) &&
         FileExists(path);
}

bool UndoFilter(const SstableFiles& files, const BackupPlan& backup,
                std::string* error) {
  const auto folder = PinnedFolder::Open(files.folder, error);
  if (folder == nullptr) {
    return false;
  }
  if (backup.kind == Backup::kFolder) {
    return UndoFromBackupFolder(files, *folder, backup.folder, error);
  }
  const std::string name = files.sstable + kFilter;
  return folder->KindOf(name + kBackupSuffix, nullptr, error) ==
             PinnedFolder::Kind::kFile &&
         folder->Rename(name + kBackupSuffix, name, error);
}

}  // namespace cassandra_bloom::tools
