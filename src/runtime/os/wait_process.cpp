// See wait_process.h.
#include "runtime/os/wait_process.h"

#include <errno.h>
#include <signal.h>
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

}  // namespace

bool wait_process(int process, int& status, int flags) {
  long result = 0;
  do {
    result = system_call(SYS_wait4, process, reinterpret_cast<long>(&status), __WALL | flags, 0);
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
