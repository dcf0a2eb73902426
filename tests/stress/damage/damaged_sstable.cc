// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/damage/damaged_sstable.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "cassandra_bloom/filter_db.h"
#include "filterdb/sstable/index/index_reader.h"
#include "filterdb/sstable/sstable_keys.h"
#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "plugin/filter/endian.h"
#include "tests/support/cassandra_data.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

size_t Below(size_t end, uint64_t* random) {
  return static_cast<size_t>(NextRandom(random) % end);
}

void ReadTrieKeys(WholeSstable* sstable) {
  std::string error;
  const auto reader =
      tools::OpenSstableKeys(sstable->start + "Partitions.db", sstable->version,
                             tools::KeyChecks::kEveryKey, &error);
  std::string_view key;
  while (reader != nullptr && reader->Next(&key)) {
    sstable->keys.push_back(
        {std::string(key), reader->bytes_read() - 2 - key.size()});
  }
  if (reader == nullptr || !reader->error().empty()) {
    throw std::runtime_error(error + (reader ? reader->error() : ""));
  }
}

void ReadIndexKeys(WholeSstable* sstable) {
  std::string error;
  const auto reader =
      tools::OpenIndexDb(sstable->start + "Index.db",
                         FindSstableVersion(sstable->version)->index, &error);
  if (reader == nullptr) {
    throw std::runtime_error(error);
  }
  for (tools::IndexEntry entry; reader->Next(&entry);) {
    sstable->keys.push_back({std::string(*entry.key), entry.position});
    sstable->index_entries.push_back(entry.offset);
  }
  if (!reader->error().empty()) {
    throw std::runtime_error(reader->error());
  }
}

WholeSstable WriteWhole(const std::string& folder, const std::string& version,
                        bool lz4, size_t num_keys, uint64_t seed) {
  fs::create_directories(folder);
  SstableSpec spec;
  spec.folder = folder;
  spec.version = version;
  spec.lz4 = lz4;
  spec.wide_every = 3;
  const RandomKeys keys(seed, 20);
  for (uint64_t i = 0; i < num_keys; ++i) {
    // A number of fixed width makes each key distinct.
    spec.keys.push_back(keys[i] + std::to_string(1000000 + i));
  }
  WriteSstable(spec);
  return ReadWhole(folder);
}

// Adds SSTables of ScyllaDB's versions.
void AddMadePairs(const std::string& folder, uint64_t seed,
                  std::vector<Pair>* pairs) {
  for (const char* const version : {"ms", "mt"}) {
    for (const bool lz4 : {false, true}) {
      for (const size_t num_keys : {5U, 400U}) {
        const std::string base =
            folder + "/" + std::to_string(pairs->size()) + "_";
        pairs->push_back(
            {WriteWhole(base + "one", version, lz4, num_keys, seed),
             WriteWhole(base + "other", version, lz4, num_keys, seed + 1)});
      }
    }
  }
}

// Pairs each SSTable that Cassandra wrote with the next SSTable of the same
// version.
void AddRealPairs(std::vector<Pair>* pairs) {
  std::vector<std::string> folders = CassandraSstables();
  for (const auto& more :
       {RecordedSstables(), CompactedSstables(), SstablesBesideCorpus()}) {
    folders.insert(folders.end(), more.begin(), more.end());
  }
  std::vector<WholeSstable> sstables;
  for (const std::string& folder : folders) {
    WholeSstable one = ReadWhole(folder);
    if (one.keys.size() <= 20000) {
      sstables.push_back(std::move(one));
    }
  }
  for (size_t i = 0; i < sstables.size(); ++i) {
    size_t other = (i + 1) % sstables.size();
    while (sstables[other].version != sstables[i].version) {
      other = (other + 1) % sstables.size();
    }
    pairs->push_back({sstables[i], sstables[other]});
  }
}

// Returns a good or faulty filter, or no value for a missing filter. Describes
// the filter in `what`.
std::optional<std::string> FilterWithFault(const Pair& pair, uint64_t* random,
                                           std::string* what) {
  std::string filter = ReadFile(pair.one.start + "Filter.db");
  constexpr size_t kHeader = 8;
  switch (Below(8, random)) {
    case 0:
      *what = "no filter";
      return std::nullopt;
    case 1:
      *what = "a saturated filter";
      std::fill(filter.begin() + kHeader, filter.end(), '\xff');
      return filter;
    case 2:
      *what = "a filter with cleared bits";
      for (size_t i = kHeader; i < filter.size(); i += 7) {
        filter[i] = 0;
      }
      return filter;
    case 3:
      *what = "an empty filter";
      return "";
    default:
      *what = "a good filter";
      return filter;
  }
}

std::string Cut(const WholeSstable& one, const std::string& component,
                const std::string& content, uint64_t* random) {
  const bool between_entries = component == "Index.db" &&
                               one.index_entries.size() > 1 &&
                               Below(2, random) == 0;
  const size_t size =
      between_entries
          ? one.index_entries[1 + Below(one.index_entries.size() - 1, random)]
          : Below(content.size(), random);
  return content.substr(0, size);
}

std::string Change(const Pair& pair, const std::string& component,
                   std::string* content, uint64_t* random) {
  const size_t kind = content->empty() ? 3 : Below(4, random);
  if (kind == 3) {
    *content = ContentOf(pair.other.start + component).value_or("");
    return "of another SSTable";
  }
  if (kind == 2) {
    *content = Cut(pair.one, component, *content, random);
    return "cut to " + std::to_string(content->size()) + " bytes";
  }
  const size_t at = Below(content->size(), random);
  const size_t change =
      kind == 0 ? size_t{1} << Below(8, random) : 1 + Below(255, random);
  (*content)[at] =
      static_cast<char>(static_cast<uint8_t>((*content)[at]) ^ change);
  return "byte " + std::to_string(at) + " ^ " + std::to_string(change);
}

// Returns whether an uncompressed Data.db still has this key. A compressed
// Data.db needs no check, because a damaged chunk cannot be read. So a damaged
// chunk cannot show another key.
bool HasKey(const std::string& data, const PositionedKey& key) {
  return data.size() >= key.position + 2 + key.key.size() &&
         LoadBigEndian16(data.data() + key.position) == key.key.size() &&
         data.compare(key.position + 2, key.key.size(), key.key) == 0;
}

}  // namespace

std::string WholeSstable::name() const {
  return start.substr(start.find_last_of('/') + 1);
}

std::optional<std::string> ContentOf(const std::string& path) {
  return fs::exists(path) ? std::optional<std::string>(ReadFile(path))
                          : std::nullopt;
}

WholeSstable ReadWhole(const std::string& folder) {
  constexpr std::string_view kData = "Data.db";
  WholeSstable sstable;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string path = entry.path();
    if (path.size() > kData.size() &&
        path.substr(path.size() - kData.size()) == kData) {
      sstable.start = path.substr(0, path.size() - kData.size());
    }
  }
  const std::string name = sstable.name();
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename();
    if (file.substr(0, name.size()) == name) {
      sstable.components.push_back(file.substr(name.size()));
    }
  }
  std::sort(sstable.components.begin(), sstable.components.end());
  std::string error;
  if (!SstableVersionOfFileName(name + "Data.db", &sstable.version, &error)) {
    throw std::runtime_error(error);
  }
  sstable.is_compressed = fs::exists(sstable.start + "CompressionInfo.db");
  if (fs::exists(sstable.start + "Partitions.db")) {
    ReadTrieKeys(&sstable);
  } else {
    ReadIndexKeys(&sstable);
  }
  return sstable;
}

std::vector<Pair> AllPairs(const std::string& folder, uint64_t seed) {
  std::vector<Pair> pairs;
  AddRealPairs(&pairs);
  AddMadePairs(folder, seed, &pairs);
  return pairs;
}

DamagedSstable Damage(const Pair& pair, const std::string& folder,
                      uint64_t* random) {
  const WholeSstable& one = pair.one;
  DamagedSstable damaged;
  damaged.start = folder + "/" + one.name();
  damaged.version = one.version;
  for (const std::string& component : one.components) {
    WriteFile(damaged.start + component, ReadFile(one.start + component));
  }
  std::string filter;
  const auto content = FilterWithFault(pair, random, &filter);
  fs::remove(damaged.start + "Filter.db");
  if (content) {
    WriteFile(damaged.start + "Filter.db", *content);
  }
  const std::string& component =
      one.components[Below(one.components.size(), random)];
  std::string bytes = ContentOf(damaged.start + component).value_or("");
  damaged.what = one.start + " with " + filter + ", " + component + ": " +
                 Change(pair, component, &bytes, random);
  WriteFile(damaged.start + component, bytes);
  damaged.filter = ContentOf(damaged.start + "Filter.db");
  for (const PositionedKey& key : one.keys) {
    if (component != "Data.db" || one.is_compressed || HasKey(bytes, key)) {
      damaged.keys.push_back(key.key);
    }
  }
  return damaged;
}

}  // namespace cassandra_bloom::testing
