// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/commands/mend/stop_at_changes.h"

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
#include <iterator>
#include <stdexcept>

namespace cassandra_bloom::testing {
namespace {

// With PTRACE_O_TRACESYSGOOD, this marks a stop at a system call.
constexpr int kSystemCall = 0x80;

constexpr uint64_t kChanges[] = {
    SYS_write,    SYS_pwrite64,  SYS_writev,    SYS_copy_file_range,
    SYS_sendfile, SYS_ftruncate, SYS_fsync,     SYS_fdatasync,
    SYS_fchown,   SYS_fchmod,    SYS_utimensat, SYS_linkat,
    SYS_unlinkat, SYS_renameat2, SYS_mkdirat,
#ifdef SYS_renameat  // 64-bit RISC-V has only renameat2.
    SYS_renameat,
#endif
#ifdef SYS_rename  // Newer CPU types have only the calls with "at".
    SYS_link,     SYS_unlink,    SYS_rename,    SYS_mkdir,
    SYS_rmdir,
#endif
};

// Returns whether a system call changes something.
bool IsChange(uint64_t number, const uint64_t* arguments) {
  constexpr uint64_t kChangingFlags = O_CREAT | O_TRUNC;
  if (number == SYS_openat) {
    return (arguments[2] & kChangingFlags) != 0;
  }
#ifdef SYS_open
  if (number == SYS_open) {
    return (arguments[1] & kChangingFlags) != 0;
  }
#endif
  return std::find(std::begin(kChanges), std::end(kChanges), number) !=
         std::end(kChanges);
}

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

// A thread stops where a system call begins and where it ends.
bool BeginsChange(pid_t thread, int status) {
  if (WSTOPSIG(status) != (SIGTRAP | kSystemCall)) {
    return false;
  }
  __ptrace_syscall_info call;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(call), &call) <= 0) {
    if (errno == ESRCH) {  // Killed meanwhile.
      return false;
    }
    throw std::runtime_error(std::string("PTRACE_GET_SYSCALL_INFO: ") +
                             strerror(errno));
  }
  return call.op == PTRACE_SYSCALL_INFO_ENTRY &&
         IsChange(call.entry.nr, call.entry.args);
}

// Lets a stopped thread continue, up to its next system call. A signal that
// stopped the thread is passed to it, except for SIGTRAP and SIGSTOP, because
// ptrace causes these.
void GoOn(pid_t thread, int status) {
  const int stop = WSTOPSIG(status);
  const bool is_of_tracing =
      (stop & ~kSystemCall) == SIGTRAP || stop == SIGSTOP;
  ptrace(PTRACE_SYSCALL, thread, nullptr,
         static_cast<intptr_t>(is_of_tracing ? 0 : stop));
}

}  // namespace

int StopAtChanges(const std::vector<std::string>& arguments,
                  const std::function<void()>& stopped) {
  const pid_t pid = fork();
  if (pid == 0) {
    Exec(arguments);
  }
  int status = 0;
  // A traced process stops when it has become another program.
  if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
      ptrace(PTRACE_SETOPTIONS, pid, nullptr,
             PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) !=
          0) {
    throw std::runtime_error("cannot start or trace " + arguments.front());
  }
  GoOn(pid, status);
  for (;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) {
      throw std::runtime_error(std::string("waitpid: ") + strerror(errno));
    }
    if (WIFSTOPPED(status)) {
      if (BeginsChange(thread, status)) {
        stopped();
      }
      GoOn(thread, status);
    } else if (thread == pid) {  // Otherwise another thread has ended.
      if (!WIFEXITED(status) || WEXITSTATUS(status) == 127) {
        throw std::runtime_error(arguments.front() + " did not run to its end");
      }
      return WEXITSTATUS(status);
    }
  }
}

}  // namespace cassandra_bloom::testing
