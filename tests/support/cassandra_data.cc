// SPDX-License-Identifier: Apache-2.0

#include "tests/support/cassandra_data.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cassandra_bloom::testing {
namespace {

std::vector<std::string> FoldersIn(const std::filesystem::path& folder) {
  std::vector<std::string> folders;
  std::error_code no_such_folder;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder, no_such_folder)) {
    if (entry.is_directory()) {
      folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::filesystem::path BesideCorpus(const std::string& name) {
  const char* const corpus = std::getenv("CASSANDRA_BLOOM_CORPUS");
  return corpus == nullptr ? std::filesystem::path()
                           : std::filesystem::path(corpus).parent_path() / name;
}

}  // namespace

std::vector<std::string> CassandraSstables() {
  return FoldersIn(std::filesystem::path(CASSANDRA_BLOOM_TEST_DATA) /
                   "sstables");
}

std::string CassandraSstable(const std::string& name) {
  return std::filesystem::path(CASSANDRA_BLOOM_TEST_DATA) / "sstables" / name;
}

std::vector<std::string> CompactedSstables() {
  return FoldersIn(std::filesystem::path(CASSANDRA_BLOOM_TEST_DATA) /
                   "compacted_sstables");
}

std::vector<std::string> CorpusSstables() {
  const char* const corpus = std::getenv("CASSANDRA_BLOOM_CORPUS");
  return corpus == nullptr ? std::vector<std::string>() : FoldersIn(corpus);
}

std::vector<std::string> SstablesBesideCorpus() {
  std::vector<std::string> folders = FoldersIn(BesideCorpus("sstables"));
  folders.erase(
      std::remove_if(folders.begin(), folders.end(),
                     [](const std::string& folder) {
                       return !std::filesystem::exists(folder + "/keys.txt");
                     }),
      folders.end());
  return folders;
}

std::vector<std::string> NewerBesideCorpus() {
  std::vector<std::string> paths;
  std::error_code no_such_folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           BesideCorpus("newer"), no_such_folder)) {
    const std::string path = entry.path().string();
    if (path.size() > 8 && path.substr(path.size() - 8) == "-Data.db") {
      paths.push_back(path);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::vector<std::string>> ReadCassandraTable(
    const std::string& file_name) {
  std::ifstream file(std::filesystem::path(CASSANDRA_BLOOM_TEST_DATA) /
                     file_name);
  std::vector<std::vector<std::string>> table;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    std::vector<std::string> fields;
    std::istringstream fields_of_line(line);
    for (std::string field; std::getline(fields_of_line, field, '\t');) {
      fields.push_back(field);
    }
    table.push_back(fields);
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
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(FromHex(line));
  }
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
