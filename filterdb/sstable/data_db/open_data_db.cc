// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/data_db/open_data_db.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "filterdb/sstable/data_db/compressed_data_file.h"
#include "filterdb/sstable/data_db/compression_info.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

bool IsMissing(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) != 0 && errno == ENOENT;
}

struct Compression {
  const SstableVersion* version = nullptr;
  std::unique_ptr<CompressionInfo> info;  // Null if Data.db is uncompressed.
};

bool ReadCompression(const std::string& start, std::string_view version,
                     Compression* compression, std::string* error) {
  compression->version = FindSstableVersion(version, error);
  const std::string path = start + "CompressionInfo.db";
  if (compression->version == nullptr || IsMissing(path)) {
    return compression->version != nullptr;
  }
  auto file = RandomAccessFile::Open(path, error);
  if (file == nullptr) {
    return false;
  }
  compression->info = CompressionInfo::Read(
      std::move(file), compression->version->has_max_compressed_length, error);
  return compression->info != nullptr;
}

}  // namespace

std::unique_ptr<DataFile> OpenDataDb(const std::string& start,
                                     std::string_view version,
                                     std::string* error) {
  Compression compression;
  if (!ReadCompression(start, version, &compression, error)) {
    return nullptr;
  }
  const std::string path = start + "Data.db";
  if (compression.info == nullptr) {
    return OpenPlainDataFile(path, error);
  }
  auto file = RandomAccessFile::Open(path, error);
  return file == nullptr ? nullptr
                         : NewCompressedDataFile(
                               std::move(file), std::move(compression.info),
                               compression.version->checksum, error);
}

bool SizeOfDataDb(const std::string& start, std::string_view version,
                  uint64_t* size, std::string* error) {
  Compression compression;
  if (!ReadCompression(start, version, &compression, error)) {
    return false;
  }
  const std::string path = start + "Data.db";
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    return FailWithErrno(path, "cannot open", error);
  }
  *size = compression.info != nullptr ? compression.info->data_length()
                                      : static_cast<uint64_t>(status.st_size);
  return true;
}

uint64_t LargestChunkOf(const std::string& start, std::string_view version) {
  Compression compression;
  std::string ignored_error;
  return ReadCompression(start, version, &compression, &ignored_error) &&
                 compression.info != nullptr
             ? compression.info->UncompressedSize(0)
             : 0;
}

}  // namespace cassandra_bloom::tools
