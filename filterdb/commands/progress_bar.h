// SPDX-License-Identifier: Apache-2.0

// Tested in filterdb/tests/commands/build_test.cc.

#ifndef CASSANDRA_BLOOM_FILTERDB_COMMANDS_PROGRESS_BAR_H_
#define CASSANDRA_BLOOM_FILTERDB_COMMANDS_PROGRESS_BAR_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace cassandra_bloom::tools {

// Shows the progress of work in a line on stderr, if the work takes more than a
// second. Shows nothing if stderr is not a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::string what);
  ~ProgressBar();  // Clears the line.

  // Shows how much of the work is done: `done` of `all`. If `all` is 0, the
  // total is unknown, and `done` is a number of bytes.
  void Show(uint64_t done, uint64_t all);
  void ShowText(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;

  const std::string what_;
  const bool on_terminal_;
  bool shown_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace cassandra_bloom::tools

#endif  // CASSANDRA_BLOOM_FILTERDB_COMMANDS_PROGRESS_BAR_H_
