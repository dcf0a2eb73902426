// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/fake_sstable.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tests/support/fake_sstable/big_endian_out.h"
#include "tests/support/fake_sstable/comparable_key.h"
#include "tests/support/fake_sstable/fake_data_db.h"
#include "tests/support/fake_sstable/fake_statistics_db.h"
#include "tests/support/fake_sstable/faulty_filter.h"
#include "tests/support/fake_sstable/index_files.h"
#include "tests/support/fake_sstable/version_facts.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

// Appends filler. Half of its bytes are equal, so that LZ4 saves space.
void AppendFiller(size_t bytes, uint64_t* random, std::string* row) {
  const size_t end = row->size() + bytes;
  row->append(bytes / 2, 'r');
  while (row->size() < end) {
    const uint64_t some = NextRandom(random);
    AppendBigEndian(some, std::min<size_t>(8, end - row->size()), row);
  }
}

std::string PrefixOf(const SstableSpec& spec, const VersionFacts& facts) {
  const std::string folder = spec.folder + "/";
  if (facts.keyspace_in_names) {
    return folder + spec.keyspace + "-" + spec.table + "-" + spec.version +
           "-" + spec.generation + "-";
  }
  return folder + spec.version + "-" + spec.generation + "-" +
         facts.format_name + "-";
}

class SstableWriter {
 public:
  explicit SstableWriter(SstableSpec spec)
      : spec_(std::move(spec)),
        facts_(FactsOfVersion(spec_.version)),
        prefix_(PrefixOf(spec_, facts_)),
        deletion_(NoDeletion()) {}

  WrittenSstable Write() {
    CheckSpec();
    SortByToken(&spec_.keys);
    CheckNoKeyTwice();
    WriteData();
    if (facts_.has_trie) {
      WriteTrieIndex();
    } else {
      WriteIndexDb();
    }
    WriteComponent(
        "Statistics.db",
        StatisticsDb(facts_.statistics, spec_.fp_chance, spec_.keys.size()));
    const auto filter = FaultyFilter(spec_, facts_.form);
    if (filter.has_value()) {
      WriteComponent("Filter.db", *filter);
    } else {
      std::filesystem::remove(prefix_ + "Filter.db");  // From an earlier call.
    }
    WriteToc();
    return {prefix_, std::move(spec_.keys)};
  }

 private:
  std::string NoDeletion() const {
    if (facts_.has_short_deletion) {
      return "\x80";
    }
    std::string deletion;
    AppendInt32(std::numeric_limits<int32_t>::max(), &deletion);
    AppendInt64(std::numeric_limits<int64_t>::min(), &deletion);
    return deletion;
  }

  void CheckSpec() const {
    if (spec_.keys.empty()) {
      throw std::invalid_argument("an SSTable has at least one key");
    }
    if ((spec_.fault == FilterFault::kNoFilterPlanned) !=
        (spec_.fp_chance == 1)) {
      throw std::invalid_argument(
          "a chance of 1 and no planned filter belong together");
    }
    if (spec_.chunk_bytes == 0) {
      throw std::invalid_argument("chunks of 0 bytes");
    }
  }

  void CheckNoKeyTwice() const {
    if (std::adjacent_find(spec_.keys.begin(), spec_.keys.end()) !=
        spec_.keys.end()) {
      throw std::invalid_argument("the same key twice");
    }
  }

  void WriteData() {
    const Lz4Chunks lz4{spec_.chunk_bytes, spec_.max_compressed_bytes};
    DataDb data(prefix_ + "Data.db", facts_, spec_.lz4 ? &lz4 : nullptr);
    uint64_t random = 0;
    std::string row;
    for (size_t i = 0; i < spec_.keys.size(); ++i) {
      partitions_.push_back({spec_.keys[i], data.position(), IsWide(i)});
      row.clear();
      AppendWithLength(spec_.keys[i], &row);
      row += deletion_;
      AppendFiller(spec_.row_bytes, &random, &row);
      data.Append(row);
    }
    data.Close();
    components_.push_back("Data.db");
    if (spec_.lz4) {
      WriteComponent("CompressionInfo.db", data.CompressionInfo());
    }
    WriteDigest(data.digest());
  }

  bool IsWide(size_t partition) const {
    return spec_.wide_every > 0 && partition % spec_.wide_every == 0;
  }

  void WriteDigest(uint32_t digest) {
    if (facts_.digest != DigestKind::kNone) {
      WriteComponent(facts_.digest == DigestKind::kCrc32 ? "Digest.crc32"
                                                         : "Digest.adler32",
                     std::to_string(digest));
    }
  }

  void WriteIndexDb() {
    IndexFiles files = BigIndex(partitions_, facts_);
    if (spec_.fault == FilterFault::kIndexCut) {
      // The file ends between the two bytes of a key's length.
      files.index_db.resize(files.offsets[partitions_.size() / 2] + 1);
    }
    WriteComponent("Index.db", files.index_db);
    WriteComponent("Summary.db", "filler, as nobody reads it here");
  }

  void WriteTrieIndex() {
    TrieFiles files = TrieIndex(partitions_, deletion_);
    if (spec_.fault == FilterFault::kIndexCut) {
      files.partitions_db.resize(files.partitions_db.size() / 2);
    }
    WriteComponent("Partitions.db", files.partitions_db);
    WriteComponent("Rows.db", files.rows_db);
  }

  void WriteToc() {
    std::string toc;
    for (const std::string& component : components_) {
      toc += component + "\n";
    }
    toc += "TOC.txt\n";
    WriteComponent("TOC.txt", toc);
  }

  void WriteComponent(const std::string& name, const std::string& content) {
    WriteFile(prefix_ + name, content);
    components_.push_back(name);
  }

  SstableSpec spec_;
  const VersionFacts facts_;
  const std::string prefix_;
  const std::string deletion_;
  std::vector<IndexedPartition> partitions_;  // Keys point into spec_.
  std::vector<std::string> components_;
};

}  // namespace

WrittenSstable WriteSstable(SstableSpec spec) {
  return SstableWriter(std::move(spec)).Write();
}

}  // namespace cassandra_bloom::testing
