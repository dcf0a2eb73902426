// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/outcome.h"

#include <exception>
#include <new>

namespace cassandra_bloom::tools {

const char* NameOf(Outcome::Kind kind) {
  constexpr const char* kNames[] = {"built",
                                    "installed",
                                    "would be installed",
                                    "put back",
                                    "would be put back",
                                    "unchanged",
                                    "gone",
                                    "in use",
                                    "foreign",
                                    "not listed",
                                    "not changed",
                                    "left",
                                    "failed"};
  return kNames[kind];
}

bool Try(Outcome* outcome, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const End& end) {
    outcome->kind = end.kind;
    outcome->note = end.reason;
  } catch (const std::bad_alloc&) {
    outcome->kind = Outcome::kFailed;
    outcome->note = outcome->path + ": not enough memory";
  } catch (const std::exception& error) {
    outcome->kind = Outcome::kFailed;
    outcome->note = error.what();
  }
  return false;
}

}  // namespace cassandra_bloom::tools
