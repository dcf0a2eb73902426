// SPDX-License-Identifier: Apache-2.0

#include "tests/support/fake_sstable/fake_sstable_spec.h"

#include <stdexcept>

#include "tests/support/fake_sstable/version_facts.h"

namespace cassandra_bloom::testing {

const char* NameOf(FilterFault fault) {
  switch (fault) {
    case FilterFault::kNone:
      return "none";
    case FilterFault::kNoFilterPlanned:
      return "no_filter_planned";
    case FilterFault::kBitsCleared:
      return "bits_cleared";
    case FilterFault::kKeysLeftOut:
      return "keys_left_out";
    case FilterFault::kOtherForm:
      return "other_form";
    case FilterFault::kSaturated:
      return "saturated";
    case FilterFault::kHalfSize:
      return "half_size";
    case FilterFault::kQuarterSize:
      return "quarter_size";
    case FilterFault::kFourfoldSize:
      return "fourfold_size";
    case FilterFault::kTruncated:
      return "truncated";
    case FilterFault::kEmpty:
      return "empty";
    case FilterFault::kMissing:
      return "missing";
    case FilterFault::kProbes0:
      return "probes_0";
    case FilterFault::kProbes99:
      return "probes_99";
    case FilterFault::kIndexCut:
      return "index_cut";
  }
  return "unknown";
}

FilterForm OtherFormOf(const SstableSpec& spec) {
  const FilterForm own = FactsOfVersion(spec.version).form;
  const FilterForm other =
      spec.other_form.value_or(own == kMaToMe ? kNaAndLater : kMaToMe);
  if (other == own) {
    throw std::invalid_argument("the other form is the version's own");
  }
  return other;
}

}  // namespace cassandra_bloom::testing
