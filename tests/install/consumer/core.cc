// SPDX-License-Identifier: Apache-2.0

// Uses the C++ interface to Filter.db files, without RocksDB.

#include <cassandra_bloom/filter_db.h>

#include <cstdio>
#include <memory>
#include <string>

namespace cb = cassandra_bloom;

int main() {
  std::string error;
  const auto builder =
      cb::FilterDbBuilder::ForBitsPerKey(10, 2, cb::kNaAndLater, &error);
  if (builder == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  builder->Add("alice");
  builder->Add("bob");
  if (!builder->Write("nb-1-big-Filter.db", /*overwrite=*/true, &error)) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  const auto filter =
      cb::FilterDbFile::Open("nb-1-big-Filter.db", cb::kNaAndLater, &error);
  const bool found = filter != nullptr && filter->MayContain("alice") &&
                     filter->MayContain("bob") && !filter->MayContain("carol");
  std::printf("Filter.db: %s\n", found ? "as built" : "wrong");
  return found ? 0 : 1;
}
