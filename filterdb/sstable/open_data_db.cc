// SPDX-License-Identifier: Apache-2.0

#include "filterdb/sstable/open_data_db.h"

#include <utility>

#include "filterdb/sstable/bytes/random_access_file.h"
#include "filterdb/sstable/data_db/compressed_data_file.h"
#include "filterdb/sstable/data_db/compression_info.h"
#include "filterdb/sstable/toc.h"
#include "plugin/filter_db/read_file.h"
#include "plugin/filter_db/sstable_version.h"

namespace cassandra_bloom::tools {
namespace {

constexpr char kCompressionInfo[] = "CompressionInfo.db";

bool TocNamesCompressionInfo(const std::string& start) {
  std::string content;
  std::string ignored_error;
  return ReadRegularFile(start + kTocName, kMaxTocSize, &content,
                         &ignored_error) &&
         TocNames(content, kCompressionInfo);
}

struct Compression {
  const SstableVersion* version = nullptr;
  std::unique_ptr<CompressionInfo> info;  // Null if Data.db is uncompressed.
};

bool ReadCompression(const std::string& start, std::string_view version,
                     Compression* compression, std::string* error) {
  const std::string path = start + kCompressionInfo;
  compression->version = FindSstableVersion(version, error);
  if (compression->version == nullptr) {
    return false;
  }
  if (!NameExists(path)) {
    if (TocNamesCompressionInfo(start)) {
      *error = path + " is missing: restore it, because TOC.txt names it";
      return false;
    }
    return true;
  }
  compression->info = CompressionInfo::Open(
      path, compression->version->has_max_compressed_length, error);
  return compression->info != nullptr;
}

}  // namespace

std::unique_ptr<ByteSource> OpenDataDb(const std::string& start,
                                       std::string_view version,
                                       std::string* error) {
  Compression compression;
  if (!ReadCompression(start, version, &compression, error)) {
    return nullptr;
  }
  auto file = RandomAccessFile::Open(start + "Data.db", error);
  if (file == nullptr || compression.info == nullptr) {
    return file;
  }
  return NewCompressedDataFile(std::move(file), std::move(compression.info),
                               compression.version->checksum, error);
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
