// SPDX-License-Identifier: Apache-2.0

// Turns errors and exceptions into errors of the C interface
// (include/cassandra_bloom/c.h).

#ifndef CASSANDRA_BLOOM_PLUGIN_C_C_ERROR_H_
#define CASSANDRA_BLOOM_PLUGIN_C_C_ERROR_H_

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>

namespace cassandra_bloom {

// Frees the message in *errptr and sets *errptr to a copy of `message`. Does
// nothing if errptr is null.
inline void SetError(const char* message, char** errptr) noexcept {
  if (errptr != nullptr) {
    std::free(*errptr);
    *errptr = strdup(message);
  }
}

// Calls work(std::string* error) and returns its result. If the result converts
// to false, `work` must have set `*error`. If `work` throws, sets the error and
// returns {}.
template <typename Work>
auto WithoutExceptions(char** errptr, Work work)
    -> decltype(work(static_cast<std::string*>(nullptr))) {
  try {
    std::string error;
    auto result = work(&error);
    if (!result) {
      SetError(error.c_str(), errptr);
    }
    return result;
  } catch (const std::bad_alloc&) {
    SetError("out of memory", errptr);
  } catch (const std::exception& exception) {
    SetError(exception.what(), errptr);
  }
  return {};
}

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_C_C_ERROR_H_
