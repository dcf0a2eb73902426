// SPDX-License-Identifier: Apache-2.0

#include "filterdb/tests/commands/mend/stop_at_changes.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace cassandra_bloom::testing {
namespace {

constexpr uint32_t kChanges[] = {
    SYS_write,       SYS_pwrite64,  SYS_writev,    SYS_copy_file_range,
    SYS_sendfile,    SYS_ftruncate, SYS_fsync,     SYS_fdatasync,
    SYS_fchown,      SYS_fchmod,    SYS_utimensat, SYS_linkat,
    SYS_unlinkat,    SYS_renameat2, SYS_mkdirat,
#ifdef SYS_renameat  // 64-bit RISC-V has only renameat2.
    SYS_renameat,
#endif
#ifdef SYS_rename  // Newer CPU types have only the calls with "at".
    SYS_link,        SYS_unlink,    SYS_rename,    SYS_mkdir,
    SYS_rmdir,
#endif
#ifdef SYS_fchown32  // 32-bit CPU types have a second form of some calls.
    SYS_fchown32,
#endif
#ifdef SYS_ftruncate64
    SYS_ftruncate64,
#endif
};

struct Open {
  uint32_t number;
  uint32_t flags_argument;
};
constexpr Open kOpens[] = {
    {SYS_openat, 2},
#ifdef SYS_open
    {SYS_open, 1},
#endif
};
// The flags with which opening changes something.
constexpr uint32_t kChangingFlags = O_CREAT | O_TRUNC;

// Returns a program that is run by the kernel at each system call of the traced
// process. The process stops only at calls that change something, because a
// stop at each call would take most of the time of a test.
std::vector<sock_filter> FilterOfChanges() {
  constexpr sock_filter kStop = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
  constexpr sock_filter kGoOn = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  constexpr uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS;
  constexpr uint16_t kSkipUnlessEqual = BPF_JMP | BPF_JEQ | BPF_K;
  constexpr uint16_t kSkipUnlessSet = BPF_JMP | BPF_JSET | BPF_K;
  std::vector<sock_filter> filter = {
      BPF_STMT(kLoad, offsetof(seccomp_data, nr))};
  for (const uint32_t number : kChanges) {
    filter.push_back(BPF_JUMP(kSkipUnlessEqual, number, 0, 1));
    filter.push_back(kStop);
  }
  // An argument has 64 bits, but the filter loads only 32.
  constexpr uint32_t kLowHalf =
      __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : sizeof(uint32_t);
  for (const Open& open : kOpens) {
    const auto flags = static_cast<uint32_t>(
        offsetof(seccomp_data, args) +
        open.flags_argument * sizeof(seccomp_data::args[0]) + kLowHalf);
    filter.push_back(BPF_JUMP(kSkipUnlessEqual, open.number, 0, 4));
    filter.push_back(BPF_STMT(kLoad, flags));
    filter.push_back(BPF_JUMP(kSkipUnlessSet, kChangingFlags, 0, 1));
    filter.push_back(kStop);
    filter.push_back(kGoOn);
  }
  filter.push_back(kGoOn);
  return filter;
}

// Returns whether this process will stop at its changes. The kernel takes a
// filter only from a process whose programs get no new privileges, or from
// root.
bool AskToBeStopped() {
  std::vector<sock_filter> filter = FilterOfChanges();
  const sock_fprog program = {static_cast<unsigned short>(filter.size()),
                              filter.data()};
  return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 &&
         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
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
  if (AskToBeStopped()) {
    execv(argv[0], argv.data());
  }
  _exit(127);
}

bool BeginsChange(int status) {
  return status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8);
}

// Lets a stopped thread continue. A signal that stopped the thread is passed to
// it, except for SIGTRAP and SIGSTOP, because ptrace causes these.
void GoOn(pid_t thread, int status) {
  const int stop = WSTOPSIG(status);
  const bool is_of_tracing = stop == SIGTRAP || stop == SIGSTOP;
  ptrace(PTRACE_CONT, thread, nullptr,
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
             PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) !=
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
      if (BeginsChange(status)) {
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
