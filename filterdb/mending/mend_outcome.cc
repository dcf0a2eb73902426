// SPDX-License-Identifier: Apache-2.0

#include "filterdb/mending/mend_outcome.h"

#include <exception>
#include <new>

#include "plugin/filter_db/read_file.h"

namespace cassandra_bloom::tools {

void FailAt(const std::string& path, const char* what) {
  std::string error;
  FailWithErrno(path, what, &error);
  Fail(error);
}

void RunWork(const std::function<void()>& work, MendOutcome* outcome) {
  const auto fail = [outcome](const std::string& what) {
    outcome->kind = MendOutcome::kFailed;
    outcome->reason = outcome->filter + ": " + what;
  };
  try {
    work();
  } catch (const MendEnd& end) {
    outcome->kind = end.kind;
    outcome->reason = end.reason;
    outcome->ends_run = end.ends_run;
  } catch (const std::bad_alloc&) {
    fail("not enough memory");
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

}  // namespace cassandra_bloom::tools
