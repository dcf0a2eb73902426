// SPDX-License-Identifier: Apache-2.0

// Reads a Data.db of any bytes with a CompressionInfo.db of any bytes. Reading
// in pieces of any size must give the same bytes.
//
// The first byte of the input says whether CompressionInfo.db has the field
// max_compressed_length. The size of CompressionInfo.db follows in two bytes,
// then CompressionInfo.db, then Data.db.

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "filterdb/sstable/bytes/byte_source.h"
#include "filterdb/sstable/data_db/open_data_db.h"
#include "tests/stress/fuzz/fuzz_input.h"

namespace cassandra_bloom::testing {
namespace {

using tools::ByteSource;
using tools::CompressionInfo;

// Limits in bytes, which save memory and time.
constexpr uint32_t kLongestChunk = 1 << 20;
constexpr uint64_t kMostRead = 1 << 16;

// `file` has the bytes of `*data`.
void AddChecksums(CompressionInfo* info, const ByteSource& file,
                  std::string* data) {
  const uint64_t num_chunks =
      std::min<uint64_t>(info->num_chunks, kMostRead / info->chunk_length + 1);
  for (uint64_t i = 0; i < num_chunks; ++i) {
    CompressionInfo::Chunk chunk;
    std::string error;
    if (!info->Find(i, file, &chunk, &error)) {
      FUZZ_CHECK(!error.empty());
      return;
    }
    FUZZ_CHECK(chunk.offset + chunk.size + 4 <= data->size());
    const auto at = static_cast<size_t>(chunk.offset);
    const auto size = static_cast<size_t>(chunk.size);
    const auto checksum = static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(data->data()) + at, size));
    for (size_t byte = 0; byte < 4; ++byte) {
      (*data)[at + size + byte] =
          static_cast<char>(checksum >> (24 - 8 * byte));
    }
  }
}

// Reads pieces of `piece` bytes from the start until the first error.
std::string ReadPieces(ByteSource* file, size_t piece) {
  std::string all;
  std::string error;
  const uint64_t size = std::min(file->size(), kMostRead);
  while (all.size() < size) {
    std::string_view bytes;
    const size_t wanted =
        std::min(piece, static_cast<size_t>(size) - all.size());
    if (!file->Read(all.size(), wanted, &bytes, &error)) {
      FUZZ_CHECK(!error.empty());
      break;
    }
    FUZZ_CHECK(bytes.size() == wanted);
    all.append(bytes);
  }
  return all;
}

void Check(bool has_max_compressed_length, const std::string& info_bytes,
           std::string data) {
  WriteFile(FuzzFolder() / "CompressionInfo.db", info_bytes);
  std::string error;
  const auto info = CompressionInfo::Open(FuzzFolder() / "CompressionInfo.db",
                                          has_max_compressed_length, &error);
  FUZZ_CHECK((info == nullptr) == !error.empty());
  if (info == nullptr || info->chunk_length > kLongestChunk) {
    return;
  }
  const uint32_t chunk_length = info->chunk_length;
  const std::string path = FuzzFolder() / "Data.db";
  WriteFile(path, data);
  AddChecksums(info.get(), *tools::RandomAccessFile::Open(path, &error), &data);
  WriteFile(path, data);
  const auto file = tools::OpenDataDb(
      FuzzFolder() / "", has_max_compressed_length ? "da" : "ms", &error);
  FUZZ_CHECK((file == nullptr) == !error.empty());
  if (file == nullptr) {
    return;
  }
  // Reading stops at the first piece that is not wholly readable. So pieces of
  // one byte give all bytes before the first unreadable chunk. Larger pieces
  // give fewer bytes, but the difference is less than one piece.
  const std::string bytes = ReadPieces(file.get(), 1);
  for (const size_t piece : {size_t{3}, size_t{1000}, size_t{chunk_length}}) {
    const std::string again = ReadPieces(file.get(), piece);
    FUZZ_CHECK(again.size() <= bytes.size());
    FUZZ_CHECK(bytes.size() - again.size() < piece);
    FUZZ_CHECK(bytes.compare(0, again.size(), again) == 0);
  }
}

}  // namespace
}  // namespace cassandra_bloom::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cassandra_bloom::testing::FuzzInput input(data, size);
  const bool has_max_compressed_length = input.Number(1) % 2 != 0;
  const auto info_size = static_cast<size_t>(input.Number(2));
  const std::string info = input.Bytes(info_size);
  try {
    cassandra_bloom::testing::Check(has_max_compressed_length, info,
                                    input.Bytes(size));
  } catch (const cassandra_bloom::tools::NotSupported&) {
    // A compressor, an option or a dictionary that is not known.
  }
  return 0;
}
