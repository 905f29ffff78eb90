// Signals that the program's threads send each other past libc's functions (those are in intercept/signals.cpp).
// Signals that the library uses for itself, and the end by abort() that no handler sees, go to the kernel, with the
// kernel's id of the process.
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include "model/interrupts.h"
#include "runtime/calls/dispatch.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/operation.h"
#include "runtime/state/process_ids.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/signals/actions.h"
#include "runtime/world/signals/deliver.h"
#include "runtime/world/signals/masks.h"
#include "runtime/world/signals/outside.h"
#include "runtime/world/signals/post.h"
#include "runtime/world/signals/waits.h"

namespace heddle::runtime {
namespace {

constexpr int kLast = 64;
constexpr int kFirstOfLibrary = 32, kLastOfLibrary = 33;  // SIGCANCEL, SIGSETXID

bool is_modelled_signal(long signal) {
  if (!signals_are_virtual() || signal == kFirstOfLibrary || signal == kLastOfLibrary) return false;
  return signal != SIGABRT || !ends_process(SIGABRT);
}

long send(TaskId target, long signal, int code, sigval value, Site site) {
  if (signal < 0 || signal > kLast) return -EINVAL;
  return -send_signal(target, own_signal(static_cast<int>(signal), code, value), site);
}

// `thread`: the argument that names one, -1: none does.
long pass_on(SystemCall call, int process, int thread) {
  if (process >= 0) call.arguments[process] = real_process_id(static_cast<int>(call.arguments[process]));
  // The kernel knows one of us only; of signals that end the process it does not matter who takes them.
  if (thread >= 0 && task_with_number(static_cast<int>(call.arguments[thread])) != kNoTask)
    call.arguments[thread] = os::system_call(SYS_gettid);
  const long result = pass(call);
  take_outside_signals();  // to the group, which the program is in
  return result;
}

// What libc asks the kernel for, the process's number among it, is as the kernel has it.
long send_to_task(long thread, long signal, int code, sigval value, Site site) {
  const TaskId task = task_with_number(static_cast<int>(thread));
  if (task == kNoTask) return thread > 0 ? -ESRCH : -EINVAL;
  return send(task, signal, code, value, site);
}

siginfo_t info_at(long address) {
  siginfo_t info;
  memcpy(&info, reinterpret_cast<const void*>(address), sizeof info);
  return info;
}

bool is_ours(long process) { return is_own_process(static_cast<int>(process)); }

// kill(0), killpg(): with the others of its group, who are ended when it has ended, the process itself.
bool ends_own_group(int process, int signal) {
  if (process > 0 || process == -1 || signal <= 0 || signal > kLast || !is_modelled_signal(signal)) return false;
  const bool is_own = process == 0 || is_ours(-process) || -process == os::system_call(SYS_getpgid, 0);
  const bool open = (signal_mask() & model::signal_bit(signal)) == 0;
  return is_own && open && ends_process(signal);
}

}  // namespace

long perform_kill(const SystemCall& call, Site site) {
  const long* const a = call.arguments;
  if (ends_own_group(static_cast<int>(a[0]), static_cast<int>(a[1]))) return send(kNoTask, a[1], SI_USER, {}, site);
  if (!is_ours(a[0]) || !is_modelled_signal(a[1])) return pass_on(call, 0, -1);
  return send(kNoTask, a[1], SI_USER, {}, site);
}

long perform_thread_kill(const SystemCall& call, Site site) {
  const bool with_process = call.number == SYS_tgkill;
  const long* const a = call.arguments + (with_process ? 1 : 0);
  const long process = with_process ? call.arguments[0] : shown_process_id();
  if (is_ours(process) && a[1] == SIGABRT && ends_process(SIGABRT)) os::leave_no_core();
  if (!is_ours(process) || !is_modelled_signal(a[1])) return pass_on(call, with_process ? 0 : -1, with_process ? 1 : 0);
  return send_to_task(a[0], a[1], SI_TKILL, {}, site);
}

long perform_signal_queue(const SystemCall& call, Site site) {
  const long* const a = call.arguments;
  if (!is_ours(a[0]) || !is_modelled_signal(a[1]) || a[2] == 0) return pass_on(call, 0, -1);
  const siginfo_t info = info_at(a[2]);
  return send(kNoTask, a[1], info.si_code, info.si_value, site);
}

long perform_thread_signal_queue(const SystemCall& call, Site site) {
  const long* const a = call.arguments;
  if (!is_ours(a[0]) || !is_modelled_signal(a[2]) || a[3] == 0) return pass_on(call, 0, 1);
  const siginfo_t info = info_at(a[3]);
  return send_to_task(a[1], a[2], info.si_code, info.si_value, site);
}

long perform_signal_wait(const SystemCall& call, Site site) {
  const long* const a = call.arguments;
  if (!signals_are_virtual()) return pass(call);
  if (a[3] != sizeof(std::uint64_t)) return -EINVAL;
  return wait_for_signal(reinterpret_cast<const sigset_t*>(a[0]), reinterpret_cast<siginfo_t*>(a[1]),
                         reinterpret_cast<const timespec*>(a[2]), site);
}

long perform_signal_suspend(const SystemCall& call, Site site) {
  const long* const a = call.arguments;
  if (!signals_are_virtual()) return pass(call);
  if (a[1] != sizeof(std::uint64_t)) return -EINVAL;
  if (!is_readable(a[0], sizeof(std::uint64_t))) return -EFAULT;
  std::uint64_t mask = 0;
  memcpy(&mask, reinterpret_cast<const void*>(a[0]), sizeof mask);
  return suspend_under_mask(mask, site);
}

long perform_pause(const SystemCall& call, Site site) {
  return signals_are_virtual() ? suspend_under_mask(signal_mask(), site) : pass(call);
}

}  // namespace heddle::runtime
