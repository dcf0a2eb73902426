// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/fake_sstable/fake_sstable.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/tests/fake_sstable/checksums.h"
#include "filterdb/tests/fake_sstable/compressed_data.h"
#include "filterdb/tests/fake_sstable/fake_partition_trie.h"
#include "plugin/filter/murmur3.h"
#include "plugin/filter_db/filter_db_file.h"
#include "plugin/filter_db/sstable_version.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/partition_layouts.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

// ---- The filter ----

constexpr size_t kHeaderBytes = 8;

std::string Build(const SstableSpec& spec, FilterForm form) {
  const uint64_t expected = spec.expected_keys != 0
                                ? spec.expected_keys
                                : std::max<uint64_t>(spec.keys.size(), 128);
  std::string error;
  const auto builder =
      FilterDbBuilder::ForFpChance(spec.fp_chance, expected, form, &error);
  if (builder == nullptr) {
    throw std::invalid_argument(error);
  }
  const bool leave_out = spec.fault == FilterFault::kKeysLeftOut;
  for (size_t i = 0; i < spec.keys.size(); ++i) {
    if (!leave_out || i % 10 != 0) {
      builder->Add(spec.keys[i]);
    }
  }
  std::string file;
  FilterDbContent(form, builder->num_probes(), builder->num_words(),
                  builder->bits())([&file](const char* data, size_t size) {
    file.append(data, size);
    return true;
  });
  return file;
}

// Clears every 64th byte that has set bits. At least one key then no longer
// matches, because every set bit belongs to a key.
void ClearBits(std::string* file) {
  size_t bytes_with_bits = 0;
  for (size_t i = kHeaderBytes; i < file->size(); ++i) {
    if ((*file)[i] != '\0' && bytes_with_bits++ % 64 == 0) {
      (*file)[i] = '\0';
    }
  }
}

// Returns the content of Filter.db with the fault of `spec`, or no value if
// there is no such file. `form` is that of the SSTable's version.
std::optional<std::string> FilterOf(const SstableSpec& spec, FilterForm form) {
  if (spec.fault == FilterFault::kMissing || spec.fp_chance >= 1) {
    return std::nullopt;
  }
  if (spec.fault == FilterFault::kEmpty) {
    return "";
  }
  const FilterForm other = form == kMaToMe ? kNaAndLater : kMaToMe;
  std::string file =
      Build(spec, spec.fault == FilterFault::kOtherForm ? other : form);
  if (spec.fault == FilterFault::kBitsCleared) {
    ClearBits(&file);
  } else if (spec.fault == FilterFault::kSaturated) {
    std::fill(file.begin() + kHeaderBytes, file.end(), '\xff');
  } else if (spec.fault == FilterFault::kTruncated) {
    file.resize(file.size() / 2);
  } else if (spec.fault == FilterFault::kProbes0) {
    file.replace(0, 4, BigEndian(0, 4));
  }
  return file;
}

// Writes the filter, or removes it, and cuts the index if that is the fault.
// `spec` must have the keys. Returns whether there is a filter.
bool PutFault(const SstableSpec& spec, FilterForm form,
              const std::string& prefix) {
  if (spec.fault == FilterFault::kIndexCut) {
    for (const char* const index : {"Index.db", "Partitions.db"}) {
      if (fs::exists(prefix + index)) {
        fs::resize_file(prefix + index, fs::file_size(prefix + index) / 2);
      }
    }
  }
  const auto filter = FilterOf(spec, form);
  fs::remove(prefix + "Filter.db");  // From an earlier call.
  if (filter) {
    WriteFile(prefix + "Filter.db", *filter);
  }
  return filter.has_value();
}

// ---- The rows ----

struct IndexedPartition {
  std::string key;
  uint64_t position;  // In the uncompressed Data.db.
  bool is_wide;
};

// Returns h1 of the key's hash in the order of unsigned numbers. The empty key
// is the lowest.
uint64_t OrderedToken(const std::string& key) {
  constexpr uint64_t kSignBit = uint64_t{1} << 63;
  return key.empty() ? 0
                     : CassandraMurmur3(key.data(), key.size()).h1 ^ kSignBit;
}

// Sorts by token, as org.apache.cassandra.dht.Murmur3Partitioner does, then by
// the bytes of the key.
void SortByToken(std::vector<std::string>* keys) {
  std::sort(keys->begin(), keys->end(), [](const auto& a, const auto& b) {
    return std::pair(OrderedToken(a), a) < std::pair(OrderedToken(b), b);
  });
}

// "Not deleted" in the versions before `oa`. Later ones write one byte. Nobody
// reads it here.
std::string NoDeletion() {
  constexpr auto kNoSeconds = std::numeric_limits<int32_t>::max();
  constexpr auto kNoMarking = std::numeric_limits<int64_t>::min();
  return BigEndian(kNoSeconds, 4) +
         BigEndian(static_cast<uint64_t>(kNoMarking), 8);
}

// Returns the uncompressed Data.db, and tells where its partitions are.
std::string DataOf(const SstableSpec& spec,
                   std::vector<IndexedPartition>* partitions) {
  uint64_t random = 0;
  std::string data;
  for (size_t i = 0; i < spec.keys.size(); ++i) {
    const bool is_wide = spec.wide_every > 0 && i % spec.wide_every == 0;
    partitions->push_back({spec.keys[i], data.size(), is_wide});
    // Half of the filler's bytes are equal, so that LZ4 saves space.
    data += WithLength(spec.keys[i]) + NoDeletion() + "rrrr" +
            BigEndian(NextRandom(&random), 4);
  }
  return data;
}

// ---- The index ----

// Returns Index.db as since version `ma`.
std::string BigIndex(const std::vector<IndexedPartition>& partitions) {
  std::string index;
  for (const auto& [key, position, is_wide] : partitions) {
    const size_t promoted = is_wide ? 40 : 0;  // Bytes of promoted index.
    index += WithLength(key) + UnsignedVInt(position) + UnsignedVInt(promoted) +
             std::string(promoted, 'p');
  }
  return index;
}

// Appends a trie of rows that is a single node, and then the entry of the
// partition. Returns the position of the entry.
uint64_t AppendRowsEntry(const IndexedPartition& partition, std::string* file) {
  const uint64_t root = file->size();
  file->push_back('\0');
  const uint64_t entry = file->size();
  *file += WithLength(partition.key);
  // The distance to the root is negative. As a signed vint of Cassandra, -1, -2
  // and -3 are the unsigned vints 1, 3 and 5.
  const uint64_t distance = 2 * (file->size() - root) - 1;
  // The 2 is the number of blocks of rows.
  *file += UnsignedVInt(partition.position) + UnsignedVInt(distance) +
           UnsignedVInt(2) + NoDeletion();
  return entry;
}

// Sets `*rows_db`, and returns Partitions.db. The paths are the tokens of the
// keys, which are longer than Cassandra's. No reader looks at them.
std::string TrieIndex(const std::vector<IndexedPartition>& partitions,
                      std::string* rows_db) {
  std::map<std::string, TriePayload> payloads;
  for (const IndexedPartition& partition : partitions) {
    const int64_t position =
        partition.is_wide
            ? static_cast<int64_t>(AppendRowsEntry(partition, rows_db))
            : ~static_cast<int64_t>(partition.position);
    payloads[BigEndian(OrderedToken(partition.key), 8)] =
        TriePayloadOf(partition.key, position, BytesOfSigned(position));
  }
  std::string file;
  // Nodes of any distance, with less than 256 children or with all.
  const auto encode = [](const TriePayload& payload, const auto& children) {
    const int type = children.empty() ? 0 : children.size() < 256 ? 9 : 15;
    return EncodeTrieNode(type, payload.flags, children) + payload.bytes;
  };
  const uint64_t root = AppendTrie(payloads, encode, &file);
  const uint64_t first_key_position = file.size();
  file += WithLength(partitions.front().key) +
          WithLength(partitions.back().key) + BigEndian(first_key_position, 8) +
          BigEndian(partitions.size(), 8) + BigEndian(root, 8);
  return file;
}

// ---- Statistics.db ----

std::string Double(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return BigEndian(bits, 8);
}

// The parts are VALIDATION, COMPACTION, STATS and HEADER. COMPACTION, HEADER
// and the end of STATS are filler.
std::string StatisticsDb(bool has_checks, const SstableSpec& spec) {
  // Of the sizes of partitions: two buckets, each with its limit and number.
  const std::string histogram = BigEndian(2, 4) + BigEndian(1, 8) +
                                BigEndian(1, 8) + BigEndian(2, 8) +
                                BigEndian(spec.keys.size() - 1, 8);
  const std::vector<std::string> parts = {
      WithLength("org.apache.cassandra.dht.Murmur3Partitioner") +
          Double(spec.fp_chance),
      std::string(44, 'c'), histogram + std::string(300, 's'),
      std::string(60, 'h')};
  const std::string number = BigEndian(parts.size(), 4);
  const size_t offset = 4 + 8 * parts.size() + (has_checks ? 8 : 0);
  std::string table;
  std::string content;
  for (size_t type = 0; type < parts.size(); ++type) {
    table += BigEndian(type, 4) + BigEndian(offset + content.size(), 4);
    content += has_checks ? WithChecksum(parts[type]) : parts[type];
  }
  // The second checksum covers the number of parts and the table, but not the
  // checksum between them.
  return has_checks ? WithChecksum(number) +
                          WithChecksum(number + table).substr(4) + content
                    : number + table + content;
}

// ---- Whole SSTables ----

WrittenSstable CopyRecorded(SstableSpec spec, const SstableVersion& version) {
  const std::string from = RecordedSstable(spec.version + "_" + spec.recorded);
  for (const auto& entry : fs::directory_iterator(from)) {
    if (entry.path().filename() != "keys.txt") {
      fs::copy_file(entry.path(), spec.folder / entry.path().filename(),
                    fs::copy_options::overwrite_existing);
    }
  }
  const std::string data = fs::path(ComponentIn(from, "Data.db")).filename();
  const std::string prefix =
      spec.folder + "/" + data.substr(0, data.size() - 7);
  spec.keys = HexLines(from + "/keys.txt");
  spec.fp_chance = PlannedFpChance(from);
  const bool as_cassandra_wrote =
      spec.fault == FilterFault::kNone && spec.expected_keys == 0;
  WrittenSstable written = {prefix, spec.keys};
  if (!as_cassandra_wrote && !PutFault(spec, version.form, prefix)) {
    LeaveOutOfToc(written);
  }
  return written;
}

WrittenSstable Make(SstableSpec spec, const SstableVersion& version) {
  SortByToken(&spec.keys);
  std::vector<IndexedPartition> partitions;
  std::map<std::string, std::string> files;
  files["Data.db"] = DataOf(spec, &partitions);
  if (spec.lz4) {
    CompressedData compressed = CompressData(
        files["Data.db"], "LZ4Compressor", /*chunk_length=*/1024,
        version.has_max_compressed_length ? std::optional(INT32_MAX)
                                          : std::nullopt);
    files["Data.db"] = compressed.data;
    files["CompressionInfo.db"] = compressed.info;
  }
  if (version.index == IndexKind::kTrie) {
    files["Partitions.db"] = TrieIndex(partitions, &files["Rows.db"]);
  } else {
    files["Index.db"] = BigIndex(partitions);
    files["Summary.db"] = "filler, as nobody reads it here";
  }
  files["Statistics.db"] = StatisticsDb(
      version.statistics == StatisticsLayout::kTableWithChecksums, spec);
  const std::string prefix = spec.folder + "/" + spec.version + "-" +
                             spec.generation + "-" +
                             std::string(version.format) + "-";
  std::string toc = "TOC.txt\n";
  for (const auto& [component, content] : files) {
    WriteFile(prefix + component, content);
    toc += component + "\n";
  }
  toc += PutFault(spec, version.form, prefix) ? "Filter.db\n" : "";
  WriteFile(prefix + "TOC.txt", toc);
  return {prefix, std::move(spec.keys)};
}

}  // namespace

void LeaveOutOfToc(const WrittenSstable& one) {
  std::string toc = ReadFile(one.Path("TOC.txt"));
  toc.erase(toc.find("Filter.db\n"), 10);
  WriteFile(one.Path("TOC.txt"), toc);
}

WrittenSstable WriteSstable(SstableSpec spec) {
  std::string error;
  const SstableVersion* const version =
      FindSstableVersion(spec.version, &error);
  if (version == nullptr) {
    throw std::invalid_argument(error);
  }
  if (version->form == kBeforeMa && spec.recorded.empty()) {
    spec.recorded = "deflate";
  }
  return spec.recorded.empty() ? Make(std::move(spec), *version)
                               : CopyRecorded(std::move(spec), *version);
}

}  // namespace cassandra_bloom::testing
