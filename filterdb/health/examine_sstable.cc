// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/health/examine_all_test.cc.
// Tested in filterdb/tests/commands/mend/faults_test.cc.

#include <sys/stat.h>

#include <cerrno>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/health/examine_all.h"
#include "filterdb/health/filter_questions.h"
#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/bytes/file_sum.h"
#include "filterdb/sstable/scylla_db.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/sstable/statistics_db.h"
#include "plugin/filter/sizing.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

class Examination {
 public:
  Examination(const Sstable& sstable, const ExamineOptions& options)
      : options_(options) {
    found_.sstable = sstable;
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
  std::string Path(const char* component) const {
    return found_.sstable.Path(component);
  }

  void Examine() {
    const std::string& version = found_.sstable.version;
    std::string error;
    if (!FormOfSstableVersion(version, &form_, &error)) {
      // What is not known here is no fault: its filter may be as good as any.
      found_.Add(Check::kNotSupported,
                 version.empty() ? "its name tells no SSTable version"
                 : IsVersionBeforeIa(version)
                     ? error
                     : "SSTable version '" + version +
                           "' is not known here, so its filter was not judged");
      return;
    }
    const bool is_of_scylla =
        NameExists(Path("Scylla.db")) || version == "ms" || version == "mt";
    found_.reader = is_of_scylla           ? Reader::kScylla
                    : form_ == kNaAndLater ? Reader::kCassandraFromNa
                                           : Reader::kCassandraBeforeNa;
    if (!NameExists(Path("Data.db"))) {
      if (!NameExists(found_.sstable.IndexPath())) {
        found_.Add(Check::kLeftOver, "it has neither Data.db nor an index");
        return;
      }
      // Cassandra removes Data.db first (SSTable.delete). From 3.0 (`ma`) on, a
      // transaction log tells of that until all files are removed. ScyllaDB
      // renames TOC.txt first. In snapshots and backups, no node removes files.
      if (form_ == kBeforeMa && !is_of_scylla && found_.sstable.is_in_use) {
        found_.Add(Check::kDataMissing);
        return;
      }
    }
    std::optional<uint32_t> filter_digest;
    std::optional<uint32_t> toc_digest;
    if (const auto scylla = ReadScyllaDb()) {
      if (scylla->is_encrypted()) {
        found_.Add(Check::kNotSupported,
                   "it is encrypted (scylla_encryption_options in Scylla.db)");
        return;
      }
      filter_digest = scylla->Digest(DigestOf::kFilter);
      toc_digest = scylla->Digest(DigestOf::kToc);
    }
    found_.is_judged = true;
    found_.digests_change = filter_digest.has_value();
    ReadPlan();
    ReadToc(toc_digest);
    OpenFilter();
    if (filter_digest) {
      CompareFilter(*filter_digest);
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
    statistics_ = ReadStatistics(Path("Statistics.db"), found_.sstable.version);
    found_.plan = statistics_.fp_chance ? statistics_.fp_chance : found_.plan;
    found_.plan_error = statistics_.error;
  }

  // If Scylla.db has the checksum of TOC.txt, ScyllaDB takes no other text than
  // the one that was there.
  void ReadToc(std::optional<uint32_t> digest) {
    const std::string path = Path(kTocName);
    const char* const remedy =
        digest ? InfoOf(Check::kTocDigestDiffers).remedy : nullptr;
    if (!NameExists(path)) {
      if (found_.reader == Reader::kScylla) {
        found_.Add(Check::kTocMissing,
                   path + ": missing, so the node does not start", remedy);
      }
      return;
    }
    std::string error;
    if (!ReadRegularFile(path, kMaxTocSize, &toc_, &error)) {
      ThrowIfShort(path);
      found_.Add(Check::kTocDamaged, error, remedy);
      return;
    }
    if (!TocNames(toc_, "Data.db")) {
      found_.Add(Check::kTocDamaged, path + ": does not name Data.db", remedy);
      return;
    }
    const bool names_filter = TocNames(toc_, "Filter.db");
    found_.digests_change |= digest && !names_filter;
    if (digest && Crc32(toc_) != *digest) {
      found_.Add(Crc32(CompletedToc(toc_)) == *digest
                     ? Check::kTocUnfinished
                     : Check::kTocDigestDiffers,
                 Difference(path, Crc32(toc_), *digest));
    }
    // Cassandra loads Filter.db only if a filter is planned. It goes by the
    // present chance of the table (FilterComponent.maybeLoadBloomFilter), which
    // is not known here.
    if (!names_filter && !IsNoFilterPlanned() &&
        FileExists(Path("Filter.db"))) {
      found_.Add(Check::kNotInToc);
    }
  }

  bool IsNoFilterPlanned() const { return found_.plan && *found_.plan >= 1; }

  static std::string Difference(const std::string& path, uint32_t crc,
                                uint32_t digest) {
    return path + ": its CRC-32 is " + HexOfCrc(crc) + ", not " +
           HexOfCrc(digest) + " as in Scylla.db";
  }

  void CompareFilter(uint32_t digest) {
    const std::string path = Path("Filter.db");
    std::string error;
    const auto crc = NameExists(path) ? CrcOfFile(path, &error) : digest;
    if (!crc) {
      ThrowIfShort(path);
      found_.Add(Check::kFilterUnreadable, error);
    } else if (*crc != digest) {
      found_.Add(Check::kDigestDiffers, Difference(path, *crc, digest));
    }
  }

  void OpenFilter() {
    const std::string path = Path("Filter.db");
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0 && errno == ENOENT) {
      if (TocNames(toc_, "Filter.db")) {
        found_.Add(Check::kMissingInToc);
      } else if (found_.plan && *found_.plan < 1) {
        found_.Add(Check::kMissing);
      }
      return;
    }
    found_.has_filter_file = S_ISREG(status.st_mode);
    const uint64_t file_size =
        found_.has_filter_file ? static_cast<uint64_t>(status.st_size) : 0;
    found_.filter_size = file_size;
    const FileDescriptor fd(OpenForReading(path));
    CachedPages pages(fd.get());
    pages.Ask(0, kFilterDbHeaderSize);
    const auto fault = found_.has_filter_file
                           ? FaultOfHeader(fd.get(), &found_.filter_size)
                           : std::nullopt;
    if (found_.filter_size < file_size) {
      // Whether it hides rows, its keys tell: a header with fewer words does.
      found_.Add(Check::kTooLong);
    }
    if (fault == Check::kEmpty) {
      found_.Add(Check::kEmpty);
      return;
    }
    if (!fault) {
      if (IsFarTooLarge()) {
        return;
      }
      pages.Ask(0, static_cast<size_t>(found_.filter_size));
    }
    std::string error;
    filter_ = OpenLikeNode(path, form_, &error);
    if (filter_ == nullptr) {
      ThrowIfShort(path);
      found_.Add(fault.value_or(Check::kFilterUnreadable), error);
      return;
    }
    found_.fill = FillOf(*filter_);
    if (found_.fill.is_saturated()) {
      found_.Add(Check::kSaturated);
    }
  }

  // A filter that is read takes as much memory as the file says, and a sparse
  // file may say anything. Cassandra sizes a filter by an estimate, which is
  // too high where a compaction joins partitions, but not 100 times.
  bool IsFarTooLarge() {
    constexpr uint64_t kAlwaysRead = 256 << 20;  // In bytes.
    constexpr uint64_t kMostBytesPerKey = 100 * kMaxBuckets / 8;
    constexpr uint64_t kFewestBytesOfIndexPerKey = 2;
    struct stat index = {};
    stat(found_.sstable.IndexPath().c_str(), &index);
    const uint64_t most_keys =
        static_cast<uint64_t>(index.st_size) / kFewestBytesOfIndexPerKey;
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
    std::string error;  // The keys cannot be read, or are not those of Data.db.
    std::string not_supported;
    try {
      AskForAll(&error);
      if (found_.num_missing > 0) {
        LookForAnotherForm();
      }
      if (found_.has_keys &&
          (found_.num_missing > 0 || found_.worst() > Harm::kWastesMemory)) {
        VerifyKeys(&error);
      }
    } catch (const NotSupported& exception) {
      not_supported = exception.what();
      found_.Add(Check::kNotSupported, not_supported);
    }
    if (found_.num_missing > 0) {
      found_.Add(Check::kKeysMissing,
                 error.empty() && not_supported.empty()
                     ? ""
                     : "of the keys in the index, which Data.db does not "
                       "confirm");
    }
    if (!error.empty()) {
      found_.Add(Check::kKeysUnreadable, error);
    }
    const bool is_counted = statistics_.num_partitions.has_value();
    if (found_.has(Check::kOtherForm) &&
        (!error.empty() || !statistics_.fp_chance || !is_counted)) {
      found_.Add(Check::kNameDoubted,
                 "its Statistics.db or Data.db cannot be read as of version " +
                     found_.sstable.version + ", either");
    } else if (error.empty() && found_.has_keys && !is_counted) {
      found_.Add(Check::kNotConfirmed,
                 "Statistics.db does not tell how many keys there are, so the "
                 "index may lack some");
    }
  }

  // Asks the filter for all keys of the index.
  void AskForAll(std::string* error) {
    const auto keys = OpenSstableKeys(found_.sstable, KeyChecks::kCheap, error);
    if (keys == nullptr) {
      return;
    }
    KeyBatch batch(filter_.get(), &found_.num_missing);
    for (std::string_view key; keys->Next(&key); ++found_.num_keys) {
      batch.Add(key);
    }
    *error = keys->error();
    if (!error->empty()) {
      return;
    }
    found_.has_keys = true;
    if (keys->num_wrong_hashes() > 0) {
      found_.Add(Check::kWrongIndexHashes,
                 "number of keys with another byte of the hash in "
                 "Partitions.db, which Cassandra may not find: " +
                     std::to_string(keys->num_wrong_hashes()));
    }
    found_.ComparePlan();
  }

  // Finds a form, other than that of the version, in which the filter has every
  // key. Ignores a form in which all keys may pass by chance, because they are
  // few, or because many bits are set.
  void LookForAnotherForm() {
    constexpr double kUnlikely = 0.001;
    filter_ = nullptr;  // One filter at a time is in memory.
    const FileDescriptor fd(OpenForReading(Path("Filter.db")));
    CachedPages pages(fd.get());
    pages.Ask(0, static_cast<size_t>(found_.filter_size));
    for (const FilterForm form : {kNaAndLater, kMaToMe, kBeforeMa}) {
      if (form == form_) {
        continue;
      }
      std::string ignored_error;
      const auto filter = OpenLikeNode(Path("Filter.db"), form, &ignored_error);
      const auto keys =
          OpenSstableKeys(found_.sstable, KeyChecks::kCheap, &ignored_error);
      bool has_all = filter != nullptr && keys != nullptr;
      double num_keys = 0;
      for (std::string_view key; has_all && keys->Next(&key); ++num_keys) {
        has_all = filter->MayContain(key);
      }
      if (has_all && std::pow(found_.fill.rate(), num_keys) <= kUnlikely) {
        found_.Add(Check::kOtherForm,
                   std::string("Filter.db has all keys in the form ") +
                       FormName(form) + ", and not in that of version " +
                       found_.sstable.version);
      }
    }
  }

  // Compares the keys of the index with Data.db, because a damaged index makes
  // a good filter look wrong.
  void VerifyKeys(std::string* error) {
    const auto keys =
        OpenSstableKeys(found_.sstable, KeyChecks::kCompared, error);
    if (keys == nullptr) {
      return;
    }
    std::string_view key;
    while (keys->Next(&key)) {
    }
    *error = keys->error();
  }

  const ExamineOptions& options_;
  Examined found_;
  FilterForm form_ = kNaAndLater;
  Statistics statistics_;
  std::string toc_;  // The content of TOC.txt, or "".
  std::unique_ptr<FilterDbFile> filter_;
};

}  // namespace

Examined ExamineSstable(const Sstable& sstable, const ExamineOptions& options) {
  return Examination(sstable, options).Run();
}

}  // namespace cassandra_bloom::tools
