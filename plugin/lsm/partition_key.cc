// SPDX-License-Identifier: Apache-2.0

#include "plugin/lsm/partition_key.h"

#include <charconv>
#include <system_error>

#include "plugin/filter/endian.h"

namespace cassandra_bloom {
namespace {

constexpr size_t kMaxNumber = 65535;
constexpr size_t kLengthSize = 2;
constexpr char kWhole[] = "whole";
constexpr char kSkip[] = "skip:";
constexpr char kFixed[] = "fixed:";
constexpr char kU16[] = "u16";
constexpr char kComposite[] = "composite:";

// Parses the number that follows `name` in `text`. Nothing may follow the
// number.
std::optional<size_t> NumberAfter(std::string_view name,
                                  std::string_view text) {
  if (text.substr(0, name.size()) != name) {
    return std::nullopt;
  }
  size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed_to, error] =
      std::from_chars(text.data() + name.size(), end, number);
  if (error != std::errc() || parsed_to != end || number > kMaxNumber) {
    return std::nullopt;
  }
  return number;
}

// Returns the end of the field at `begin`, a big-endian 16-bit length and that
// many bytes, as Cassandra writes a key (ByteBufferUtil.writeWithShortLength).
// Returns nullopt if `key` is too short.
std::optional<size_t> EndOfU16(std::string_view key, size_t begin) {
  if (key.size() < begin + kLengthSize) {
    return std::nullopt;
  }
  const size_t end = begin + kLengthSize + LoadBigEndian16(key.data() + begin);
  return end <= key.size() ? std::optional(end) : std::nullopt;
}

// Cassandra's CompositeType: each component is such a field and one more byte.
std::optional<size_t> EndOfComposite(std::string_view key, size_t begin,
                                     size_t num_components) {
  size_t end = begin;
  for (size_t i = 0; i < num_components; ++i) {
    const std::optional<size_t> component = EndOfU16(key, end);
    if (!component || *component == key.size()) {
      return std::nullopt;
    }
    end = *component + 1;
  }
  return end;
}

}  // namespace

std::optional<PartitionKeyExtractor> PartitionKeyExtractor::Parse(
    const std::string& spelling, std::string* error) {
  const std::string_view text = spelling;
  if (text == kWhole) {
    return PartitionKeyExtractor();
  }
  std::string_view kind = text;
  size_t skip = 0;
  if (text.substr(0, sizeof(kSkip) - 1) == kSkip) {
    const size_t comma = text.find(',');
    const std::optional<size_t> given =
        NumberAfter(kSkip, text.substr(0, comma));
    if (given && comma == std::string_view::npos) {
      return PartitionKeyExtractor(*given, Kind::kRest, 0);
    }
    skip = given.value_or(0);
    kind = given ? text.substr(comma + 1) : std::string_view();
  }
  if (kind == kU16) {
    return PartitionKeyExtractor(skip, Kind::kU16, 0);
  }
  const size_t bytes = NumberAfter(kFixed, kind).value_or(0);
  if (bytes > 0) {
    return PartitionKeyExtractor(skip, Kind::kFixed, bytes);
  }
  const size_t components = NumberAfter(kComposite, kind).value_or(0);
  if (components > 0) {
    return PartitionKeyExtractor(skip, Kind::kComposite, components);
  }
  *error = "partition key '" + spelling +
           "' is not one of whole, fixed:N, skip:S, skip:S,fixed:N, "
           "skip:S,u16 and skip:S,composite:C (S: 0 to 65535; N and C: 1 to "
           "65535)";
  return std::nullopt;
}

std::string PartitionKeyExtractor::spelling() const {
  if (is_whole()) {
    return kWhole;
  }
  std::string text = skip_ == 0 ? "" : kSkip + std::to_string(skip_);
  if (kind_ == Kind::kRest) {
    return text;
  }
  text += skip_ == 0 ? "" : ",";
  switch (kind_) {
    case Kind::kFixed:
      return text + kFixed + std::to_string(count_);
    case Kind::kComposite:
      return text + kComposite + std::to_string(count_);
    default:
      return text + kU16;
  }
}

std::optional<size_t> PartitionKeyExtractor::End(std::string_view key) const {
  if (key.size() < skip_) {
    return std::nullopt;
  }
  switch (kind_) {
    case Kind::kFixed:
      return key.size() - skip_ < count_ ? std::nullopt
                                         : std::optional(skip_ + count_);
    case Kind::kU16:
      return EndOfU16(key, skip_);
    case Kind::kComposite:
      return EndOfComposite(key, skip_, count_);
    default:
      return key.size();
  }
}

std::optional<std::string_view> PartitionKeyExtractor::Find(
    std::string_view key) const {
  const std::optional<size_t> end = End(key);
  if (!end) {
    return std::nullopt;
  }
  // As in Cassandra, a `u16` partition key does not include its length, but a
  // composite includes the lengths of its components.
  const size_t begin = skip_ + (kind_ == Kind::kU16 ? kLengthSize : 0);
  return key.substr(begin, *end - begin);
}

}  // namespace cassandra_bloom
