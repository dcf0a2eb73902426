// SPDX-License-Identifier: Apache-2.0

#include "tests/support/run_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "tests/support/temp_dir.h"

extern char** environ;

namespace cassandra_bloom::testing {
namespace {

constexpr char kPreloadVariable[] = "LD_PRELOAD=";

std::vector<std::string> Environment(const std::string& preload) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, kPreloadVariable,
                     sizeof(kPreloadVariable) - 1) != 0) {
      variables.push_back(*variable);
    }
  }
  if (!preload.empty()) {
    variables.push_back(kPreloadVariable + preload);
  }
  return variables;
}

// Returns pointers into `texts`. The last pointer is null, as exec requires.
std::vector<char*> Pointers(std::vector<std::string>* texts) {
  std::vector<char*> pointers;
  for (std::string& text : *texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::ostream& operator<<(std::ostream& stream, const ProcessResult& result) {
  return stream << "exit code " << result.exit_code
                << "\nstdout: " << result.out << "\nstderr: " << result.err;
}

ProcessResult RunProcess(const std::vector<std::string>& arguments,
                         const std::string& preload) {
  // Output goes to files, because a full pipe would block the program.
  const TempDir dir;
  const std::string out = dir / "stdout";
  const std::string err = dir / "stderr";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                   0);
  constexpr int kNewFile = O_WRONLY | O_CREAT | O_APPEND;
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), kNewFile,
                                   0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), kNewFile,
                                   0600);
  std::vector<std::string> argument_texts = arguments;
  std::vector<std::string> variable_texts = Environment(preload);
  const std::vector<char*> argv = Pointers(&argument_texts);
  const std::vector<char*> envp = Pointers(&variable_texts);

  ProcessResult result;
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, argv[0], &files, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    result.err = std::string("not started: ") + std::strerror(error);
    return result;
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  result.out = ReadFile(out);
  result.err = ReadFile(err);
  return result;
}

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace cassandra_bloom::testing
