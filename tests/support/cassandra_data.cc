// SPDX-License-Identifier: Apache-2.0

#include "tests/support/cassandra_data.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "tests/support/run_process.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

fs::path Data() { return CASSANDRA_BLOOM_TEST_DATA; }

// Returns the folders in `folder` that have a file `needed`, sorted.
std::vector<std::string> FoldersIn(const fs::path& folder,
                                   const std::string& needed = "") {
  std::vector<std::string> paths;
  std::error_code no_such_folder;
  for (const auto& entry : fs::directory_iterator(folder, no_such_folder)) {
    if (entry.is_directory() && fs::exists(entry.path() / needed)) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Returns a folder that does not exist if CASSANDRA_BLOOM_CORPUS is not set.
fs::path Corpus() {
  const char* const corpus = std::getenv("CASSANDRA_BLOOM_CORPUS");
  return corpus == nullptr ? "/none/none" : corpus;
}

}  // namespace

std::vector<std::string> CassandraSstables() {
  return FoldersIn(Data() / "sstables");
}

std::vector<std::string> CompactedSstables() {
  return FoldersIn(Data() / "compacted_sstables");
}

std::vector<std::string> RecordedSstables() {
  return FoldersIn(Data() / "recorded");
}

std::string RecordedSstable(const std::string& name) {
  return Data() / "recorded" / name;
}

double PlannedFpChance(const std::string& folder) {
  const std::string name = fs::path(folder).filename();
  const std::string table = name.substr(name.rfind('_') + 1);
  const bool is_recorded =
      fs::path(folder).parent_path().filename() == "recorded";
  return !is_recorded         ? 0.01
         : table == "wide"    ? 0.1
         : table == "deflate" ? 0.05
         : table == "zstd"    ? 0.001
                              : 0.01;
}

std::string ComponentIn(const std::string& folder,
                        const std::string& component) {
  const std::string end = "-" + component;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::string path = entry.path();
    if (path.size() > end.size() &&
        path.compare(path.size() - end.size(), end.size(), end) == 0) {
      return path;
    }
  }
  return "";
}

std::vector<std::string> CorpusSstables() { return FoldersIn(Corpus()); }

std::vector<std::string> SstablesWithKeys() {
  std::vector<std::string> folders = CassandraSstables();
  for (const auto& others :
       {RecordedSstables(),
        FoldersIn(Corpus().parent_path() / "sstables", "keys.txt")}) {
    folders.insert(folders.end(), others.begin(), others.end());
  }
  return folders;
}

std::vector<std::vector<std::string>> ReadCassandraTable(
    const std::string& file_name) {
  std::vector<std::vector<std::string>> table;
  for (const std::string& line : Lines(ReadFile(Data() / file_name))) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    std::istringstream fields(line);
    table.emplace_back();
    for (std::string field; std::getline(fields, field, '\t');) {
      table.back().push_back(field);
    }
  }
  return table;
}

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(
        static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<std::string> HexLines(const std::string& path) {
  std::vector<std::string> lines = Lines(ReadFile(path));
  std::transform(lines.begin(), lines.end(), lines.begin(), FromHex);
  return lines;
}

std::string VectorKey(const std::string& set, uint32_t i) {
  if (set == "i") {
    char key[16];
    std::snprintf(key, sizeof(key), "key%06u", i);
    return key;
  }
  if (set == "ii") {
    std::string key(8, '\0');
    for (uint32_t byte = 0; byte < 4; ++byte) {
      key[4 + byte] = static_cast<char>(i >> (24 - 8 * byte));
    }
    return key;
  }
  const uint32_t row = i / 65;
  const uint32_t length = i % 65;
  std::string key(length, '\0');
  for (uint32_t j = 0; j < length; ++j) {
    key[j] = static_cast<char>(row * 131 + j * 17 + length * 7);
  }
  return key;
}

}  // namespace cassandra_bloom::testing
