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

}  // namespace

std::unique_ptr<ByteSource> OpenDataDb(const std::string& start,
                                       std::string_view version,
                                       std::string* error) {
  const SstableVersion* const known = FindSstableVersion(version, error);
  if (known == nullptr) {
    return nullptr;
  }
  const std::string info_path = start + kCompressionInfo;
  const bool is_compressed = NameExists(info_path);
  std::unique_ptr<CompressionInfo> info;
  if (is_compressed) {
    info = CompressionInfo::Open(info_path, known->has_max_compressed_length,
                                 error);
  } else if (TocNamesCompressionInfo(start)) {
    *error = info_path + " is missing: restore it, because TOC.txt names it";
    return nullptr;
  }
  if (is_compressed && info == nullptr) {
    return nullptr;
  }
  auto file = RandomAccessFile::Open(start + "Data.db", error);
  if (file == nullptr || !is_compressed) {
    return file;
  }
  return NewCompressedDataFile(std::move(file), std::move(info),
                               known->checksum, error);
}

}  // namespace cassandra_bloom::tools
