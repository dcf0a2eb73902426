// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/outcome.h"

namespace cassandra_bloom::tools {

const char* NameOf(Outcome::Kind kind) {
  constexpr const char* kNames[] = {"built",      "TOC.txt to complete",
                                    "installed",  "would be installed",
                                    "put back",   "would be put back",
                                    "unchanged",  "gone",
                                    "in use",     "foreign",
                                    "not listed", "not changed",
                                    "left",       "failed"};
  return kNames[kind];
}

}  // namespace cassandra_bloom::tools
