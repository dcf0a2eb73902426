// SPDX-License-Identifier: Apache-2.0

#include "plugin/policy/policy_settings.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "cassandra_bloom/filter_policy.h"
#include "plugin/filter/sizing.h"
#include "plugin/policy/filter_name.h"

namespace cassandra_bloom {

using ROCKSDB_NAMESPACE::CassandraBloomOptions;

namespace {

// Returns true if RocksDB's options parser reads the id back unchanged.
bool IsPlain(const std::string& id) {
  return std::all_of(id.begin(), id.end(), [](char c) {
    return c > ' ' && c <= '~' && std::strchr("=;{}#\\\"", c) == nullptr;
  });
}

FilterType TypeOf(const std::string& name) {
  return name == "bloom"    ? FilterType::kBloom
         : name == "ribbon" ? FilterType::kRibbon
                            : FilterType::kCassandra;
}

// Sets `*bits` to the number that is really used, for example after rounding.
std::optional<Sizing> SizingForBits(double* bits) {
  const std::optional<Sizing> sizing = SizingForBitsPerKey(*bits);
  *bits = sizing ? sizing->bits_per_key() : 0;
  return sizing;
}

void SetSizing(CassandraBloomOptions* options, LevelSizing* sizing) {
  sizing->levels.clear();
  for (double& bits : options->level_bits) {
    sizing->levels.push_back(SizingForBits(&bits));
  }
  if (sizing->levels.empty()) {
    sizing->levels.push_back(options->fp_chance
                                 ? SizingForFpChance(*options->fp_chance)
                                 : SizingForBits(&options->bits_per_key));
  }
  if (options->bottommost_bits) {
    sizing->has_bottommost = true;
    sizing->bottommost = SizingForBits(&*options->bottommost_bits);
  }
}

// Empties the options that say what holds without them, because an id omits
// these.
void SetFilterTypes(CassandraBloomOptions* options, PolicySettings* settings) {
  if (options->filter == "cassandra") {
    options->filter.clear();
  }
  if (TypeOf(options->bottommost_filter) == TypeOf(options->filter)) {
    options->bottommost_filter.clear();
  }
  settings->filter = TypeOf(options->filter);
  settings->universal_filter = settings->filter;
  settings->bottommost_filter = options->bottommost_filter.empty()
                                    ? settings->filter
                                    : TypeOf(options->bottommost_filter);
  settings->block_form = options->blocks == "rocksdb"
                             ? BlockForm::kBesideRocksdb
                             : BlockForm::kFilterDb;
}

// mix: two classes of files. A look-up of an absent key asks the filters of all
// sorted runs. Bottommost files hold most keys, so they get the filter that
// takes the least memory. All other files together hold few keys, so more bits
// there cost little memory and leave hardly any false positives. In universal
// compaction these files may hold as many keys as the bottommost ones, so they
// get Ribbon filters, too (with `bloom` only in flushes, as RocksDB does).
void SetMix(CassandraBloomOptions* options, PolicySettings* settings) {
  constexpr double kFewerInBottommost = 0.6;
  constexpr double kMoreInOthers = 7;
  const auto within_range = [](double bits) {
    return SizingForBitsPerKey(std::clamp(bits, 1.0, kMaxBitsPerKey));
  };
  options->mix = SizingForBitsPerKey(*options->mix)->bits_per_key();
  settings->is_mix = true;
  settings->block_form = BlockForm::kBesideRocksdb;
  settings->sizing.levels = {within_range(*options->mix + kMoreInOthers)};
  settings->sizing.has_bottommost = true;
  settings->sizing.bottommost =
      within_range(*options->mix - kFewerInBottommost);
  const bool has_filter = !options->filter.empty();
  settings->filter = has_filter ? TypeOf(options->filter) : FilterType::kBloom;
  settings->universal_filter =
      has_filter ? settings->filter : FilterType::kRibbon;
  if (options->bottommost_filter == "ribbon") {
    options->bottommost_filter.clear();  // An id omits what holds without it.
  }
  settings->bottommost_filter = options->bottommost_filter.empty()
                                    ? FilterType::kRibbon
                                    : TypeOf(options->bottommost_filter);
}

// Returns why the options are not fit for each other, or "". `given` is their
// text before the numbers were rounded.
std::string WhyUnfit(const std::string& given,
                     const CassandraBloomOptions& options,
                     const PolicySettings& settings) {
  const std::string text = "'" + given + "': ";
  if (options.fp_chance && !options.level_bits.empty()) {
    return text +
           "fp_chance and level_bits both set the size: leave one of "
           "them out";
  }
  const bool is_beside = settings.block_form == BlockForm::kBesideRocksdb;
  if (is_beside && !settings.partition_key.is_whole()) {
    return text +
           "blocks=rocksdb also reads RocksDB's own filters, which hold whole "
           "keys; leave out partition_key or blocks=rocksdb";
  }
  if (!is_beside && (settings.filter != FilterType::kCassandra ||
                     settings.bottommost_filter != FilterType::kCassandra)) {
    return text +
           "RocksDB's own filters, bloom and ribbon, need blocks=rocksdb";
  }
  return "";
}

// Sets `*settings` to what the options mean. Returns why they are wrong, or "".
// `text` is the string that they were read from, if they were.
std::string Compile(CassandraBloomOptions options, const std::string& text,
                    PolicySettings* settings) {
  std::string error = WrongOption(options);
  if (!error.empty()) {
    return error;
  }
  const auto partition_key =
      PartitionKeyExtractor::Parse(options.partition_key, &error);
  if (!partition_key) {
    return error;
  }
  const std::string given = text.empty() ? FormatOptions(options) : text;
  settings->partition_key = *partition_key;
  // What follows changes `options` to the values that are really used.
  options.partition_key = partition_key->spelling();
  if (options.mix) {
    SetMix(&options, settings);
  } else {
    SetSizing(&options, &settings->sizing);
    SetFilterTypes(&options, settings);
  }
  settings->id = FormatOptions(options);
  return WhyUnfit(given, options, *settings);
}

bool IsRight(const std::string& text) {
  std::string error;
  PolicySettings ignored;
  const auto options = ParseOptions(text, {}, &error);
  return options && Compile(*options, text, &ignored).empty();
}

// Every error of an option goes through this function. `text` is as above.
PolicySettings Refused(const std::string& error, const std::string& text) {
  PolicySettings settings;
  settings.id = kRefusedId;
  settings.error = std::string(kPolicyName) + ": " + error;
  const std::string meant = ProbablyMeant(text);
  if (meant != text && IsRight(meant)) {
    settings.error += "; write " + meant;
  }
  settings.error += std::string("; ") + kUsage;
  return settings;
}

}  // namespace

PolicySettings CheckOptions(const CassandraBloomOptions& options,
                            const std::string& text) {
  PolicySettings settings;
  const std::string error = Compile(options, text, &settings);
  return error.empty() ? settings : Refused(error, text);
}

PolicySettings SettingsOf(const std::string& text, const OptionTexts& beside) {
  std::string error;
  const auto options = ParseOptions(text, beside, &error);
  // What was meant is known of a whole string alone.
  const std::string whole = beside.empty() ? text : "";
  PolicySettings settings =
      options ? CheckOptions(*options, whole) : Refused(error, whole);
  if (!beside.empty()) {
    return settings;
  }
  if (!settings.error.empty()) {
    settings.id = IsPlain(text) ? text : kRefusedId;
  } else if (text == kPolicyName) {
    // A policy that is made from the bare name must have the bare name as its
    // id. RocksDB's C interface writes that id into the OPTIONS file, makes a
    // policy from it, and compares the ids of both. If they differed, RocksDB
    // 7.8 would not write the file, and in 9.10 DB::Open would fail.
    settings.id = kPolicyName;
  }
  return settings;
}

}  // namespace cassandra_bloom
