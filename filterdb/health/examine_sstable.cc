// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/examine_sstable.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/health/compare_digests.h"
#include "filterdb/health/filter_fill.h"
#include "filterdb/health/filter_questions.h"
#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/bytes/cached_pages.h"
#include "filterdb/sstable/scylla_db.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/sstable/statistics_db.h"
#include "filterdb/sstable/toc.h"
#include "plugin/filter/endian.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

// Returns the size of a file, or 0.
uint64_t SizeOf(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0
             ? static_cast<uint64_t>(status.st_size)
             : 0;
}

constexpr FilterForm kForms[] = {kNaAndLater, kMaToMe, kBeforeMa};

class Examination {
 public:
  Examination(const Sstable& sstable, const ExamineOptions& options)
      : options_(options) {
    found_.sstable = sstable;
    found_.facts.is_in_use = sstable.is_in_use;
    found_.plan = options.default_fp_chance;
  }

  Examined Run() {
    if (found_.sstable.state != SstableState::kLive) {
      return std::move(found_);
    }
    found_.stamps = StampsOf(found_.sstable);
    Examine();
    found_.AddObstacles(options_);
    // A node of ScyllaDB may have begun to remove it.
    if (found_.worst() != Harm::kNone && found_.sstable.HasTemporaryToc()) {
      found_.LeaveOut(SstableState::kBeingWritten);
    }
    return std::move(found_);
  }

 private:
  const Sstable& sstable() const { return found_.sstable; }
  std::string Path(const char* component) const {
    return sstable().Path(component);
  }

  void Examine() {
    const std::string& version = sstable().version;
    std::string error;
    if (!FormOfSstableVersion(version, &form_, &error)) {
      // What is not known here is no fault: its filter may be as good as any.
      found_.is_judged = false;
      found_.Add(Check::kUnknownVersion,
                 version.empty() ? "its name tells no SSTable version"
                 : IsVersionBeforeIa(version)
                     ? error
                     : "SSTable version '" + version +
                           "' is not known here, so its filter was not judged");
      return;
    }
    is_of_scylla_ =
        NameExists(Path("Scylla.db")) || version == "ms" || version == "mt";
    found_.facts.reader = is_of_scylla_          ? Reader::kScylla
                          : form_ == kNaAndLater ? Reader::kCassandraFromNa
                                                 : Reader::kCassandraBeforeNa;
    if (!NameExists(Path("Data.db")) && !NameExists(sstable().IndexPath())) {
      found_.is_judged = false;
      found_.Add(Check::kLeftOver, "it has neither Data.db nor an index");
      return;
    }
    const auto scylla = ReadScyllaDb();
    if (scylla && scylla->is_encrypted()) {
      found_.is_judged = false;
      found_.Add(Check::kNotSupported,
                 "it is encrypted (scylla_encryption_options in Scylla.db)");
      return;
    }
    ReadPlan();
    ReadToc();
    OpenFilter();
    if (scylla) {
      CompareDigests(*scylla, toc_, &found_);
      GiveTocRemedy();
    }
    ReadKeys();
  }

  std::optional<ScyllaDb> ReadScyllaDb() {
    const std::string path = Path("Scylla.db");
    if (!NameExists(path)) {
      return std::nullopt;
    }
    std::string content;
    std::string error;
    std::optional<ScyllaDb> scylla;
    try {
      if (ReadRegularFile(path, kMaxScyllaDbSize, &content, &error)) {
        scylla = ScyllaDb::Parse(path, std::move(content), &error);
      }
      if (!scylla) {
        ThrowIfShort(path);
        found_.Add(Check::kScyllaDbDamaged, error);
      }
    } catch (const NotSupported& not_supported) {
      found_.Add(Check::kNotSupported, not_supported.what());
    }
    return scylla;
  }

  // The planned rate in Statistics.db replaces the rate that the user gave.
  void ReadPlan() {
    const Statistics facts =
        ReadStatistics(Path("Statistics.db"), sstable().version);
    is_plan_read_ = facts.fp_chance.has_value();
    found_.plan = is_plan_read_ ? facts.fp_chance : found_.plan;
    found_.plan_error = facts.error;
  }

  void ReadToc() {
    const std::string path = Path("TOC.txt");
    if (!NameExists(path)) {
      if (is_of_scylla_) {
        found_.Add(Check::kTocMissing,
                   path + ": missing, so the node does not start");
      }
      return;
    }
    std::string error;
    if (!ReadRegularFile(path, kMaxTocSize, &toc_, &error)) {
      ThrowIfShort(path);
      found_.Add(Check::kTocDamaged, error);
    } else if (!TocNames(toc_, "Data.db")) {
      found_.Add(Check::kTocDamaged, path + ": does not name Data.db");
    } else {
      found_.toc_names_filter = TocNames(toc_, "Filter.db");
    }
    if (!found_.toc_names_filter && IsFilterPlanned() &&
        FileExists(Path("Filter.db"))) {
      found_.Add(Check::kNotInToc);
    }
  }

  // If Scylla.db has the checksum of TOC.txt, no other text is taken than the
  // one that was there.
  void GiveTocRemedy() {
    for (Finding& finding : found_.findings) {
      if (found_.toc_has_digest && (finding.check == Check::kTocMissing ||
                                    finding.check == Check::kTocDamaged)) {
        finding.remedy = InfoOf(Check::kTocDigestDiffers).remedy;
      }
    }
  }

  // Cassandra loads Filter.db only if a filter is planned. It goes by the
  // present chance of the table (FilterComponent.maybeLoadBloomFilter), which
  // is not known here.
  bool IsFilterPlanned() const { return !found_.plan || *found_.plan < 1; }

  void OpenFilter() {
    const std::string path = Path("Filter.db");
    struct stat status;
    const bool is_there = stat(path.c_str(), &status) == 0;
    if (!is_there && errno == ENOENT) {
      if (TocNames(toc_, "Filter.db")) {
        found_.Add(Check::kMissingInToc);
      } else if (found_.plan && *found_.plan < 1) {
        found_.Add(Check::kMissing);
      }
      return;
    }
    if (is_there && S_ISREG(status.st_mode)) {
      found_.has_filter_file = true;
      found_.filter_size = static_cast<uint64_t>(status.st_size);
    }
    std::string error;
    const auto fault = FaultOfFile(path, &error);
    if (fault || IsFarTooLarge()) {
      found_.Add(fault.value_or(Check::kNotAsked), error);
      return;
    }
    const FileDescriptor fd(OpenForReading(path));
    const CachedPages pages(fd.get(), 0,
                            static_cast<size_t>(found_.filter_size));
    filter_ = FilterDbFile::Open(path, form_, &error);
    if (filter_ == nullptr) {
      ThrowIfShort(path);
      found_.Add(Check::kFilterUnreadable, error);
      return;
    }
    found_.fill = FillOf(*filter_);
    if (found_.fill.is_saturated()) {
      found_.Add(Check::kSaturated);
    }
  }

  std::optional<Check> FaultOfFile(const std::string& path,
                                   std::string* error) const {
    const FileDescriptor fd(OpenForReading(path));
    uint64_t size = 0;
    char bytes[kFilterDbHeaderSize] = {};
    if (!SizeOfRegularFile(fd.get(), path, &size, error)) {
      ThrowIfShort(path);
      return Check::kFilterUnreadable;
    }
    if (ReadAt(fd.get(), 0, sizeof(bytes), bytes) < 0) {
      FailWithErrno(path, "cannot read", error);
      return Check::kFilterUnreadable;
    }
    const Header header = {LoadBigEndian32(bytes), LoadBigEndian32(bytes + 4)};
    const auto fault = FaultOf(size, header);
    if (fault && size >= kFilterDbHeaderSize) {
      *error = path + ": " + std::to_string(size) +
               " bytes, with a header that says " +
               std::to_string(header.num_probes) + " probes and " +
               std::to_string(header.num_words) + " words";
    } else if (fault == Check::kHeaderCut) {
      *error = path + ": " + std::to_string(size) +
               " bytes, and the header alone has 8";
    }
    return fault;
  }

  // A filter that is read takes as much memory as the file says, and a sparse
  // file may say anything. Cassandra sizes a filter by an estimate, which is
  // too high where a compaction joins partitions, but not 100 times.
  bool IsFarTooLarge() {
    constexpr uint64_t kAlwaysRead = 256 << 20;  // In bytes.
    constexpr uint64_t kMostBytesPerKey = 100 * kMaxBuckets / 8;
    constexpr uint64_t kFewestBytesOfIndexPerKey = 2;
    const uint64_t most_keys =
        SizeOf(sstable().IndexPath()) / kFewestBytesOfIndexPerKey;
    if (found_.filter_size <= kAlwaysRead ||
        found_.filter_size / kMostBytesPerKey <= most_keys) {
      return false;
    }
    found_.Add(Check::kOversized);
    found_.Add(Check::kNotAsked,
               "Filter.db has " + std::to_string(found_.filter_size) +
                   " bytes for at most " + std::to_string(most_keys) +
                   " keys, and was not read");
    return true;
  }

  void ReadKeys() {
    std::string error;
    bool is_damaged = false;
    try {
      is_damaged = !AskForAll(&error);
      if (found_.num_missing > 0) {
        found_.Add(Check::kKeysMissing, is_damaged || !found_.has_keys
                                            ? "of the keys in the index"
                                            : "");
        LookForAnotherForm();
      }
      if (!is_damaged && found_.worst() > Harm::kWastesMemory) {
        is_damaged = !VerifyKeys(&error);
      }
    } catch (const NotSupported& not_supported) {
      if (found_.num_missing > 0) {
        found_.Add(Check::kKeysMissing,
                   "of the keys in the index, which Data.db cannot confirm");
      }
      found_.Add(Check::kNotSupported, not_supported.what());
    }
    if (is_damaged) {
      found_.Add(Check::kKeysUnreadable, error);
    } else if (found_.has_keys && !are_keys_counted_) {
      found_.Add(Check::kNotConfirmed,
                 "Statistics.db does not tell how many keys there are, so the "
                 "index may lack some");
    }
    if (found_.has(Check::kOtherForm) &&
        (is_damaged || !is_plan_read_ || !are_keys_counted_)) {
      found_.Add(Check::kNameDoubted,
                 "its Statistics.db or Data.db cannot be read as of version " +
                     sstable().version + ", either");
    }
  }

  // Asks the filter for all keys of the index.
  bool AskForAll(std::string* error) {
    const auto keys = OpenSstableKeys(sstable(), KeyChecks::kCheap, error);
    if (keys == nullptr) {
      return false;
    }
    KeyBatch batch;
    std::string_view key;
    while (keys->Next(&key)) {
      if (filter_ != nullptr) {
        batch.Add(key);
        if (batch.is_full()) {
          found_.num_missing += batch.CountMissing(*filter_);
        }
      }
      ++found_.num_keys;
    }
    if (filter_ != nullptr) {
      found_.num_missing += batch.CountMissing(*filter_);
    }
    *error = keys->error();
    if (!error->empty()) {
      return false;
    }
    found_.has_keys = true;
    are_keys_counted_ = keys->is_number_known();
    all_read_in_data_ = keys->all_are_in_data();
    if (keys->num_wrong_hashes() > 0) {
      found_.Add(Check::kWrongIndexHashes,
                 "number of keys with another byte of the hash in "
                 "Partitions.db, which Cassandra may not find: " +
                     std::to_string(keys->num_wrong_hashes()));
    }
    ComparePlan();
    return true;
  }

  // Finds a form, other than that of the version, in which the filter has every
  // key. Ignores a form in which all keys may pass by chance, because they are
  // few, or because many bits are set.
  void LookForAnotherForm() {
    constexpr double kUnlikely = 0.001;
    filter_ = nullptr;  // One filter at a time is in memory.
    for (const FilterForm form : kForms) {
      std::string ignored_error;
      const auto filter =
          form == form_
              ? nullptr
              : FilterDbFile::Open(Path("Filter.db"), form, &ignored_error);
      const auto keys =
          filter == nullptr
              ? nullptr
              : OpenSstableKeys(sstable(), KeyChecks::kCheap, &ignored_error);
      if (keys == nullptr) {
        continue;
      }
      bool has_all = true;
      double num_keys = 0;
      for (std::string_view key; has_all && keys->Next(&key); ++num_keys) {
        has_all = filter->MayContain(key);
      }
      if (has_all && std::pow(found_.fill.rate(), num_keys) <= kUnlikely) {
        found_.Add(Check::kOtherForm,
                   std::string("Filter.db has all keys in the form ") +
                       FormName(form) + ", and not in that of version " +
                       sstable().version);
      }
    }
  }

  // Compares the keys of the index with Data.db, because a damaged index makes
  // a good filter look wrong. Does nothing if all keys were read from Data.db.
  bool VerifyKeys(std::string* error) {
    if (all_read_in_data_) {
      return true;
    }
    const auto keys = OpenSstableKeys(sstable(), KeyChecks::kCompared, error);
    if (keys == nullptr) {
      return false;
    }
    std::string_view key;
    while (keys->Next(&key)) {
    }
    *error = keys->error();
    return error->empty();
  }

  // If bloom_filter_fp_chance is 0.393 or more, even a filter that Cassandra
  // sizes lets about 75 % of absent keys pass. So a rate is compared with the
  // rate of the planned size if that is higher than the plan.
  void ComparePlan() {
    if (!found_.plan) {
      return;
    }
    const auto sizing = SizingForFpChance(*found_.plan);
    if (!sizing) {
      return;
    }
    found_.planned_size = sizing->FilterSize(found_.num_keys);
    found_.planned_rate =
        sizing->ExpectedRate(found_.num_keys, found_.planned_size);
    if (found_.fill.num_probes == 0) {  // There is no filter to compare.
      return;
    }
    if (found_.fill.rate() >
        kPlanTolerance * std::max(*found_.plan, found_.planned_rate)) {
      found_.Add(Check::kWorseThanPlanned);
    }
    // Cassandra may size a filter for this many keys even if the SSTable has
    // fewer (expectedBloomFilterSize in CompactionManager and Scrubber).
    constexpr uint64_t kFewestKeysPlanned = 128;
    const auto largest_planned_size = static_cast<double>(
        sizing->FilterSize(std::max(found_.num_keys, kFewestKeysPlanned)));
    if (static_cast<double>(found_.filter_size) >
        kPlanTolerance * largest_planned_size) {
      found_.Add(Check::kOversized);
    }
  }

  const ExamineOptions& options_;
  Examined found_;
  FilterForm form_ = kNaAndLater;
  bool is_of_scylla_ = false;
  bool is_plan_read_ = false;  // In Statistics.db.
  std::string toc_;            // The content of TOC.txt, or "".
  bool all_read_in_data_ = false;
  // Whether the SSTable tells how many keys it has.
  bool are_keys_counted_ = false;
  std::unique_ptr<FilterDbFile> filter_;
};

}  // namespace

Examined ExamineSstable(const Sstable& sstable, const ExamineOptions& options) {
  return Examination(sstable, options).Run();
}

}  // namespace cassandra_bloom::tools
