// SPDX-License-Identifier: Apache-2.0

// Keeps a folder of Filter.db files up to date with a running database.

#ifndef CASSANDRA_BLOOM_PLUGIN_EXPORT_LISTENER_H_
#define CASSANDRA_BLOOM_PLUGIN_EXPORT_LISTENER_H_

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/listener.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "cassandra_bloom/filter_db_export.h"
#include "plugin/export/export_folder.h"

namespace cassandra_bloom {

// The listener's name in options strings and in logs. The library compares the
// address of this array to find out whether a listener was made by this copy of
// the library.
inline constexpr char kExportListenerName[] = "cassandra_bloom_export";

// All work is done in the event of the SST file, in a thread of RocksDB that
// holds no mutex of RocksDB. The events of different files come at once, for
// example those of subcompactions. In RocksDB 7.1 to 11.9:
//
// - OnTableFileCreated comes when the file is complete, but before it is part
//   of the database, and also if it never will be. A file that is not kept has
//   a bad status and the path "(nil)" (db/builder.cc,
//   db/compaction/compaction_job.cc).
// - OnExternalFileIngested comes later: a compaction may already have removed
//   the file.
// - Recovery and DB::CompactFiles send no event with a DB* before the files
//   that they create.
// - Some files go without OnTableFileDeleted, for example those of aborted
//   subcompactions. `sst_filters export` removes their filters.
class FilterDbExportListener final : public ROCKSDB_NAMESPACE::EventListener {
 public:
  // `id` is "cassandra_bloom_export(VERSION,PATH)". It contains all settings,
  // because OPTIONS files record nothing else of a listener. RocksDB before
  // 11.8 reads several listeners in an OPTIONS file as one, and joins their ids
  // by ":". Then the first id of this kind counts.
  explicit FilterDbExportListener(std::string id) : id_(std::move(id)) {}

  const char* Name() const override { return kExportListenerName; }
  std::string GetId() const override { return id_; }

  void OnFlushBegin(ROCKSDB_NAMESPACE::DB* db,
                    const ROCKSDB_NAMESPACE::FlushJobInfo& /*info*/) override {
    SeeLogOf(db);
  }
  void OnCompactionBegin(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::CompactionJobInfo& /*info*/) override {
    SeeLogOf(db);
  }
  void OnTableFileCreated(
      const ROCKSDB_NAMESPACE::TableFileCreationInfo& info) override;
  void OnExternalFileIngested(
      ROCKSDB_NAMESPACE::DB* db,
      const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& info) override;
  void OnTableFileDeleted(
      const ROCKSDB_NAMESPACE::TableFileDeletionInfo& info) override;

  FilterDbExportCounts counts() const { return {exported_, removed_, failed_}; }

 protected:
  // Parses the id. RocksDB calls neither PrepareOptions nor ValidateOptions of
  // a listener. Refuses all options, because RocksDB would silently ignore
  // them in nested strings.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override;

 private:
  template <typename Work>
  void Do(const Work& work);
  void SeeLogOf(ROCKSDB_NAMESPACE::DB* db);
  void Export(const std::string& db_name, const std::string& sst);
  ExportResult CopyBlock(const std::string& sst_file,
                         const std::string& filter_db,
                         std::string* error) const;
  void Fail(const char* error);
  void Say(const char* text);

  const std::string id_;
  std::optional<ExportFolder> folder_;  // Not set until the id was found valid.
  FilterForm form_ = kNaAndLater;
  std::atomic<uint64_t> exported_{0};
  std::atomic<uint64_t> removed_{0};
  std::atomic<uint64_t> failed_{0};
  std::atomic<bool> has_failed_{false};  // The latest export.
  std::atomic<bool> has_said_no_block_{false};
  std::mutex log_mutex_;  // Of `log_`.
  std::weak_ptr<ROCKSDB_NAMESPACE::Logger> log_;
};

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_EXPORT_LISTENER_H_
