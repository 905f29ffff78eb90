// See adopt.h.
#include "runtime/world/signals/adopt.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "runtime/os/system_call.h"
#include "runtime/state/memory_map.h"
#include "runtime/state/runtime.h"
#include "runtime/world/signals/queue.h"

namespace heddle::runtime {
namespace {

struct Pending {
  std::uint64_t own = 0, of_process = 0;
};

// The number behind `name` in the text.
std::uint64_t hexadecimal_behind(const char* text, const char* name) {
  const char* at = strstr(text, name);
  if (at == nullptr) return 0;
  at += strlen(name);
  while (*at == ' ' || *at == '\t') ++at;
  return hexadecimal(at);
}

// Only /proc tells the thread's from the process's. Where it can't be read, all are the process's.
Pending pending_in_kernel() {
  std::uint64_t any = 0;
  os::system_call(SYS_rt_sigpending, reinterpret_cast<long>(&any), sizeof any);
  if (any == 0) return {};
  char text[4096];
  const long file =
      os::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/thread-self/status"), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {0, any};
  const long size = os::system_call(SYS_read, file, reinterpret_cast<long>(text), sizeof text - 1);
  os::system_call(SYS_close, file);
  if (size <= 0) return {0, any};
  text[size] = 0;
  return {hexadecimal_behind(text, "SigPnd:"), hexadecimal_behind(text, "ShdPnd:")};
}

}  // namespace

// The kernel gives the thread's own first.
void adopt_pending_signals() {
  for (;;) {
    const Pending pending = pending_in_kernel();
    const bool own = pending.own != 0;
    const std::uint64_t set = own ? pending.own : pending.of_process;
    if (set == 0) return;
    const std::uint64_t lowest = set & (~set + 1);
    const timespec at_once{};
    siginfo_t info{};
    const long signal = os::system_call(SYS_rt_sigtimedwait, reinterpret_cast<long>(&lowest),
                                        reinterpret_cast<long>(&info), reinterpret_cast<long>(&at_once), sizeof lowest);
    if (signal <= 0) return;
    enqueue_signal(own ? runtime.current : kNoTask, static_cast<int>(signal), info, false);
  }
}

}  // namespace heddle::runtime
