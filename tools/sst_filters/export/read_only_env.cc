// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/export/read_only_env.h"

#include <rocksdb/convenience.h>
#include <rocksdb/file_system.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <cstdarg>
#include <stdexcept>
#include <string>
#include <vector>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::FileSystem;
using ROCKSDB_NAMESPACE::FileSystemWrapper;
using ROCKSDB_NAMESPACE::IODebugContext;
using ROCKSDB_NAMESPACE::IOOptions;
using ROCKSDB_NAMESPACE::IOStatus;
using ROCKSDB_NAMESPACE::Logger;
using ROCKSDB_NAMESPACE::Status;

namespace {

class FileSystemWithoutLogs final : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "CassandraBloomWithoutLogs"; }

  IOStatus GetChildren(const std::string& dir, const IOOptions& options,
                       std::vector<std::string>* names,
                       IODebugContext* debug) override {
    IOStatus status = target()->GetChildren(dir, options, names, debug);
    names->erase(std::remove_if(names->begin(), names->end(),
                                [](const std::string& name) {
                                  return EndsWith(name, ".log");
                                }),
                 names->end());
    return status;
  }
};

// RocksDB registers this file system since 7.1 (env/file_system.cc).
std::shared_ptr<FileSystem> ReadOnlyFileSystem() {
  std::shared_ptr<FileSystem> file_system;
  const Status status = FileSystem::CreateFromString(
      ConfigOptions(), "ReadOnlyFileSystem", &file_system);
  if (!status.ok() || file_system == nullptr) {
    throw std::runtime_error("RocksDB has no read-only file system: " +
                             status.ToString());
  }
  return file_system;
}

class DiscardingLogger final : public Logger {
 public:
  using Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

}  // namespace

Env* ReadOnlyEnv() {
  static Env* const env =
      ROCKSDB_NAMESPACE::NewCompositeEnv(
          std::make_shared<FileSystemWithoutLogs>(ReadOnlyFileSystem()))
          .release();
  return env;
}

std::shared_ptr<Logger> NewDiscardingLogger() {
  return std::make_shared<DiscardingLogger>();
}

ROCKSDB_NAMESPACE::Status OpenReadOnly(
    const ROCKSDB_NAMESPACE::DBOptions& options, const std::string& db_dir,
    const std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor>& families,
    std::vector<ROCKSDB_NAMESPACE::ColumnFamilyHandle*>* handles,
    std::unique_ptr<ROCKSDB_NAMESPACE::DB>* db) {
#if ROCKSDB_MAJOR >= 11
  return ROCKSDB_NAMESPACE::DB::OpenForReadOnly(options, db_dir, families,
                                                handles, db);
#else
  ROCKSDB_NAMESPACE::DB* opened = nullptr;
  const auto status = ROCKSDB_NAMESPACE::DB::OpenForReadOnly(
      options, db_dir, families, handles, &opened);
  db->reset(opened);
  return status;
#endif
}

}  // namespace cassandra_bloom
