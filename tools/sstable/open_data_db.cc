// SPDX-License-Identifier: Apache-2.0

#include "tools/sstable/open_data_db.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "cassandra_bloom/filter_db.h"
#include "plugin/sstable/file_io.h"
#include "tools/sstable/compressed_data_file.h"
#include "tools/sstable/compression_info.h"

namespace cassandra_bloom::tools {
namespace {

struct CompressionLayout {
  // Cassandra writes it since `na` (BigFormat, BtiFormat:
  // hasMaxCompressedLength); ScyllaDB's `ms` and `mt` are like `me`.
  bool has_max_compressed_length;
  ChunkChecksum checksum;
};

bool LayoutOf(std::string_view version, CompressionLayout* layout,
              std::string* error) {
  FilterForm form;
  if (!FormOfSstableVersion(version, &form, error)) {
    return false;
  }
  layout->has_max_compressed_length = form == kNaAndLater;
  layout->checksum = ChunkChecksum::kCrcOfStored;
  if (form == kBeforeMa) {
    layout->checksum = version < "jb" ? ChunkChecksum::kCrcOfUncompressed
                                      : ChunkChecksum::kAdlerOfStored;
  }
  return true;
}

bool IsMissing(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) != 0 && errno == ENOENT;
}

// Sets `*info` to nullptr if Data.db is not compressed.
bool ReadInfo(const std::string& start, const CompressionLayout& layout,
              std::unique_ptr<CompressionInfo>* info, std::string* error) {
  const std::string path = start + "CompressionInfo.db";
  if (IsMissing(path)) {
    *info = nullptr;
    return true;
  }
  auto file = RandomAccessFile::Open(path, error);
  if (file == nullptr) {
    return false;
  }
  *info = CompressionInfo::Read(std::move(file),
                                layout.has_max_compressed_length, error);
  return *info != nullptr;
}

}  // namespace

std::unique_ptr<DataFile> OpenDataDb(const std::string& start,
                                     std::string_view version,
                                     std::string* error) {
  CompressionLayout layout;
  std::unique_ptr<CompressionInfo> info;
  if (!LayoutOf(version, &layout, error) ||
      !ReadInfo(start, layout, &info, error)) {
    return nullptr;
  }
  const std::string path = start + "Data.db";
  if (info == nullptr) {
    return OpenPlainDataFile(path, error);
  }
  auto file = RandomAccessFile::Open(path, error);
  return file == nullptr
             ? nullptr
             : NewCompressedDataFile(std::move(file), std::move(info),
                                     layout.checksum, error);
}

bool SizeOfDataDb(const std::string& start, std::string_view version,
                  uint64_t* size, std::string* error) {
  CompressionLayout layout;
  std::unique_ptr<CompressionInfo> info;
  if (!LayoutOf(version, &layout, error) ||
      !ReadInfo(start, layout, &info, error)) {
    return false;
  }
  const std::string path = start + "Data.db";
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    return FailWithErrno(path, "cannot open", error);
  }
  *size = info != nullptr ? info->data_length()
                          : static_cast<uint64_t>(status.st_size);
  return true;
}

uint64_t LargestChunkOf(const std::string& start, std::string_view version) {
  CompressionLayout layout;
  std::unique_ptr<CompressionInfo> info;
  std::string ignored_error;
  return LayoutOf(version, &layout, &ignored_error) &&
                 ReadInfo(start, layout, &info, &ignored_error) &&
                 info != nullptr
             ? info->UncompressedSize(0)
             : 0;
}

std::unique_ptr<DataFile> OpenPlainDataFile(const std::string& path,
                                            std::string* error) {
  auto file = RandomAccessFile::Open(path, error);
  return file == nullptr ? nullptr : NewPlainDataFile(std::move(file));
}

}  // namespace cassandra_bloom::tools
