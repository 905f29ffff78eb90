// See wait_process.h.
#include "runtime/os/wait_process.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "runtime/os/system_call.h"

namespace heddle::os {
namespace {

constexpr int kExitShift = 8;

// What waitid() says, as wait4() says it.
int as_status(const siginfo_t& info) {
  constexpr int kStopped = 0x7f, kCore = 0x80;
  if (info.si_code == CLD_EXITED) return (info.si_status & 0xff) << kExitShift;
  if (info.si_code == CLD_STOPPED) return (info.si_status & 0xff) << kExitShift | kStopped;
  return info.si_status | (info.si_code == CLD_DUMPED ? kCore : 0);
}

// A child that is traced, as it may have asked for, stops at each signal until its parent lets it go on: no end of it.
bool is_stop_of_traced(int status, int flags) { return WIFSTOPPED(status) && (flags & WUNTRACED) == 0; }

void let_go_on(int process, int status) {
  const int signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
  system_call(SYS_ptrace, PTRACE_CONT, process, 0, signal);
}

}  // namespace

bool wait_process(int process, int& status, int flags) {
  long result = 0;
  do {
    result = system_call(SYS_wait4, process, reinterpret_cast<long>(&status), __WALL | flags, 0);
    const bool goes_on = result == process && is_stop_of_traced(status, flags);
    if (goes_on) let_go_on(process, status);
    if (goes_on) result = -EINTR;
  } while (result == -EINTR);
  if (result == process) return true;
  siginfo_t info{};
  do {
    result = system_call(SYS_waitid, P_PID, process, reinterpret_cast<long>(&info), WEXITED | __WALL | flags, 0);
  } while (result == -EINTR);
  if (result != 0 || info.si_pid != process) return false;
  status = as_status(info);
  return true;
}

}  // namespace heddle::os
