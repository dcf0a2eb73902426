// SPDX-License-Identifier: Apache-2.0

#include "tests/stress/random/policy_choice.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace cassandra_bloom::testing {
namespace {

std::string Number(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", number);
  return text;
}

double DrawBits(Draws* draws) {
  switch (draws->Below(6)) {
    case 0:
      return draws->Of({0.0, 0.5, 1.0, 1.25, 2.0, 50.0, 99.999, 100.0});
    case 1:
      return static_cast<double>(draws->Between(500, 25000)) / 1000;
    default:
      return static_cast<double>(draws->Between(1, 20));
  }
}

struct Sizing {
  std::string text;
  double bits;
};

Sizing DrawNumber(Draws* draws) {
  const double bits = DrawBits(draws);
  return {Number(bits), bits};
}

Sizing DrawChance(Draws* draws) {
  return draws->Of<Sizing>({{"0.0000671", 20},
                            {"0.001", 15},
                            {"0.01", 10},
                            {"0.1", 5},
                            {"0.5", 2},
                            {"0.9", 1},
                            {"1", 0}});
}

// A string takes fewer than 0.5 bits only for levels.
Sizing DrawNumberOfLevel(Draws* draws) {
  return draws->OneIn(20) ? Sizing{"0.3", 0} : DrawNumber(draws);
}

Sizing DrawList(Draws* draws) {
  Sizing list = DrawNumberOfLevel(draws);
  for (uint64_t more = draws->Below(5); more > 0; --more) {
    const Sizing one = DrawNumberOfLevel(draws);
    list = {list.text + "," + one.text, one.bits};
  }
  return list;
}

Sizing DrawSizing(Draws* draws) {
  Sizing sizing = DrawNumber(draws);
  switch (draws->Below(6)) {
    case 0:
      sizing = DrawChance(draws);
      sizing.text.insert(0, "fp:");
      break;
    case 1:
      sizing = DrawList(draws);
      sizing.text.insert(0, "level_bits:");
      break;
    default:
      break;
  }
  if (draws->OneIn(3)) {
    sizing.text += ":bottommost_bits:" + DrawNumberOfLevel(draws).text;
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

// Without a number after the bits, RocksDB's Ribbon policy makes Bloom filters
// in flushed files. With -1, this policy makes no Bloom filters.
std::string DrawRibbon(const std::string& bits, Draws* draws) {
  return "ribbonfilter:" + bits + draws->Of<const char*>({"", ":-1", ":1"});
}

}  // namespace

PolicyChoice DrawPolicy(const std::string& partition_key, Draws* draws) {
  const Sizing sizing = DrawSizing(draws);
  const std::string bits = Number(sizing.bits);
  const std::string bloom = "bloomfilter:" + bits;
  const std::string ribbon = DrawRibbon(bits, draws);
  const std::string ours = "cassandra_bloom:" + sizing.text;
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
