// SPDX-License-Identifier: Apache-2.0

#include "filterdb/commands/progress_bar.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace cassandra_bloom::tools {

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), on_terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (shown_) {
    std::fprintf(stderr, "\r\x1b[K");
  }
}

void ProgressBar::Show(uint64_t done, uint64_t all) {
  ShowText(all == 0 ? std::to_string(done / 1000000) + " MB"
                    : std::to_string(100 * done / all) + " %");
}

void ProgressBar::ShowText(const std::string& text) {
  if (!on_terminal_ || Clock::now() < next_) {
    return;
  }
  next_ = Clock::now() + std::chrono::milliseconds(200);
  shown_ = true;
  std::fprintf(stderr, "\r%s: %s", what_.c_str(), text.c_str());
}

}  // namespace cassandra_bloom::tools
