// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/mend/mend_test.cc.

#include <fcntl.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/mending/place.h"
#include "filterdb/mending/run_folder.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/sstable_keys.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// Writes a new filter to `path`, from the keys of the SSTable. Returns its
// CRC-32. Each key of the index is compared with Data.db, because a filter that
// was built from a damaged index would deny keys.
uint32_t BuildFilter(const Examined& examined, const std::string& path) {
  const Sstable& sstable = examined.sstable;
  FilterForm form = kNaAndLater;
  std::string error;
  FormOfSstableVersion(sstable.version, &form, &error);
  const auto filter = FilterDbBuilder::ForFpChance(
      *examined.plan, examined.num_keys, form, &error);
  const auto keys =
      filter == nullptr
          ? nullptr
          : OpenSstableKeys(sstable, KeyChecks::kEveryKey, &error);
  if (keys == nullptr) {
    Fail(error);
  }
  std::string_view key;
  while (keys->Next(&key)) {
    filter->Add(key);
  }
  if (!keys->error().empty()) {
    Fail(keys->error());
  }
  if (examined.stamps != StampsOf(sstable)) {
    Leave("has changed since it was examined; run the same line again");
  }
  const WriteContent content = FilterDbContent(
      form, filter->num_probes(), filter->num_words(), filter->bits());
  const FileDescriptor fd(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
           0600));
  if (fd.get() < 0 || !content([&fd](const char* data, size_t size) {
        return WriteAll(fd.get(), data, size);
      })) {
    FailAt(path, "cannot write");
  }
  return CrcOf(content);
}

// Sets the kinds of the outcome and of the line.
void Make(const Examined& examined, const RunFolder& run, Outcome* outcome,
          RunLine* line) {
  const Action action = examined.action();
  if (action == Action::kLeave) {
    Leave(examined.ReasonToLeave());
  }
  if (action == Action::kNone) {
    // What is only oversized is not left, because --oversized was not given.
    if (line->harms.worst() == Harm::kWastesMemory) {
      line->harms = Harms();
    }
    return;
  }
  const Place place(examined.sstable);  // Fails where the install would.
  line->index_crc = place.index_crc();
  line->old_filter = place.filter_crc();
  outcome->kind = Outcome::kBuilt;
  outcome->num_keys = examined.num_keys;
  outcome->num_bytes = examined.planned_size;
  // An earlier, killed run of the same line may have built it. With another
  // --default-fp-chance, it was another one.
  const auto before = run.lines().find(line->prefix);
  std::string ignored_error;
  std::error_code ignored;
  if (before != run.lines().end() && before->second.new_filter &&
      before->second.data == line->data &&
      before->second.index == line->index &&
      before->second.index_crc == line->index_crc &&
      before->second.old_filter == line->old_filter &&
      fs::file_size(run.NewPath(before->second), ignored) ==
          examined.planned_size &&
      CrcOfFile(run.NewPath(before->second), &ignored_error) ==
          before->second.new_filter) {
    *line = before->second;
  } else {
    line->new_filter = BuildFilter(examined, run.NewPath(*line));
  }
}

}  // namespace

Outcome BuildIntoRun(const Examined& examined, RunFolder* run) {
  Outcome outcome;
  outcome.kind = Outcome::kUnchanged;
  if (examined.sstable.state != SstableState::kLive) {
    return outcome;
  }
  outcome.path = examined.sstable.Path(kFilterDb);
  outcome.verdict = examined.VerdictText();
  RunLine line;
  line.number = run->NewNumber();
  line.harms = examined.harms();
  line.data = examined.stamps.at(0);  // As StampsOf says.
  line.index = examined.stamps.at(1);
  const bool is_done = Try(&outcome, [&] {
    const std::string folder = fs::canonical(examined.sstable.folder);
    if (folder.find('\n') != std::string::npos) {
      Leave("its path has a line end, and the list of the run has lines");
    }
    line.prefix = folder + "/" + examined.sstable.name_prefix;
    Make(examined, *run, &outcome, &line);
  });
  if (outcome.kind == Outcome::kFailed) {
    line.harms.Add(Harm::kNotKnown);
  }
  if (is_done && line.IsLeft()) {
    outcome.kind = Outcome::kLeft;
  }
  if (!is_done || line.IsLeft()) {
    outcome.left.Add(line.harms);
  }
  if (!line.prefix.empty()) {
    run->Append(line);
  }
  return outcome;
}

}  // namespace cassandra_bloom::tools
