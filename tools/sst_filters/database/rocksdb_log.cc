// SPDX-License-Identifier: Apache-2.0

#include "tools/sst_filters/database/rocksdb_log.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {
namespace {

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// Returns what stands behind `name`, or nullopt if it is not in the text.
std::optional<std::string_view> Behind(std::string_view text,
                                       std::string_view name) {
  const size_t found = text.find(name);
  return found == std::string_view::npos
             ? std::nullopt
             : std::optional(text.substr(found + name.size()));
}

uint64_t NumberIn(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Reads a size such as "124.89 KB" (BytesToHumanString in util/string_util.cc).
uint64_t SizeIn(std::string_view text) {
  double size = 0;
  const char* const end =
      std::from_chars(text.data(), text.data() + text.size(), size).ptr;
  const std::string_view unit =
      text.substr(static_cast<size_t>(end - text.data()));
  for (const std::string_view known : {" KB", " MB", " GB", " TB"}) {
    size *= 1024;
    if (StartsWith(unit, known)) {
      return static_cast<uint64_t>(size);
    }
  }
  return 0;
}

// If all are 0, the program has looked up nothing.
constexpr const char* kOfLookUps[] = {
    "rocksdb.bloom.filter.useful", "rocksdb.bloom.filter.full.positive",
    "rocksdb.bloom.filter.prefix.checked", "rocksdb.memtable.miss"};

class LogReader {
 public:
  RocksdbLog Read(const std::string& path) {
    log_.file = path;
    std::ifstream file(path);
    // RocksDB logs no longer line (PosixLogger). A file that logrotate has cut
    // may begin with any number of zeros.
    std::vector<char> line(64 << 10);
    for (;;) {
      file.getline(line.data(), static_cast<std::streamsize>(line.size()));
      const auto size = static_cast<size_t>(file.gcount());
      // The end of a line that is being written may be missing: then getline
      // meets the end of the file.
      if (size == 0 || file.eof() || file.bad()) {
        break;
      }
      if (file.fail()) {
        file.clear();
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      } else {
        ReadLine({line.data(), size - 1});
      }
    }
    for (auto& [family, options] : options_) {
      LoggedCache cache;
      cache.capacity = NumberIn(options["capacity"]);
      cache.num_shard_bits = static_cast<int>(
          std::min<uint64_t>(NumberIn(options["num_shard_bits"]), 63));
      cache.is_strict = NumberIn(options["strict_capacity_limit"]) != 0;
      if (const auto counted = counted_.find(options["block_cache"]);
          counted != counted_.end()) {
        std::tie(cache.counted_at, cache.filter_bytes) = counted->second;
      }
      log_.caches[family] = cache;
    }
    return log_;
  }

 private:
  using Options = std::map<std::string, std::string, std::less<>>;

  void ReadLine(std::string_view line) {
    // A line with the time: "2026/11/28-11:19:28.933318 20269 [...] ...".
    if (line.size() > 19 && line[4] == '/' && line[10] == '-') {
      time_ = std::string(line.substr(0, 10)) + " " +
              std::string(line.substr(11, 8));
      reading_ = nullptr;
      if (Behind(line, "STATISTICS:")) {
        tickers_.clear();
        log_.has_statistics = true;
      } else if (Behind(line, "Options.statistics: 0x")) {
        log_.has_statistics = true;
      } else if (const auto name =
                     Behind(line, "Options for column family [")) {
        family_ = name->substr(0, name->rfind(']'));
      } else if (Behind(line, "\"event\": \"table_file_creation\"")) {
        ReadCreation(line);
      } else if (const auto created = Behind(line, "Created column family [")) {
        log_.policies[std::string(created->substr(0, created->rfind(']')))] =
            "";
      } else if (Behind(line, " table_factory options: ")) {
        reading_ = &options_[family_];
        reading_->clear();
      }
    } else if (const size_t name = line.find("rocksdb."); name <= 1) {
      ReadTicker(line.substr(name));
    } else if (StartsWith(line, "Block cache ")) {
      ReadCountOfCache(line);
    } else if (reading_ != nullptr) {
      ReadOption(line);
    }
  }

  // A line that EventLogger writes for each SST file:
  //   ... "event": "table_file_creation", ... "column_family_name": "default",
  //   ... "filter_policy": "bloomfilter", ...
  // The options in LOG are no witness: RocksDB logs them for ten column
  // families alone, and not in each file.
  void ReadCreation(std::string_view line) {
    const auto value = [&](std::string_view name) {
      const std::string_view behind = Behind(line, name).value_or("");
      return std::string(behind.substr(0, behind.find('"')));
    };
    const std::string policy = value("\"filter_policy\": \"");
    if (!policy.empty()) {
      log_.policies[value("\"column_family_name\": \"")] =
          std::string(FileNameOf(log_.file)) + " has a file of '" + policy +
          "'";
    }
  }

  // "rocksdb.bloom.filter.useful COUNT : 209489". Histograms have more words.
  void ReadTicker(std::string_view line) {
    const auto count = Behind(line, " COUNT : ");
    if (!count) {
      return;
    }
    const std::string name(line.substr(0, line.find(' ')));
    tickers_[name] = NumberIn(*count);
    // The end of the file may cut the list off. This ticker comes after all
    // that are read here, in every release.
    if (name == "rocksdb.blobdb.num.put" &&
        std::any_of(std::begin(kOfLookUps), std::end(kOfLookUps),
                    [&](const char* ticker) { return tickers_[ticker] > 0; })) {
      log_.tickers = tickers_;
      log_.time = time_;
    }
  }

  // Lines such as these are the table options of a column family:
  //   block_cache: 0x5600b41106e0
  //   block_cache_options:
  //     capacity : 33554432
  // Other caches may follow, with a capacity of their own.
  void ReadOption(std::string_view line) {
    const size_t name = line.find_first_not_of(' ');
    const size_t colon = line.find(':');
    const size_t value = line.find_first_not_of(": ", colon);
    if (value != std::string_view::npos) {
      const std::string_view key = line.substr(name, colon - name);
      reading_->emplace(key.substr(0, key.find(' ')), line.substr(value));
    }
  }

  // Two lines for each column family:
  //   Block cache LRUCache@0x5600b41106e0#20269 capacity: 32.00 MB ...
  //   Block cache entry stats(count,size,portion): FilterBlock(2,124.89 KB,...
  void ReadCountOfCache(std::string_view line) {
    if (const auto address = Behind(line, "@")) {
      counted_cache_ = address->substr(0, address->find('#'));
      return;
    }
    uint64_t bytes = 0;
    for (const std::string_view kind : {" FilterBlock(", " FilterMetaBlock("}) {
      const std::string_view counts = Behind(line, kind).value_or("");
      bytes += SizeIn(Behind(counts, ",").value_or(""));
    }
    counted_[counted_cache_] = {time_, bytes};
  }

  RocksdbLog log_;
  std::string time_;
  std::string family_;
  std::map<std::string, Options> options_;  // Of tables, by column family.
  Options* reading_ = nullptr;  // Those of the lines that follow, or null.
  std::map<std::string, uint64_t> tickers_;
  // By address: the time, and the bytes of filters in it.
  std::map<std::string, std::pair<std::string, uint64_t>> counted_;
  std::string counted_cache_;
};

// As in InfoLogPrefix (file/filename.cc).
std::string NameInLogDir(const std::string& db_dir) {
  std::error_code error;
  std::string name =
      std::filesystem::absolute(db_dir, error).lexically_normal();
  name.erase(name.find_last_not_of('/') + 1);
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char byte) {
        return !std::isalnum(byte) && byte != '-' && byte != '.' && byte != '_';
      },
      '_');
  return name.substr(std::min<size_t>(name.size(), 1)) + "_LOG";
}

using FilesByTime = std::multimap<std::filesystem::file_time_type, std::string>;

// Adds LOG and earlier files. The last one is not always LOG: a command such as
// ldb that opens the database renames the file of a running program, which goes
// on writing to it.
void AddLogFiles(const std::string& folder, const std::string& name,
                 FilesByTime* files) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string file = entry->path().filename();
    std::error_code ignored;
    if ((file == name || StartsWith(file, name + ".old")) &&
        entry->is_regular_file(ignored)) {
      files->emplace(entry->last_write_time(ignored), entry->path());
    }
  }
}

}  // namespace

uint64_t RocksdbLog::Ticker(const std::string& name) const {
  const auto found = tickers.find("rocksdb." + name);
  return found == tickers.end() ? 0 : found->second;
}

std::optional<double> RocksdbLog::AbsentShare() const {
  const uint64_t reached_files = Ticker("memtable.miss");
  if (reached_files == 0) {
    return std::nullopt;
  }
  const uint64_t found =
      Ticker("l0.hit") + Ticker("l1.hit") + Ticker("l2andup.hit");
  return 1 - std::min(1.0, static_cast<double>(found) /
                               static_cast<double>(reached_files));
}

std::optional<double> RocksdbLog::Rate() const {
  const uint64_t positive = Ticker("bloom.filter.full.positive");
  const uint64_t present = Ticker("bloom.filter.full.true.positive");
  const auto passed =
      static_cast<double>(positive - std::min(positive, present));
  const double asked =
      passed + static_cast<double>(Ticker("bloom.filter.useful"));
  return asked > 0 ? std::optional<double>(passed / asked) : std::nullopt;
}

RocksdbLog ReadRocksdbLog(const std::string& db_dir, const std::string& log_dir,
                          bool read_all) {
  // There may be a thousand, of a program without statistics.
  constexpr size_t kMostFiles = 10;
  FilesByTime files;
  AddLogFiles(db_dir, "LOG", &files);
  if (!log_dir.empty()) {
    AddLogFiles(log_dir, NameInLogDir(db_dir), &files);
  }
  RocksdbLog log;
  size_t num_read = 0;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    const bool is_running = log.tickers.empty() && num_read++ < kMostFiles;
    if (!is_running && !read_all) {
      break;
    }
    RocksdbLog earlier = LogReader().Read(file->second);
    // What a later file says is there already.
    log.policies.merge(earlier.policies);
    if (is_running) {
      log.file = earlier.file;
      log.has_statistics |= earlier.has_statistics;
      log.tickers = earlier.tickers;
      log.time = earlier.time;
      log.caches.merge(earlier.caches);
    }
  }
  return log;
}

}  // namespace cassandra_bloom::tools
