// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/build.h"

#include <fcntl.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/mending/place.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/sstable_keys.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/write_file.h"

namespace cassandra_bloom::tools {
namespace {

namespace fs = std::filesystem;

// Builds a filter from the keys of the SSTable. Each key of the index is
// compared with Data.db, because a filter that was built from a damaged index
// would deny keys.
std::unique_ptr<FilterDbBuilder> BuildFilter(const Examined& examined) {
  const Sstable& sstable = examined.sstable;
  FilterForm form = kNaAndLater;
  std::string error;
  FormOfSstableVersion(sstable.version, &form, &error);
  auto filter = FilterDbBuilder::ForFpChance(*examined.plan, examined.num_keys,
                                             form, &error);
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
  return filter;
}

// What stands in `stamps` of an Examined (StampsOf).
constexpr size_t kData = 0;
constexpr size_t kIndex = 1;

}  // namespace

RunBuilder::RunBuilder(RunFolder* run, OnOutcome on_outcome)
    : run_(run), on_outcome_(std::move(on_outcome)) {
  for (const RunLine& line : run->lines()) {
    if (line.kind == RunLine::kNew || line.kind == RunLine::kToc) {
      built_before_[line.prefix] = line;
    }
  }
}

void RunBuilder::Build(const Examined& examined) {
  Outcome outcome;
  outcome.path = examined.sstable.Path(kFilterDb);
  outcome.verdict = examined.VerdictText();
  if (examined.sstable.state != SstableState::kLive) {
    return;
  }
  RunLine line;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    line.number = run_->NewNumber();
  }
  line.harms = examined.harms();
  line.data = examined.stamps.at(kData);
  line.index = examined.stamps.at(kIndex);
  const auto fail = [&](const std::string& what) {
    line.kind = RunLine::kLeft;
    outcome.kind = Outcome::kFailed;
    outcome.note = outcome.path + ": " + what;
  };
  try {
    line.prefix = fs::canonical(examined.sstable.folder).string() + "/" +
                  examined.sstable.name_prefix;
    Make(examined, &outcome, &line);
  } catch (const End& end) {
    line.kind = RunLine::kLeft;
    outcome.kind = end.kind;
    outcome.note = end.reason;
  } catch (const std::bad_alloc&) {
    fail("not enough memory");
  } catch (const std::exception& error) {
    fail(error.what());
  }
  Add(examined, std::move(outcome), line);
}

// Sets the kinds of the outcome and of the line.
void RunBuilder::Make(const Examined& examined, Outcome* outcome,
                      RunLine* line) {
  const Action action = examined.action();
  if (action == Action::kLeave) {
    Leave(examined.ReasonToLeave());
  }
  if (action == Action::kNone) {
    outcome->kind = Outcome::kUnchanged;
    return;
  }
  const Sstable& sstable = examined.sstable;
  CheckIsOwner(sstable);
  const Place place(sstable);  // Fails where the install would.
  line->index_crc = CrcOrFail(sstable.IndexPath());
  const std::string old_filter = sstable.Path(kFilterDb);
  if (NameExists(old_filter)) {
    line->old_filter = CrcOrFail(old_filter);
  }
  if (action == Action::kCompleteToc) {
    line->kind = RunLine::kToc;
    outcome->kind = Outcome::kTocBuilt;
    return;
  }
  line->kind = RunLine::kNew;
  outcome->kind = Outcome::kBuilt;
  outcome->num_keys = examined.num_keys;
  outcome->num_bytes = examined.planned_size;
  if (WasBuiltBefore(line)) {
    return;
  }
  const auto filter = BuildFilter(examined);
  FilterForm form = kNaAndLater;
  std::string error;
  FormOfSstableVersion(sstable.version, &form, &error);
  const WriteContent content = FilterDbContent(
      form, filter->num_probes(), filter->num_words(), filter->bits());
  line->new_filter = CrcOf(content);
  if (examined.stamps != StampsOf(sstable)) {
    Leave("has changed since it was examined; run the same line again");
  }
  const std::string path = run_->NewPath(*line);
  const FileDescriptor fd(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
           0600));
  if (fd.get() < 0 || !content([&fd](const char* data, size_t size) {
        return WriteAll(fd.get(), data, size);
      })) {
    FailAt(path, "cannot write");
  }
}

bool RunBuilder::WasBuiltBefore(RunLine* line) const {
  const auto found = built_before_.find(line->prefix);
  if (found == built_before_.end()) {
    return false;
  }
  const RunLine& before = found->second;
  std::string ignored_error;
  if (before.data != line->data || before.index != line->index ||
      before.index_crc != line->index_crc ||
      before.old_filter != line->old_filter || !before.new_filter ||
      CrcOfFile(run_->NewPath(before), &ignored_error) != before.new_filter) {
    return false;
  }
  *line = before;
  return true;
}

void RunBuilder::Add(const Examined& examined, Outcome outcome,
                     const RunLine& line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!line.prefix.empty()) {
    run_->Append(line);
  }
  num_built_ +=
      line.kind == RunLine::kNew || line.kind == RunLine::kToc ? 1 : 0;
  // What is only oversized is not left: then --oversized was not given.
  Harms harms = examined.harms();
  const bool does_harm =
      harms.worst() > Harm::kWastesMemory || harms.has(Harm::kNotKnown);
  if (outcome.kind == Outcome::kUnchanged && does_harm) {
    outcome.kind = Outcome::kLeft;
  }
  if (line.kind == RunLine::kLeft || outcome.kind == Outcome::kLeft) {
    outcome.left.Add(harms);
  }
  if (outcome.kind == Outcome::kFailed) {
    outcome.left.Add(Harm::kNotKnown);
  }
  if (outcome.kind != Outcome::kUnchanged) {
    on_outcome_(outcome);
  }
}

}  // namespace cassandra_bloom::tools
