// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/data_directory/write_directory.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/support/random_keys.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> MakeKeys(const PlannedSstable& planned,
                                  size_t key_bytes) {
  uint64_t random = planned.key_seed;
  std::vector<std::string> keys(planned.num_keys);
  for (std::string& key : keys) {
    key.resize(key_bytes);
    for (size_t at = 0; at < key_bytes; at += 8) {
      const uint64_t bytes = NextRandom(&random);
      std::memcpy(key.data() + at, &bytes, std::min<size_t>(8, key_bytes - at));
    }
  }
  return keys;
}

class DirectoryWriter {
 public:
  DirectoryWriter(fs::path folder, const DirectoryOptions& options)
      : folder_(std::move(folder)),
        options_(options),
        plan_(PlanDirectory(options)),
        data_paths_(plan_.size()) {}

  void Write(size_t threads) {
    if (fs::exists(folder_) && !fs::is_empty(folder_)) {
      throw std::invalid_argument(folder_.string() + " is not empty");
    }
    for (const PlannedSstable& planned : plan_) {
      fs::create_directories(folder_ / planned.folder);
    }
    std::vector<std::future<void>> workers;
    for (size_t i = 0; i < threads; ++i) {
      workers.push_back(
          std::async(std::launch::async, [this] { WriteUntilNoneIsLeft(); }));
    }
    for (std::future<void>& worker : workers) {
      worker.get();  // Rethrows an exception of the worker.
    }
  }

  // Must be called after Write.
  std::string Expected() const {
    nlohmann::json expected = {{"options",
                                {{"tables", options_.tables},
                                 {"sstables", options_.sstables},
                                 {"keys", options_.keys},
                                 {"key_bytes", options_.key_bytes},
                                 {"seed", options_.seed}}},
                               {"sstables", nlohmann::json::array()},
                               {"copies", nlohmann::json::array()}};
    for (size_t i = 0; i < plan_.size(); ++i) {
      expected["sstables"].push_back(Describe(i));
      if (plan_[i].is_copied) {
        for (const char* const to : kCopyFolders) {
          const fs::path path = data_paths_[i];
          expected["copies"].push_back(
              {{"path", path.parent_path() / to / path.filename()},
               {"of", path}});
        }
      }
    }
    return expected.dump(1) + "\n";
  }

 private:
  static constexpr const char* kCopyFolders[] = {"snapshots/x", "backups"};

  void WriteUntilNoneIsLeft() {
    for (size_t i = next_++; i < plan_.size(); i = next_++) {
      WriteOne(i);
    }
  }

  void WriteOne(size_t i) {
    const PlannedSstable& planned = plan_[i];
    SstableSpec spec = planned.spec;
    spec.folder = folder_ / planned.folder;
    spec.keys = MakeKeys(planned, options_.key_bytes);
    const WrittenSstable sstable = WriteSstable(std::move(spec));
    data_paths_[i] =
        fs::path(sstable.Path("Data.db")).lexically_relative(folder_);
    if (planned.is_copied) {
      for (const char* const to : kCopyFolders) {
        LinkTo(sstable, folder_ / planned.folder / to);
      }
    }
  }

  static void LinkTo(const WrittenSstable& sstable, const fs::path& to) {
    fs::create_directories(to);
    const fs::path prefix(sstable.prefix);
    for (const auto& entry : fs::directory_iterator(prefix.parent_path())) {
      const std::string name = entry.path().filename();
      if (name.rfind(prefix.filename(), 0) == 0) {
        fs::create_hard_link(entry.path(), to / name);
      }
    }
  }

  nlohmann::json Describe(size_t i) const {
    const SstableSpec& spec = plan_[i].spec;
    nlohmann::json sstable = {{"path", data_paths_[i]},
                              {"version", spec.version},
                              {"keys", plan_[i].num_keys},
                              {"fp_chance", spec.fp_chance},
                              {"fault", NameOf(spec.fault)}};
    if (spec.fault == FilterFault::kOtherForm) {
      sstable["written_form"] = FormName(OtherFormOf(spec));
    }
    return sstable;
  }

  const fs::path folder_;
  const DirectoryOptions options_;
  const std::vector<PlannedSstable> plan_;
  // The paths are relative to folder_. A thread sets only the paths of its own
  // SSTables, so no lock is needed.
  std::vector<std::string> data_paths_;
  std::atomic<size_t> next_{0};
};

}  // namespace

std::string WriteDirectory(const std::string& folder,
                           const DirectoryOptions& options, size_t threads) {
  DirectoryWriter writer(folder, options);
  writer.Write(threads);
  return writer.Expected();
}

}  // namespace cassandra_bloom::testing
