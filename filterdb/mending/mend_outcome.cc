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

void MendRun::Do(MendOutcome outcome,
                 const std::function<bool(MendOutcome*)>& work) {
  const auto fail = [&outcome](const std::string& what) {
    outcome.kind = MendOutcome::kFailed;
    outcome.reason = outcome.filter + ": " + what;
  };
  bool had_work = true;
  try {
    if (has_ended_) {
      throw MendEnd{MendOutcome::kNotDone, ""};
    }
    had_work = work(&outcome);
  } catch (const MendEnd& end) {
    outcome.kind = end.kind;
    outcome.reason = end.reason;
    has_ended_ |= end.ends_run;
  } catch (const std::bad_alloc&) {
    fail("not enough memory");
  } catch (const std::exception& error) {
    fail(error.what());
  }
  if (had_work) {
    on_outcome_(outcome);
  }
}

}  // namespace cassandra_bloom::tools
