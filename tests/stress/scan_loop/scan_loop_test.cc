// SPDX-License-Identifier: Apache-2.0

// Runs "filterdb scan" while a LiveTable writes, compacts and removes SSTables.
// The scan must not report a fault for an SSTable that is only partly written
// or partly removed.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "filterdb/tests/fake_sstable/checksums.h"
#include "filterdb/tests/fake_sstable/fake_sstable.h"
#include "tests/support/filterdb_command.h"
#include "tests/support/random_keys.h"
#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {
namespace {

namespace fs = std::filesystem;

// The form of the transaction logs of some Cassandra releases.
struct LogForm {
  const char* cassandra;   // Releases: "3.0 and 3.11".
  const char* version;     // Version of the SSTables.
  const char* log_prefix;  // Start of the names of logs.
  bool has_last_dash;      // Paths in records end with a dash: "nb-1-big-".
  bool has_id_of_uuid;     // Names of SSTables have a UUID, not a number.
};

inline std::ostream& operator<<(std::ostream& stream, const LogForm& form) {
  return stream << form.version;
}

constexpr LogForm kForms[] = {{"3.0 and 3.11", "mc", "mc", false, false},
                              {"4.0 and 4.1", "nb", "nb", true, false},
                              {"5.0, big", "oa", "oa", true, true},
                              {"5.0, bti", "da", "bti-da", true, true}};

// TOC.txt is written last (Cassandra's BigTableWriter, SortedTableWriter).
constexpr const char* kOrder[] = {"Data.db",       "Index.db",  "Rows.db",
                                  "Partitions.db", "Filter.db", "Statistics.db",
                                  "Summary.db",    "TOC.txt"};

bool GrowsWithData(const std::string& component) {
  return component == "Data.db" || component == "Index.db" ||
         component == "Rows.db" || component == "Partitions.db";
}

int64_t MillisecondsOf(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    throw std::runtime_error(path + ": not there");
  }
  return status.st_mtim.tv_sec * int64_t{1000} +
         status.st_mtim.tv_nsec / 1000000;
}

// A table whose files change like the files of a running Cassandra node. The
// steps have the order of org.apache.cassandra.db.lifecycle (LogTransaction,
// LogFile, Tracker).
class LiveTable {
 public:
  // `folder` must exist. Writes some SSTables that no transaction removes.
  LiveTable(const std::string& folder, const LogForm& form, uint64_t seed)
      : folder_(folder), form_(form), random_(seed) {
    for (const size_t num_keys :
         {size_t{1}, size_t{50}, size_t{300}, size_t{2000}}) {
      AddContents(num_keys);
      Write(NewName(), contents_.back());
    }
  }

  // Runs one transaction. Each step changes one file. Pauses between the steps.
  void RunTransaction() {
    constexpr size_t kMany = 8;
    ++num_transactions_;
    const uint64_t kind = Random(8);
    if (live_.size() < 2 || (kind < 3 && live_.size() < kMany)) {
      const std::string log = NewLog("flush");
      const Name name = Add(log);
      Remove(log, {});
      live_.push_back(name);
    } else if (kind == 3) {
      const std::string log = NewLog("compaction");
      const Name whole = Add(log);
      Abort(log, {whole, Add(log)});
    } else if (kind == 4) {
      // Cassandra writes such a log when a table is truncated or dropped.
      Remove(NewLog("unknowncompactiontype"), TakeLive(2));
    } else {
      const std::string log = NewLog("compaction");
      std::vector<Name> news;
      for (uint64_t i = Random(3); i > 0; --i) {
        news.push_back(Add(log));
      }
      Remove(log, TakeLive(2));
      live_.insert(live_.end(), news.begin(), news.end());
    }
  }

  size_t num_transactions() const { return num_transactions_; }

 private:
  // Names and bytes of components, in the order in which they are written.
  using Contents = std::vector<std::pair<std::string, std::string>>;
  // The beginning of the names of an SSTable's files: "nb-1-big-".
  using Name = std::string;

  void AddContents(size_t num_keys) {
    const TempDir dir;
    const RandomKeys keys(Random(UINT64_MAX), /*max_length=*/30);
    SstableSpec spec;
    spec.folder = dir.path();
    spec.version = form_.version;
    for (size_t i = 0; i < num_keys; ++i) {
      // The last five digits make each key unique.
      spec.keys.push_back(keys[i] + std::to_string(10000 + i));
    }
    const WrittenSstable written = WriteSstable(spec);
    const std::string name = fs::path(written.prefix).filename();
    end_of_names_ = name.substr(name.find("-1-") + 2);
    contents_.emplace_back();
    for (const char* const component : kOrder) {
      const std::string path = written.Path(component);
      if (fs::exists(path)) {
        contents_.back().emplace_back(component, ReadFile(path));
      }
    }
  }

  Name NewName() {
    std::string id = std::to_string(++num_names_);
    if (form_.has_id_of_uuid) {
      id = "3gsh_0lhd_" + std::string(18 - id.size(), '0') + id;
    }
    return std::string(form_.version) + "-" + id + end_of_names_;
  }

  std::string NewLog(const std::string& operation) {
    return folder_ + "/" + form_.log_prefix + "_txn_" + operation +
           "_7b1cd1d0-1f5b-11ef-8f33-" + std::to_string(num_transactions_) +
           ".log";
  }

  void Log(const std::string& log, const std::string& type, const Name& name) {
    std::string path;
    int64_t time = 0;
    int num_files = 0;
    if (!name.empty()) {
      path = folder_ + "/" + name;
      num_files = static_cast<int>(std::size(kOrder));
    }
    if (type == "REMOVE") {
      for (const auto& [component, bytes] : contents_.front()) {
        time = std::max(time, MillisecondsOf(path + component));
      }
    }
    if (!form_.has_last_dash && !path.empty()) {
      path.pop_back();
    }
    Append(log, LogRecord(type, path, time, num_files));
  }

  Name Add(const std::string& log) {
    const Name name = NewName();
    Log(log, "ADD", name);
    Write(name, contents_[Random(contents_.size())]);
    return name;
  }

  // Deletes in the order of Cassandra's SSTable.delete: Data.db first and
  // Summary.db last.
  void Remove(const std::string& log, std::vector<Name> olds) {
    for (const Name& old : olds) {
      Log(log, "REMOVE", old);
    }
    Log(log, "COMMIT", "");
    for (const Name& old : olds) {
      for (const char* const component : kOrder) {
        if (std::string(component) != "Summary.db") {
          Delete(folder_ + "/" + old + component);
        }
      }
      Delete(folder_ + "/" + old + "Summary.db");
    }
    Delete(log);
  }

  // Deletes the files in the order in which they were written, like Cassandra's
  // LogFile.deleteRecordFiles.
  void Abort(const std::string& log, const std::vector<Name>& news) {
    Log(log, "ABORT", "");
    for (const Name& name : news) {
      for (const char* const component : kOrder) {
        Delete(folder_ + "/" + name + component);
      }
    }
    Delete(log);
  }

  std::vector<Name> TakeLive(size_t number) {
    std::vector<Name> taken;
    while (taken.size() < number && !live_.empty()) {
      const auto one =
          live_.begin() + static_cast<ptrdiff_t>(Random(live_.size()));
      taken.push_back(*one);
      live_.erase(one);
    }
    return taken;
  }

  void Write(const Name& name, const Contents& contents) {
    const std::string path = folder_ + "/" + name;
    for (const auto& [component, bytes] : contents) {
      if (GrowsWithData(component)) {
        Append(path + component, bytes.substr(0, bytes.size() / 2));
      }
    }
    for (const auto& [component, bytes] : contents) {
      const size_t begin = GrowsWithData(component) ? bytes.size() / 2 : 0;
      Append(path + component, bytes.substr(begin));
    }
  }

  // Writes in two steps, so that a scan may see only one half.
  void Append(const std::string& path, const std::string& bytes) {
    const size_t half = bytes.size() / 2;
    for (const std::string& part :
         {bytes.substr(0, half), bytes.substr(half)}) {
      std::ofstream file(path, std::ios::binary | std::ios::app);
      if (!(file << part).flush()) {
        throw std::runtime_error(path + ": cannot write");
      }
      Pause();
    }
  }

  void Delete(const std::string& path) {
    if (fs::remove(path)) {
      Pause();
    }
  }

  // Random pauses let scans see each state of the files.
  void Pause() {
    if (num_transactions_ > 0 && Random(4) == 0) {
      std::this_thread::sleep_for(
          std::chrono::microseconds(Random(Random(16) == 0 ? 5000 : 300)));
    }
  }

  uint64_t Random(uint64_t end) { return NextRandom(&random_) % end; }

  const std::string folder_;
  const LogForm form_;
  uint64_t random_;
  std::vector<Contents> contents_;
  std::string end_of_names_;  // Such as "-big-".
  std::vector<Name> live_;
  size_t num_names_ = 0;
  size_t num_transactions_ = 0;
};

// ---- The test ----

int NumScans() {
  const char* const given = std::getenv("CASSANDRA_BLOOM_SCANS");
  return given == nullptr ? 25 : std::stoi(given);
}

class ScanLoopTest : public ::testing::TestWithParam<LogForm> {
 protected:
  ScanLoopTest()
      : table_(dir_.path(), GetParam(), Seed()), node_([this] {
          while (!has_ended_) {
            table_.RunTransaction();
          }
        }) {}
  ~ScanLoopTest() override { End(); }

  void End() {
    has_ended_ = true;
    if (node_.joinable()) {
      node_.join();
    }
  }

  void Scan() {
    const Ran ran = Filterdb("scan --json " + dir_.path());
    const Json json = ran.report();
    EXPECT_EQ(ran.exit_code, 0) << ran;
    EXPECT_EQ(ran.err, "");
    for (const Json& sstable : json["sstables"]) {
      ++states_[sstable["state"]];
      num_faults_ += sstable["harm"] != "none" ? 1 : 0;
    }
  }

  const TempDir dir_;
  LiveTable table_;
  std::atomic<bool> has_ended_{false};
  std::thread node_;
  std::map<std::string, size_t> states_;
  size_t num_faults_ = 0;
};

TEST_P(ScanLoopTest, NoFalseFault) {
  const int num_scans = NumScans();
  // A test that saw no SSTable being written would have tested nothing. Nearly
  // every scan sees one, so many more are never needed.
  const int most_scans = num_scans + 100;
  int i = 0;
  while ((i < num_scans || (states_["being written"] == 0 && i < most_scans)) &&
         num_faults_ == 0) {
    Scan();
    ++i;
  }
  End();
  EXPECT_EQ(num_faults_, 0U);
  EXPECT_GT(states_["being written"], 0U);
  std::printf("Cassandra %s: %d scans beside %zu transactions: %zu faults\n",
              GetParam().cassandra, i, table_.num_transactions(), num_faults_);
  for (const auto& [state, count] : states_) {
    std::printf("  %s: %zu\n", state.c_str(), count);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, ScanLoopTest, ::testing::ValuesIn(kForms),
                         [](const auto& form) {
                           return std::string(form.param.version);
                         });

}  // namespace
}  // namespace cassandra_bloom::testing
