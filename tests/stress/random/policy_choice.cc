// SPDX-License-Identifier: Apache-2.0

// Draws the filter policy of a column family: none, one of RocksDB's own, or
// one of ours.

#include <cstdint>

#include "tests/stress/random/configuration.h"

namespace cassandra_bloom::testing {
namespace {

std::string DrawBits(Draws* draws) {
  switch (draws->Below(6)) {
    case 0:
      return draws->Of<const char*>(
          {"0", "0.5", "1", "1.25", "2", "50", "99.999", "100"});
    case 1:
      return std::to_string(draws->Between(1, 24)) + "." +
             std::to_string(draws->Between(101, 999));
    default:
      return std::to_string(draws->Between(1, 20));
  }
}

// A string takes fewer than 0.5 bits only for levels.
std::string DrawBitsOfLevel(Draws* draws) {
  return draws->OneIn(20) ? "0.3" : DrawBits(draws);
}

std::string DrawSizing(Draws* draws) {
  std::string sizing;
  switch (draws->Below(6)) {
    case 0:
      sizing = std::string("fp:") +
               draws->Of<const char*>(
                   {"0.0000671", "0.001", "0.01", "0.1", "0.5", "0.9", "1"});
      break;
    case 1:
      sizing = "level_bits:" + DrawBitsOfLevel(draws);
      for (uint64_t more = draws->Below(5); more > 0; --more) {
        sizing += "," + DrawBitsOfLevel(draws);
      }
      break;
    default:
      sizing = DrawBits(draws);
  }
  if (draws->OneIn(3)) {
    sizing += ":bottommost_bits:" + DrawBitsOfLevel(draws);
  }
  return sizing;
}

std::string DrawPartitionKey(const std::string& of_keys, Draws* draws) {
  switch (draws->Below(5)) {
    case 0:
    case 1:
      return "";
    case 2:
    case 3:
      return ":partition_key:" + of_keys;
    default:
      return std::string(":partition_key:") +
             draws->Of<const char*>(
                 {"fixed:1", "fixed:5", "fixed:300", "skip:3", "skip:2,fixed:6",
                  "u16", "skip:1,u16", "composite:1", "skip:8,composite:3"});
  }
}

// Draws blocks=rocksdb, half of the time with types of RocksDB's own filters.
std::string DrawBlocks(Draws* draws) {
  const auto type = [draws] {
    return draws->Of<const char*>({"cassandra", "bloom", "ribbon"});
  };
  std::string text;
  if (draws->OneIn(2)) {
    text += std::string(":filter:") + type();
    if (!draws->OneIn(3)) {
      text += std::string(":bottommost_filter:") + type();
    }
  }
  return text + ":blocks:rocksdb";
}

}  // namespace

PolicyChoice DrawPolicy(const std::string& partition_key, Draws* draws) {
  const std::string bits = DrawBits(draws);
  const std::string bloom = "bloomfilter:" + bits;
  // Without a number after the bits, RocksDB's Ribbon policy makes Bloom
  // filters in flushed files. With -1, this policy makes no Bloom filters.
  const std::string ribbon =
      "ribbonfilter:" + bits + draws->Of<const char*>({"", ":-1", ":1"});
  const std::string ours = "cassandra_bloom:" + DrawSizing(draws);
  switch (draws->Below(16)) {
    case 0:
      return {"nullptr", "nullptr"};
    case 1:
    case 2:
      return {bloom, bloom};
    case 3:
    case 4:
      return {ribbon, ribbon};
    case 5:
    case 6:
      return {
          "cassandra_bloom:mix:" +
              draws->Of<std::string>(
                  {"1", "1.7", "5", "10", "13.125", "80", "100"}) +
              draws->Of<const char*>({"", "", ":filter:ribbon", ":filter:bloom",
                                      ":filter:cassandra"}) +
              draws->Of<const char*>({"", "", "", ":bottommost_filter:bloom",
                                      ":bottommost_filter:cassandra"}),
          ribbon};
    case 7:
    case 8:
    case 9:
    case 10:
      return {ours + DrawBlocks(draws), draws->OneIn(2) ? bloom : ribbon};
    default:
      return {ours + DrawPartitionKey(partition_key, draws), bloom};
  }
}

}  // namespace cassandra_bloom::testing
