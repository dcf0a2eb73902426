// SPDX-License-Identifier: Apache-2.0

#include "filterdb/health/examine_sstable.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/health/compare_digests.h"
#include "filterdb/health/cut_filter.h"
#include "filterdb/health/detect_form.h"
#include "filterdb/health/filter_fill.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/sstable/statistics_db.h"
#include "filterdb/sstable/toc.h"
#include "filterdb/sstable/transaction_logs.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

// Cassandra may size a filter for this many keys even if the SSTable has fewer
// keys (expectedBloomFilterSize in CompactionManager and Scrubber).
constexpr uint64_t kFewestKeysPlanned = 128;

// Asks a filter for 64 keys at once. This takes half the time of 64 calls for
// one key each.
class KeyBatch {
 public:
  KeyBatch() { ends_.reserve(kSize); }

  // The batch must not be full.
  void Add(std::string_view key) {
    bytes_.append(key);
    ends_.push_back(bytes_.size());
  }

  bool is_full() const { return ends_.size() == kSize; }

  // Returns how many keys of the batch the filter denies. Empties the batch.
  uint64_t CountMissing(const FilterDbFile& filter) {
    std::array<std::string_view, kSize> keys;
    std::array<bool, kSize> may_contain;
    size_t begin = 0;
    for (size_t i = 0; i < ends_.size(); ++i) {
      keys[i] = std::string_view(bytes_).substr(begin, ends_[i] - begin);
      begin = ends_[i];
    }
    filter.MayContain(keys.data(), ends_.size(), may_contain.data());
    const auto missing = std::count(
        may_contain.begin(),
        may_contain.begin() + static_cast<ptrdiff_t>(ends_.size()), false);
    bytes_.clear();
    ends_.clear();
    return static_cast<uint64_t>(missing);
  }

 private:
  static constexpr size_t kSize = 64;

  std::string bytes_;
  std::vector<size_t> ends_;  // Where each key ends in bytes_.
};

class Examination {
 public:
  Examination(const Sstable& sstable, std::optional<double> fp_chance,
              const OnProgress& on_progress)
      : on_progress_(on_progress) {
    finding_.sstable = sstable;
    finding_.plan = fp_chance;
  }

  FilterFinding Run() {
    if (finding_.sstable.state != SstableState::kLive) {
      return finding_;
    }
    const bool had_data = HasData();
    Examine();
    // When ScyllaDB removes an SSTable, it removes TOC.txt.tmp last. So look
    // for TOC.txt.tmp before Data.db.
    if (finding_.is_fault() && HasTemporaryToc()) {
      finding_.sstable.state = SstableState::kBeingWritten;
    } else if (IsGone("Data.db") || (finding_.is_fault() && !had_data)) {
      FindOutWhyDataIsGone();
    }
    return finding_;
  }

 private:
  void Examine() {
    finding_.has_scylla_db = FileExists(finding_.sstable.Path("Scylla.db"));
    ReadPlan();
    ReadToc();
    OpenFilter();
    if (!CompareDigests(finding_.sstable, &finding_.digests,
                        &finding_.errors)) {
      AddVerdict(FilterVerdict::kScyllaDbDamaged);
    } else if (finding_.digests.any()) {
      AddVerdict(FilterVerdict::kDigestDiffers);
    }
    const FilterFinding without_keys = finding_;
    std::string error;
    const bool has_keys = ReadKeys(&error);
    if (has_keys) {
      ComparePlan();
    }
    if (!has_keys || (HasFault() && !VerifyKeys(&error))) {
      finding_ = without_keys;
      AddUnreadable(error);
    }
    if (finding_.verdicts.empty()) {
      finding_.verdicts.push_back(FilterVerdict::kOk);
    }
    std::sort(finding_.verdicts.begin(), finding_.verdicts.end());
  }

  // ScyllaDB renames TOC.txt to TOC.txt.tmp before it removes the other files
  // of an SSTable (filesystem_storage::wipe).
  bool HasTemporaryToc() const {
    return FileExists(finding_.sstable.Path("TOC.txt.tmp"));
  }

  bool HasData() const { return FileExists(finding_.sstable.Path("Data.db")); }

  // A broken link is a fault, so it does not count as gone.
  bool IsGone(const char* component) const {
    return !NameExists(finding_.sstable.Path(component));
  }

  // Finds out whether Cassandra is removing or writing the SSTable.
  //
  // If Cassandra is removing it: Data.db is removed first (SSTable.delete). A
  // transaction log lists the SSTable until all files are removed. Cassandra
  // 2.x has no such logs. So this function waits up to 200 ms until TOC.txt is
  // removed, too.
  //
  // If Cassandra 2.x is writing it: Data.db gets its name last
  // (SSTableWriter.rename). So Data.db may appear in these 200 ms.
  void FindOutWhyDataIsGone() {
    constexpr int kLooks = 10;
    for (int look = 0; look < kLooks; ++look) {
      if (HasData()) {
        finding_.sstable.state = SstableState::kBeingWritten;
        return;
      }
      if (!IsGone("Data.db")) {
        return;
      }
      if (IsGone("TOC.txt") ||
          ReadTransactionLogs(finding_.sstable.folder)
                  .obsolete.count(finding_.sstable.name_prefix) != 0) {
        finding_.sstable.state = SstableState::kVanished;
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  bool HasFault() const {
    return std::any_of(finding_.verdicts.begin(), finding_.verdicts.end(),
                       IsFault);
  }

  void AddVerdict(FilterVerdict verdict) {
    if (!finding_.has(verdict)) {
      finding_.verdicts.push_back(verdict);
    }
  }

  void AddUnreadable(const std::string& error) {
    AddVerdict(FilterVerdict::kUnreadable);
    finding_.errors.push_back(error);
  }

  // The planned rate in Statistics.db replaces the rate that the user gave.
  void ReadPlan() {
    double plan;
    if (ReadFpChance(finding_.sstable.Path("Statistics.db"),
                     finding_.sstable.version, &plan, &finding_.plan_error)) {
      finding_.plan = plan;
    }
  }

  void ReadToc() {
    std::string content;
    std::string ignored_error;
    const std::string path = finding_.sstable.Path("TOC.txt");
    if (!ReadRegularFile(path, kMaxTocSize, &content, &ignored_error)) {
      return;
    }
    toc_names_filter_ = TocNames(content, "Filter.db");
    lacks_filter_in_toc_ = !toc_names_filter_ && TocNames(content, "Data.db");
    if (!TocNames(content, "Data.db")) {
      AddVerdict(FilterVerdict::kTocDamaged);
      finding_.errors.push_back(path + ": " + kTocIsDamaged);
    }
  }

  // Adds a verdict if TOC.txt lacks Filter.db. There must be a Filter.db. If no
  // filter is planned, adds no verdict, because Cassandra then does not load
  // Filter.db.
  void CompareToc() {
    if (lacks_filter_in_toc_ && !(finding_.plan && *finding_.plan >= 1)) {
      AddVerdict(finding_.has_scylla_db ? FilterVerdict::kNotLoaded
                                        : FilterVerdict::kNotInToc);
    }
  }

  void OpenFilter() {
    const std::string path = finding_.sstable.Path("Filter.db");
    struct stat status;
    if (stat(path.c_str(), &status) != 0) {
      if (errno != ENOENT) {
        std::string error;
        FailWithErrno(path, "cannot open", &error);
        AddUnreadable(error);
      } else if (toc_names_filter_ || (finding_.plan && *finding_.plan < 1)) {
        AddVerdict(FilterVerdict::kMissing);
      }
      return;
    }
    if (!S_ISREG(status.st_mode)) {
      AddUnreadable(path + ": not a regular file");
      return;
    }
    finding_.has_filter_file = true;
    finding_.filter_size = static_cast<uint64_t>(status.st_size);
    CompareToc();
    std::string error;
    FilterForm form;
    if (!FormOfSstableVersion(finding_.sstable.version, &form, &error)) {
      AddUnreadable(path + ": " + error);
      return;
    }
    filter_ = FilterDbFile::Open(path, form, &error);
    if (filter_ == nullptr) {
      FailToOpen(path, form, error);
    } else if (filter_->always_present()) {
      AddVerdict(FilterVerdict::kEmpty);
    } else {
      Measure(*filter_);
    }
  }

  void FailToOpen(const std::string& path, FilterForm form,
                  const std::string& error) {
    if (!IsCutFilter(path)) {
      AddUnreadable(error);
      return;
    }
    AddVerdict(FilterVerdict::kTruncated);
    finding_.errors.push_back(error);
    cut_filter_ = CutFilter::Open(path, form);
    if (cut_filter_ != nullptr) {
      Measure(*cut_filter_);
    }
  }

  template <typename Filter>
  void Measure(const Filter& filter) {
    finding_.fill = FillOf(filter);
    if (finding_.fill.is_saturated()) {
      AddVerdict(FilterVerdict::kSaturated);
    }
  }

  bool ReadKeys(std::string* error) {
    const auto keys =
        OpenSstableKeys(finding_.sstable, KeyChecks::kCheap, error);
    if (keys == nullptr) {
      return false;
    }
    AskForAll(keys.get());
    if (!keys->error().empty()) {
      *error = keys->error();
      return false;
    }
    finding_.has_keys = true;
    all_read_in_data_ = keys->all_are_in_data();
    finding_.num_wrong_hashes = keys->num_wrong_hashes();
    if (finding_.num_wrong_hashes > 0) {
      AddVerdict(FilterVerdict::kWrongIndexHashes);
    }
    if (finding_.num_missing > 0) {
      AddVerdict(FilterVerdict::kKeysMissing);
      if (filter_ != nullptr) {
        FindOtherForm(keys.get());
      }
    }
    return true;
  }

  // Compares the keys of the index with Data.db, because a damaged index makes
  // a good filter look wrong. Does nothing if all keys were read from Data.db.
  bool VerifyKeys(std::string* error) const {
    if (all_read_in_data_) {
      return true;
    }
    const auto keys =
        OpenSstableKeys(finding_.sstable, KeyChecks::kEveryKey, error);
    if (keys == nullptr) {
      return false;
    }
    std::string_view key;
    while (keys->Next(&key)) {
    }
    *error = keys->error();
    return error->empty();
  }

  void AskForAll(KeyReader* keys) {
    constexpr uint64_t kKeysPerReport = 1 << 16;
    KeyBatch batch;
    std::string_view key;
    while (keys->Next(&key)) {
      if (filter_ != nullptr) {
        batch.Add(key);
        if (batch.is_full()) {
          finding_.num_missing += batch.CountMissing(*filter_);
        }
      } else if (cut_filter_ != nullptr && !cut_filter_->MayContain(key)) {
        ++finding_.num_missing;
      }
      if (++finding_.num_keys % kKeysPerReport == 0) {
        Report(*keys);
      }
    }
    if (filter_ != nullptr) {
      finding_.num_missing += batch.CountMissing(*filter_);
    }
  }

  void Report(const KeyReader& keys) {
    const auto total = static_cast<double>(keys.total_bytes());
    const double share =
        total > 0 ? static_cast<double>(keys.bytes_read()) / total : 0;
    on_progress_(share - reported_);
    reported_ = share;
  }

  void FindOtherForm(KeyReader* keys) {
    const FilterForm not_this_one = filter_->form();
    filter_.reset();  // Frees memory for DetectForm.
    std::string error;
    const auto form = DetectForm(
        finding_.sstable.Path("Filter.db"), not_this_one, keys,
        [](const KeyReader&) {}, &error);
    if (form) {
      AddVerdict(FilterVerdict::kOtherForm);
      finding_.written_as = NameOfAnyForm(*form);
    } else if (!error.empty()) {
      finding_.errors.push_back(error);
    }
  }

  void ComparePlan() {
    if (!finding_.plan) {
      return;
    }
    const auto sizing = SizingForFpChance(*finding_.plan);
    if (!sizing) {
      return;
    }
    finding_.planned_size = sizing->FilterSize(finding_.num_keys);
    finding_.largest_planned_size =
        sizing->FilterSize(std::max(finding_.num_keys, kFewestKeysPlanned));
    finding_.planned_rate =
        sizing->ExpectedRate(finding_.num_keys, finding_.planned_size);
    if (finding_.fill.num_probes == 0) {  // There is no filter to compare.
      return;
    }
    if (finding_.exceeds_plan(finding_.fill.rate())) {
      AddVerdict(FilterVerdict::kWorseThanPlanned);
    }
    if (finding_.is_oversized(finding_.filter_size)) {
      AddVerdict(FilterVerdict::kOversized);
    }
  }

  const OnProgress& on_progress_;
  FilterFinding finding_;
  bool toc_names_filter_ = false;
  // Whether TOC.txt names Data.db but not Filter.db.
  bool lacks_filter_in_toc_ = false;
  bool all_read_in_data_ = false;
  std::unique_ptr<FilterDbFile> filter_;
  std::unique_ptr<CutFilter> cut_filter_;  // For a truncated Filter.db.
  double reported_ = 0;
};

}  // namespace

FilterFinding ExamineSstable(const Sstable& sstable,
                             std::optional<double> fp_chance,
                             const OnProgress& on_progress) {
  return Examination(sstable, fp_chance, on_progress).Run();
}

}  // namespace cassandra_bloom::tools
