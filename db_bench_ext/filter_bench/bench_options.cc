// SPDX-License-Identifier: Apache-2.0

#include "db_bench_ext/filter_bench/bench_options.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <sstream>

#include "db_bench_ext/filter_bench/filters_under_test.h"
#include "db_bench_ext/filter_bench/workloads.h"

DEFINE_string(keys, "1M",
              "Keys of a filter: a list of 1 to 200M; K and M are 1000 and "
              "1000000");
DEFINE_string(filters, "1",
              "Filters of so many keys, 1 to 10K; every query, or every batch, "
              "goes to one of them at random. At most 1000M keys in all");
DEFINE_string(key_length, "16",
              "Bytes of a key: a list of 8 to 4096 and 'random', which is 8 to "
              "64, another for each key");
DEFINE_string(bits_per_key, "10", "A list of 1 to 100");
DEFINE_string(
    batch, "1,4,32,128",
    "Keys of a batch, for the workloads batch_*: a list of 1 to 128. A "
    "batch of 1 is a call for batches with one key; more than 32 are "
    "several calls, as in RocksDB");
DEFINE_string(workloads, "all",
              "A list of build, absent, present, mixed (half of the keys are "
              "absent), batch_absent and batch_present");
DEFINE_string(filters_to_run, "all",
              "A list of bloom and ribbon (RocksDB's own), cassandra_bloom "
              "(this project's) and naive (the same filter as plainly as it "
              "can be written)");
DEFINE_string(queries, "100K",
              "Keys that a workload asks in a round, 1 to 1000M");
DEFINE_string(rounds, "25",
              "Rounds of all workloads with all filters, 1 to 1000");
DEFINE_string(build_rounds, "7",
              "Build in this many of the rounds only, 1 to 1000");
DEFINE_string(block_offset, "16",
              "How many bytes a filter block begins behind the begin of a "
              "cache line, 0 to 63. Blocks that RocksDB reads begin where its "
              "allocator says: glibc gives large ones 16, jemalloc 0");
DEFINE_string(json, "",
              "Write JSON into this file, beside the text; --json alone: to "
              "stdout, instead of the text");
DECLARE_bool(help);

namespace cassandra_bloom::bench {
namespace {

[[noreturn]] void Refuse(const std::string& flag, const std::string& value,
                         const std::string& range) {
  throw UsageError("--" + flag + ": '" + value + "' is not " + range);
}

struct Range {
  double min;
  double max;
  bool whole = true;

  std::string Name() const {
    std::ostringstream name;
    name.precision(12);
    name << "a " << (whole ? "whole " : "") << "number from " << min << " to "
         << max;
    return name.str();
  }
};

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');) {
    items.push_back(item);
  }
  if (text.empty() || text.back() == ',') {
    items.emplace_back();
  }
  return items;
}

// Reads a number such as 10000, 10K or 0.01M. Throws UsageError for any other
// text, and for a number outside `range`.
double ReadNumber(const std::string& flag, const std::string& text,
                  const Range& range) {
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto read = std::from_chars(text.data(), end, value);
  const std::string suffix(read.ptr, end);
  if (suffix == "K") {
    value *= 1e3;
  } else if (suffix == "M") {
    value *= 1e6;
  } else if (!suffix.empty()) {
    Refuse(flag, text, range.Name());
  }
  const bool in_range = value >= range.min && value <= range.max;
  if (read.ec != std::errc() || !in_range ||
      (range.whole && value != std::floor(value))) {
    Refuse(flag, text, range.Name());
  }
  return value;
}

template <typename T>
T ReadOne(const std::string& flag, const std::string& text,
          const Range& range) {
  return static_cast<T>(ReadNumber(flag, text, range));
}

template <typename T>
std::vector<T> ReadList(const std::string& flag, const std::string& text,
                        const Range& range) {
  std::vector<T> values;
  for (const std::string& item : SplitAtCommas(text)) {
    values.push_back(ReadOne<T>(flag, item, range));
  }
  return values;
}

std::string Join(const std::vector<std::string>& items) {
  std::string joined;
  for (const std::string& item : items) {
    joined += (joined.empty() ? "" : ", ") + item;
  }
  return joined;
}

bool StandsFor(const std::string& item, const std::string& name) {
  return name == item || name.compare(0, item.size() + 1, item + "/") == 0;
}

// Reads a list such as "a,b", or "all". Returns those of `names` that are in
// the list. An item "x" also stands for all names that begin with "x/". Throws
// UsageError if an item stands for no name.
std::vector<std::string> ReadNames(const std::string& flag,
                                   const std::string& text,
                                   const std::vector<std::string>& names) {
  if (text == "all") {
    return names;
  }
  const std::vector<std::string> items = SplitAtCommas(text);
  for (const std::string& item : items) {
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) {
          return StandsFor(item, name);
        })) {
      Refuse(flag, item, "one of " + Join(names));
    }
  }
  std::vector<std::string> chosen;
  std::copy_if(names.begin(), names.end(), std::back_inserter(chosen),
               [&items](const std::string& name) {
                 return std::any_of(items.begin(), items.end(),
                                    [&name](const std::string& item) {
                                      return StandsFor(item, name);
                                    });
               });
  return chosen;
}

constexpr double kMostKeysInAll = 1e9;

std::vector<KeyShape> ReadKeyShapes(const std::string& text) {
  const Range range = {KeyShape::kMinLength, KeyShape::kMaxLength};
  std::vector<KeyShape> shapes;
  for (const std::string& item : SplitAtCommas(text)) {
    if (item == "random") {
      shapes.push_back(KeyShape::OfRandomLength());
    } else if (item.empty() || item[0] < '0' || item[0] > '9') {
      Refuse("key_length", item, range.Name() + ", or random");
    } else {
      const auto length = ReadOne<size_t>("key_length", item, range);
      shapes.push_back({length, length});
    }
  }
  return shapes;
}

BenchOptions OptionsFromFlags() {
  BenchOptions options;
  options.keys = ReadList<uint64_t>("keys", FLAGS_keys, {1, 200e6});
  options.filters = ReadOne<uint64_t>("filters", FLAGS_filters, {1, 10e3});
  options.key_shapes = ReadKeyShapes(FLAGS_key_length);
  options.bits_per_key = ReadList<double>("bits_per_key", FLAGS_bits_per_key,
                                          {1, 100, /*whole=*/false});
  options.batches =
      ReadList<uint32_t>("batch", FLAGS_batch, {1, kMaxWorkBatch});
  options.workloads = ReadNames("workloads", FLAGS_workloads, WorkloadNames());
  options.filters_to_run =
      ReadNames("filters_to_run", FLAGS_filters_to_run, FilterNames());
  options.queries = ReadOne<uint64_t>("queries", FLAGS_queries, {1, 1e9});
  options.rounds = ReadOne<uint32_t>("rounds", FLAGS_rounds, {1, 1000});
  options.build_rounds = std::min(
      options.rounds,
      ReadOne<uint32_t>("build_rounds", FLAGS_build_rounds, {1, 1000}));
  options.block_offset =
      ReadOne<size_t>("block_offset", FLAGS_block_offset, {0, 63});
  options.json = FLAGS_json;
  for (const uint64_t keys : options.keys) {
    if (static_cast<double>(keys * options.filters) > kMostKeysInAll) {
      throw UsageError("--filters=" + FLAGS_filters + " of --keys=" +
                       std::to_string(keys) + ": more than 1000M keys in all");
    }
  }
  return options;
}

// Throws UsageError if a flag does not exist or has no value. This check must
// come before gflags reads the flags, because gflags would end the process with
// status 1. In this program, status 1 means that a filter was wrong.
void CheckFlagNames(int argc, char** argv) {
  for (int i = 1; i < argc && argv[i][0] == '-'; ++i) {
    const std::string arg = argv[i];
    const size_t begin = std::min(arg.find_first_not_of('-'), arg.size());
    const std::string name = arg.substr(begin, arg.find('=') - begin);
    gflags::CommandLineFlagInfo flag;
    if (!gflags::GetCommandLineFlagInfo(name.c_str(), &flag)) {
      throw UsageError("there is no flag '" + arg + "'; see --help");
    }
    // If the argument has no "=", the value of the flag is the next argument. A
    // bool flag needs no value.
    if (flag.type != "bool" && arg.find('=') == std::string::npos &&
        ++i == argc) {
      throw UsageError("'" + arg + "' has no value");
    }
  }
}

}  // namespace

BenchOptions ReadOptions(int argc, char** argv) {
  gflags::SetUsageMessage(
      "times Bloom filters side by side, in this process and through RocksDB's "
      "own interface of filters: RocksDB's Bloom and Ribbon filters, "
      "cassandra_bloom, and the same filter written plainly.\n"
      "Where a flag takes a list (a,b,c), all combinations are measured. "
      "Exit status: 0 measured, 1 a filter was wrong (it lost a key, or is not "
      "what it should be), 2 a flag was.");
  // gflags requires a value for every string flag. So --json without a value
  // becomes --json=-.
  std::string json_to_stdout = "--json=-";
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0 ||
        std::strcmp(argv[i], "-json") == 0) {
      argv[i] = json_to_stdout.data();
    }
  }
  CheckFlagNames(argc, argv);
  gflags::ParseCommandLineNonHelpFlags(&argc, &argv, /*remove_flags=*/true);
  // Shows only the flags of this program, not those of gflags.
  if (FLAGS_help) {
    gflags::ShowUsageWithFlagsRestrict(gflags::ProgramInvocationShortName(),
                                       "bench_options");
    std::exit(0);
  }
  gflags::HandleCommandLineHelpFlags();
  if (argc > 1) {
    throw UsageError(std::string("'") + argv[1] +
                     "' is not a flag; see --help");
  }
  return OptionsFromFlags();
}

}  // namespace cassandra_bloom::bench
