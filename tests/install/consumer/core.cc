// SPDX-License-Identifier: Apache-2.0

// Uses the C++ interface to Filter.db files, without RocksDB.

#include <cassandra_bloom/filter_db.h>
#include <cassandra_bloom/key_reader.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

namespace cb = cassandra_bloom;

int main() {
  std::string error;
  std::ofstream("keys.txt") << "alice\nbob\n";
  const auto builder =
      cb::FilterDbBuilder::ForBitsPerKey(10, 2, cb::kNaAndLater, &error);
  const auto keys = cb::OpenKeys("keys.txt", cb::KeyFormat::kTextLines, &error);
  if (builder == nullptr || keys == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  for (std::string_view key; keys->Next(&key);) {
    builder->Add(key);
  }
  if (!keys->error().empty() ||
      !builder->Write("nb-1-big-Filter.db", /*overwrite=*/true, &error)) {
    std::fprintf(stderr, "%s%s\n", keys->error().c_str(), error.c_str());
    return 1;
  }
  const auto filter =
      cb::FilterDbFile::Open("nb-1-big-Filter.db", cb::kNaAndLater, &error);
  const bool found = filter != nullptr && filter->MayContain("alice") &&
                     filter->MayContain("bob") && !filter->MayContain("carol");
  std::printf("Filter.db: %s\n", found ? "as built" : "wrong");
  return found ? 0 : 1;
}
