// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/read_only_env.h"

#include <rocksdb/convenience.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "filterdb/commands/output.h"
#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::FileOptions;
using ROCKSDB_NAMESPACE::FileSystem;
using ROCKSDB_NAMESPACE::FileSystemWrapper;
using ROCKSDB_NAMESPACE::FSRandomAccessFile;
using ROCKSDB_NAMESPACE::IODebugContext;
using ROCKSDB_NAMESPACE::IOOptions;
using ROCKSDB_NAMESPACE::IOStatus;
using ROCKSDB_NAMESPACE::Status;

namespace {

// RocksDB registers this file system since 7.1 (env/file_system.cc).
std::shared_ptr<FileSystem> ReadOnlyFileSystem() {
  std::shared_ptr<FileSystem> file_system;
  const Status status = FileSystem::CreateFromString(
      ConfigOptions(), "ReadOnlyFileSystem", &file_system);
  if (!status.ok() || file_system == nullptr) {
    throw Unusable("RocksDB has no read-only file system: " +
                   status.ToString());
  }
  return file_system;
}

class DatabaseFileSystem final : public FileSystemWrapper {
 public:
  explicit DatabaseFileSystem(std::vector<std::string> folders)
      : FileSystemWrapper(ReadOnlyFileSystem()), folders_(std::move(folders)) {}

  const char* Name() const override { return "CassandraBloomDatabase"; }

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
  IOStatus GetFileSize(const std::string& path, const IOOptions& options,
                       uint64_t* size, IODebugContext* debug) override {
    return target()->GetFileSize(Found(path), options, size, debug);
  }
  IOStatus NewRandomAccessFile(const std::string& path,
                               const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* debug) override {
    return target()->NewRandomAccessFile(Found(path), options, file, debug);
  }

 private:
  std::string Found(const std::string& path) const {
    return NumberOfSst(path) ? FindSst(path, folders_) : path;
  }

  const std::vector<std::string> folders_;
};

}  // namespace

std::optional<uint64_t> NumberOfSst(std::string_view path) {
  const std::string_view name = FileNameOf(path);
  const char* const end = name.data() + name.size();
  uint64_t number = 0;
  const auto [rest, error] = std::from_chars(name.data(), end, number);
  return error == std::errc() &&
                 std::string_view(rest, static_cast<size_t>(end - rest)) ==
                     ".sst"
             ? std::optional<uint64_t>(number)
             : std::nullopt;
}

std::string FindSst(const std::string& path,
                    const std::vector<std::string>& folders,
                    std::optional<uint64_t> size) {
  std::vector<std::string> candidates = {path};
  for (const std::string& folder : folders) {
    candidates.push_back(folder + "/" + std::string(FileNameOf(path)));
  }
  std::string found = path;
  for (const std::string& candidate : candidates) {
    std::error_code missing;
    const uint64_t size_of_file =
        std::filesystem::file_size(candidate, missing);
    if (!missing) {
      found = candidate;
      if (!size || size_of_file == *size) {
        break;
      }
    }
  }
  return found;
}

std::unique_ptr<Env> NewReadOnlyEnv(std::vector<std::string> folders) {
  return ROCKSDB_NAMESPACE::NewCompositeEnv(
      std::make_shared<DatabaseFileSystem>(std::move(folders)));
}

}  // namespace cassandra_bloom::tools
