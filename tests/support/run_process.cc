// SPDX-License-Identifier: Apache-2.0

#include "tests/support/run_process.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "tests/support/temp_dir.h"

namespace cassandra_bloom::testing {

std::ostream& operator<<(std::ostream& stream, const ProcessResult& result) {
  return stream << "exit code " << result.exit_code
                << "\nstdout: " << result.out << "\nstderr: " << result.err;
}

ProcessResult RunProcess(const std::vector<std::string>& arguments,
                         const std::string& preload,
                         unsigned time_limit_in_seconds) {
  const TempDir dir;
  // Output goes to files, because a full pipe would block the program. The
  // shell, timeout and env must not get LD_PRELOAD.
  std::vector<std::string> words = {
      "/bin/sh",
      "-c",
      R"(exec timeout --foreground -s KILL "$@" </dev/null >>"$0/out" 2>>"$0/err")",
      dir.path(),
      std::to_string(time_limit_in_seconds),
      "env",
      "-u",
      "LD_PRELOAD"};
  if (!preload.empty()) {
    words.push_back("LD_PRELOAD=" + preload);
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  // LD_PRELOAD takes no path with a space or colon, which the build folder may
  // have.
  const std::string build = CASSANDRA_BLOOM_BUILD "/";
  const std::string link = dir / "build/";
  std::filesystem::create_directory_symlink(build, dir / "build");
  std::vector<char*> argv;
  for (std::string& word : words) {
    size_t at = word.rfind("LD_PRELOAD=", 0);
    while (at != std::string::npos &&
           (at = word.find(build, at)) != std::string::npos) {
      word.replace(at, build.size(), link);
      at += link.size();
    }
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), environ) != 0) {
    throw std::runtime_error("cannot start /bin/sh");
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          ReadFile(dir / "out"), ReadFile(dir / "err")};
}

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string Sha256(const std::string& bytes) {
  const TempDir dir;
  WriteFile(dir / "bytes", bytes);
  const std::string line = RunProcess({"sha256sum", dir / "bytes"}).out;
  if (line.size() < 64) {
    throw std::runtime_error("sha256sum does not work");
  }
  return line.substr(0, 64);
}

}  // namespace cassandra_bloom::testing
