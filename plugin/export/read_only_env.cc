// SPDX-License-Identifier: Apache-2.0

#include "plugin/export/read_only_env.h"

#include <rocksdb/file_system.h>

#include <algorithm>
#include <cstdarg>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::FileLock;
using ROCKSDB_NAMESPACE::FileOptions;
using ROCKSDB_NAMESPACE::FileSystem;
using ROCKSDB_NAMESPACE::FileSystemWrapper;
using ROCKSDB_NAMESPACE::FSDirectory;
using ROCKSDB_NAMESPACE::FSRandomAccessFile;
using ROCKSDB_NAMESPACE::FSRandomRWFile;
using ROCKSDB_NAMESPACE::FSSequentialFile;
using ROCKSDB_NAMESPACE::FSWritableFile;
using ROCKSDB_NAMESPACE::IODebugContext;
using ROCKSDB_NAMESPACE::IOOptions;
using ROCKSDB_NAMESPACE::IOStatus;
using ROCKSDB_NAMESPACE::Logger;

namespace {

IOStatus Refused(const std::string& path) {
  return IOStatus::NotSupported(path, "is opened for reading only");
}

bool IsWriteAheadLog(std::string_view name) {
  constexpr std::string_view kSuffix = ".log";
  return name.size() > kSuffix.size() &&
         name.substr(name.size() - kSuffix.size()) == kSuffix;
}

// Returns false for a FIFO, on which RocksDB would wait without end. Returns
// true for a missing file, so that RocksDB reports it.
bool IsRegular(const std::string& path) {
  std::error_code ignored;
  return !std::filesystem::exists(path, ignored) ||
         std::filesystem::is_regular_file(path, ignored);
}

class ReadOnlyFileSystem final : public FileSystemWrapper {
 public:
  ReadOnlyFileSystem() : FileSystemWrapper(FileSystem::Default()) {}

  const char* Name() const override { return "CassandraBloomReadOnly"; }

  IOStatus GetChildren(const std::string& dir, const IOOptions& options,
                       std::vector<std::string>* names,
                       IODebugContext* debug) override {
    IOStatus status = target()->GetChildren(dir, options, names, debug);
    names->erase(std::remove_if(names->begin(), names->end(), IsWriteAheadLog),
                 names->end());
    return status;
  }

  IOStatus NewSequentialFile(const std::string& path,
                             const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* file,
                             IODebugContext* debug) override {
    return IsRegular(path)
               ? target()->NewSequentialFile(path, options, file, debug)
               : IOStatus::IOError(path, "is not a regular file");
  }
  IOStatus NewRandomAccessFile(const std::string& path,
                               const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* debug) override {
    return IsRegular(path)
               ? target()->NewRandomAccessFile(path, options, file, debug)
               : IOStatus::IOError(path, "is not a regular file");
  }
  IOStatus NewWritableFile(const std::string& path, const FileOptions&,
                           std::unique_ptr<FSWritableFile>*,
                           IODebugContext*) override {
    return Refused(path);
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions&,
                              std::unique_ptr<FSWritableFile>*,
                              IODebugContext*) override {
    return Refused(path);
  }
  IOStatus ReuseWritableFile(const std::string& path, const std::string&,
                             const FileOptions&,
                             std::unique_ptr<FSWritableFile>*,
                             IODebugContext*) override {
    return Refused(path);
  }
  IOStatus NewRandomRWFile(const std::string& path, const FileOptions&,
                           std::unique_ptr<FSRandomRWFile>*,
                           IODebugContext*) override {
    return Refused(path);
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions&,
                        std::unique_ptr<FSDirectory>*,
                        IODebugContext*) override {
    return Refused(path);
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions&,
                      IODebugContext*) override {
    return Refused(path);
  }
  IOStatus Truncate(const std::string& path, size_t, const IOOptions&,
                    IODebugContext*) override {
    return Refused(path);
  }
  IOStatus CreateDir(const std::string& path, const IOOptions&,
                     IODebugContext*) override {
    return Refused(path);
  }
  IOStatus CreateDirIfMissing(const std::string& path, const IOOptions&,
                              IODebugContext*) override {
    return Refused(path);
  }
  IOStatus DeleteDir(const std::string& path, const IOOptions&,
                     IODebugContext*) override {
    return Refused(path);
  }
  IOStatus RenameFile(const std::string& path, const std::string&,
                      const IOOptions&, IODebugContext*) override {
    return Refused(path);
  }
  IOStatus LinkFile(const std::string& path, const std::string&,
                    const IOOptions&, IODebugContext*) override {
    return Refused(path);
  }
  IOStatus LockFile(const std::string& path, const IOOptions&, FileLock**,
                    IODebugContext*) override {
    return Refused(path);
  }
  IOStatus NewLogger(const std::string& path, const IOOptions&,
                     std::shared_ptr<Logger>*, IODebugContext*) override {
    return Refused(path);
  }
};

class DiscardingLogger final : public Logger {
 public:
  using Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

}  // namespace

Env* ReadOnlyEnv() {
  static Env* const env =
      ROCKSDB_NAMESPACE::NewCompositeEnv(std::make_shared<ReadOnlyFileSystem>())
          .release();
  return env;
}

std::shared_ptr<Logger> NewDiscardingLogger() {
  return std::make_shared<DiscardingLogger>();
}

}  // namespace cassandra_bloom
