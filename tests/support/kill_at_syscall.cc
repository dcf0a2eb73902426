// SPDX-License-Identifier: Apache-2.0

#include "tests/support/kill_at_syscall.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace cassandra_bloom::testing {
namespace {

constexpr long kChanges[] = {
    SYS_write,     SYS_pwrite64, SYS_writev,    SYS_fsync,
    SYS_fdatasync, SYS_fchown,   SYS_fchmod,    SYS_linkat,
    SYS_unlinkat,  SYS_renameat, SYS_renameat2,
#ifdef SYS_rename  // Newer CPU types have only the calls with "at".
    SYS_link,      SYS_unlink,   SYS_rename,
#endif
};

[[noreturn]] void Exec(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  // LeakSanitizer cannot run in a traced process.
  setenv("ASAN_OPTIONS", "detect_leaks=0", /*overwrite=*/1);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) {
    execv(argv[0], argv.data());
  }
  _exit(127);
}

bool BeginsChange(pid_t thread) {
  struct __ptrace_syscall_info info = {};
  if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info) <= 0 ||
      info.op != PTRACE_SYSCALL_INFO_ENTRY) {
    return false;
  }
  return std::find(std::begin(kChanges), std::end(kChanges),
                   static_cast<long>(info.entry.nr)) != std::end(kChanges);
}

// Lets a stopped thread continue. A signal that stopped the thread is passed to
// it, except for SIGTRAP and SIGSTOP, because ptrace causes these.
void GoOn(pid_t thread, int status) {
  constexpr int kSyscall = SIGTRAP | 0x80;  // Set by PTRACE_O_TRACESYSGOOD.
  const int stop = WSTOPSIG(status);
  const bool is_of_tracing =
      stop == kSyscall || stop == SIGTRAP || stop == SIGSTOP;
  ptrace(PTRACE_SYSCALL, thread, nullptr,
         static_cast<intptr_t>(is_of_tracing ? 0 : stop));
}

}  // namespace

bool KillAtChange(const std::vector<std::string>& arguments, int num_changes) {
  const pid_t pid = fork();
  if (pid == 0) {
    Exec(arguments);
  }
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
      ptrace(PTRACE_SETOPTIONS, pid, nullptr,
             PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE) != 0) {
    throw std::runtime_error("cannot trace " + arguments.front());
  }
  GoOn(pid, status);
  int num_begun = 0;
  for (;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) {
      throw std::runtime_error(std::string("waitpid: ") + strerror(errno));
    }
    if (thread == pid && !WIFSTOPPED(status)) {
      if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        throw std::runtime_error(arguments.front() + " did not start");
      }
      return WIFSIGNALED(status);
    }
    if (!WIFSTOPPED(status)) {
      continue;  // Another thread has ended.
    }
    if (BeginsChange(thread) && ++num_begun == num_changes) {
      kill(pid, SIGKILL);
    } else {
      GoOn(thread, status);
    }
  }
}

}  // namespace cassandra_bloom::testing
