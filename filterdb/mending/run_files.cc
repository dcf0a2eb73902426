// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/run_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

#include "filterdb/mending/outcome.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

std::optional<uint32_t> PresentFilter(const Sstable& sstable) {
  const std::string path = sstable.Path(kFilterDb);
  return NameExists(path) ? std::make_optional(CrcOrFail(path)) : std::nullopt;
}

}  // namespace

// Returns a function that copies a file, whose CRC-32 must be that in the
// list. A dry run asks for it, too.
WriteContent RunFiles::Copy(const std::string& from, uint32_t listed) const {
  const auto check = [from, listed](uint32_t crc) {
    if (crc != listed) {
      Fail(from + ": is not the file that the list of the run names");
    }
  };
  if (dry_run_) {
    check(CrcOrFail(from));
  }
  return [from, check](const Append& append) {
    uint32_t crc = 0;
    const bool is_copied = ContentOfFile(from, &crc)(append);
    if (is_copied) {
      check(crc);
    }
    return is_copied;
  };
}

Change RunFiles::ChangeOf(const RunLine& line, const Sstable& sstable) const {
  Change change;
  change.completes_toc = true;
  const auto present = PresentFilter(sstable);
  if (line.kind == RunLine::kToc) {
    if (present != line.old_filter) {
      throw End{Outcome::kForeign, "its filter has changed since the mend"};
    }
    return change;
  }
  change.filter_crc = line.new_filter;
  if (present == line.new_filter) {
    return change;
  }
  if (present != line.old_filter) {
    throw End{Outcome::kForeign,
              "its filter is neither the old one nor the new one"};
  }
  change.filter = Copy(run_.NewPath(line), *line.new_filter);
  change.filter_time = run_.time();
  return change;
}

// Returns what brings the old filter back. If the present filter is the old
// one, that is at most a digest: an install was killed before it replaced the
// filter.
Change RunFiles::ChangeBack(const RunLine& line, const Sstable& sstable) const {
  Change change;
  if (line.kind == RunLine::kToc || !line.old_filter) {
    return change;
  }
  change.filter_crc = line.old_filter;
  const auto present = PresentFilter(sstable);
  if (present == line.old_filter) {
    return change;
  }
  if (!present || present != line.new_filter) {
    throw End{Outcome::kForeign, present ? "its filter has changed since this "
                                           "run, which still keeps the old "
                                           "one"
                                         : "its filter was removed"};
  }
  if (!HasTimeOfRun(sstable.Path(kFilterDb))) {
    throw End{Outcome::kForeign,
              "a later run has replaced its filter; undo that one first"};
  }
  change.filter = Copy(run_.OldPath(line), *line.old_filter);
  struct stat kept;
  stat(run_.OldPath(line).c_str(), &kept);
  change.filter_time = kept.st_mtim;
  return change;
}

bool RunFiles::HasTimeOfRun(const std::string& filter) const {
  struct stat status;
  return lstat(filter.c_str(), &status) == 0 &&
         status.st_mtim.tv_sec == run_.time().tv_sec &&
         status.st_mtim.tv_nsec == run_.time().tv_nsec;
}

// Keeps the old filter by a hard link, which costs no space. Another file
// system, or a kernel that protects links of other users, needs a copy.
void RunFiles::KeepOld(const RunLine& line,
                       const std::string& old_filter) const {
  const std::string kept = run_.OldPath(line);
  std::string error;
  if (!line.old_filter || CrcOfFile(kept, &error) == line.old_filter) {
    return;  // There was none, or it was kept by an install that was killed.
  }
  unlink(kept.c_str());
  if (link(old_filter.c_str(), kept.c_str()) == 0) {
    return;
  }
  struct stat status;
  stat(old_filter.c_str(), &status);
  const timespec times[] = {status.st_atim, status.st_mtim};
  if (!WriteFileAtomically(kept, /*overwrite=*/false,
                           Copy(old_filter, *line.old_filter), &error) ||
      (utimensat(AT_FDCWD, kept.c_str(), times, 0) != 0 &&
       !FailWithErrno(kept, "cannot write", &error))) {
    Fail(error);
  }
}

}  // namespace cassandra_bloom::tools
