// Signals: sending, masks, waiting. See world/signals/deliver.h.
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model/interrupts.h"
#include "runtime/carrier/threads.h"
#include "runtime/intercept/calls.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/start_mark.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/world/signals/actions.h"
#include "runtime/world/signals/alternate_stack.h"
#include "runtime/world/signals/change_action.h"
#include "runtime/world/signals/deliver.h"
#include "runtime/world/signals/masks.h"
#include "runtime/world/signals/outside.h"
#include "runtime/world/signals/post.h"
#include "runtime/world/signals/queue.h"
#include "runtime/world/signals/timers.h"
#include "runtime/world/signals/waits.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr int kLast = 64;
constexpr int kFirstOfLibrary = 32, kLastOfLibrary = 33;  // SIGCANCEL, SIGSETXID

bool in_model() { return signals_are_modelled(); }

bool exists(int signal) { return signal >= 0 && signal <= kLast; }
bool of_library(int signal) { return signal == kFirstOfLibrary || signal == kLastOfLibrary; }

std::uint64_t bits_of(const sigset_t* set) {
  std::uint64_t bits = 0;
  memcpy(&bits, set, sizeof bits);
  return bits;
}

// As libc does: the rest of the set is not touched.
void set_bits(sigset_t* set, std::uint64_t bits) { memcpy(set, &bits, sizeof bits); }

int send_to_thread(pthread_t thread, int signal, int code, sigval value, Site site) {
  if (of_library(signal)) return EINVAL;
  const TaskId task = known_task_of(thread, site);
  if (!exists(signal)) return EINVAL;
  return task == kNoTask ? ESRCH : send_signal(task, own_signal(signal, code, value), site);
}

int send_to_process(int signal, int code, sigval value, Site site) {
  return exists(signal) ? send_signal(kNoTask, own_signal(signal, code, value), site) : EINVAL;
}

// Blocks or unblocks one signal: 0 or an errno value.
int change_mask_of(int how, int signal, Site site) {
  if (!exists(signal) || signal == 0 || of_library(signal)) return EINVAL;
  sigset_t set;
  sigemptyset(&set);
  set_bits(&set, model::signal_bit(signal));
  return change_mask(how, &set, nullptr, site);
}

// The interface of BSD: the first 32 signals. Returns those that were blocked before.
int change_old_mask(int how, int mask, Site site) {
  const auto before = static_cast<int>(signal_mask());
  sigset_t set;
  sigemptyset(&set);
  set_bits(&set, static_cast<unsigned>(mask));
  change_mask(how, &set, nullptr, site);
  return before;
}

// siglongjmp() puts a mask back. Where that lets signals come that wait, their handlers run first.
void before_jump(__jmp_buf_tag* place, Site site) {
  if (!in_model() || place->__mask_was_saved == 0 || is_foreign_thread()) return;
  const std::uint64_t opened = signal_mask() & ~bits_of(&place->__saved_mask);
  const model::World& world = *heddle::runtime::runtime.world;
  const std::uint64_t arrived = world.signals().arrived(world.task(current_task()));
  if ((arrived & opened) != 0) change_mask(SIG_SETMASK, &place->__saved_mask, nullptr, site);
}

int or_errno(int result) {
  if (result >= 0) return result;
  errno = -result;
  return -1;
}

void before_action(Site site) { perform(OperationKind::SignalAction, kNoObject, site); }

void after_action(int signal) {
  if (signal <= 0 || !exists(signal)) return;
  if (ignores(signal))
    drop_signals(signal);
  else
    poll_children(model::signal_bit(signal));
  on_timer_action_changed(model::signal_bit(signal));
  check_fault_actions();
}

}  // namespace

bool signals_are_modelled() { return controlled() && signals_are_virtual(); }

int change_mask(int how, const sigset_t* set, sigset_t* old, Site site) {
  const std::uint64_t before = signal_mask();
  if (old != nullptr && !can_write(old, sizeof before)) return EFAULT;
  if (set != nullptr) {
    const std::uint64_t library =
        model::signal_bit(kFirstOfLibrary) | model::signal_bit(kLastOfLibrary);  // libc never blocks these
    const std::uint64_t bits = bits_of(set) & ~library;
    if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
    const std::uint64_t after = how == SIG_BLOCK ? before | bits : how == SIG_UNBLOCK ? before & ~bits : bits;
    if (old != nullptr) set_bits(old, before);
    change_signal_mask(after, site);
    return 0;
  }
  if (old != nullptr) set_bits(old, before);
  return 0;
}

}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_kill(pthread_t thread, int signal) {
  if (!in_model()) return real::pthread_kill(thread, signal);
  return send_to_thread(thread, signal, SI_TKILL, {}, HEDDLE_CALLER);
}

HEDDLE_EXPORT int pthread_sigqueue(pthread_t thread, int signal, const sigval value) {
  if (!in_model()) return real::pthread_sigqueue(thread, signal, value);
  return send_to_thread(thread, signal, SI_QUEUE, value, HEDDLE_CALLER);
}

HEDDLE_EXPORT int raise(int signal) {
  if (!in_model()) return real::raise(signal);
  return through_errno(send_to_thread(own_handle(), signal, SI_TKILL, {}, HEDDLE_CALLER));
}

HEDDLE_EXPORT int kill(pid_t process, int signal) {
  if (!in_model() || !is_own_process(process)) return real::kill(real_process_id(process), signal);
  return through_errno(send_to_process(signal, SI_USER, {}, HEDDLE_CALLER));
}

HEDDLE_EXPORT int sigqueue(pid_t process, int signal, const sigval value) {
  if (!in_model() || !is_own_process(process)) return real::sigqueue(real_process_id(process), signal, value);
  return through_errno(send_to_process(signal, SI_QUEUE, value, HEDDLE_CALLER));
}

HEDDLE_EXPORT int tgkill(pid_t process, pid_t thread, int signal) {
  if (!in_model() || !is_own_process(process)) return real::tgkill(real_process_id(process), thread, signal);
  if (!exists(signal)) return through_errno(EINVAL);
  const TaskId task = task_with_number(thread);
  if (task == kNoTask) return through_errno(thread > 0 ? ESRCH : EINVAL);
  return through_errno(send_signal(task, own_signal(signal, SI_TKILL), HEDDLE_CALLER));
}

HEDDLE_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  if (!in_model()) return real::pthread_sigmask(how, set, old);
  return change_mask(how, set, old, HEDDLE_CALLER);
}

HEDDLE_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) {
  if (!in_model()) return real::sigprocmask(how, set, old);
  return through_errno(change_mask(how, set, old, HEDDLE_CALLER));
}

HEDDLE_EXPORT int sigblock(int mask) {
  if (!in_model()) return real::sigblock(mask);
  return change_old_mask(SIG_BLOCK, mask, HEDDLE_CALLER);
}

HEDDLE_EXPORT int sigsetmask(int mask) {
  if (!in_model()) return real::sigsetmask(mask);
  return change_old_mask(SIG_SETMASK, mask, HEDDLE_CALLER);
}

HEDDLE_EXPORT int sighold(int signal) {
  if (!in_model()) return real::sighold(signal);
  return through_errno(change_mask_of(SIG_BLOCK, signal, HEDDLE_CALLER));
}

HEDDLE_EXPORT int sigrelse(int signal) {
  if (!in_model()) return real::sigrelse(signal);
  return through_errno(change_mask_of(SIG_UNBLOCK, signal, HEDDLE_CALLER));
}

HEDDLE_EXPORT int sigpending(sigset_t* set) {
  if (!in_model()) return real::sigpending(set);
  if (!can_write(set, sizeof(std::uint64_t))) return through_errno(EFAULT);
  perform(OperationKind::SignalPending, heddle::runtime::runtime.world->task(current_task()).thread, HEDDLE_CALLER);
  const model::World& world = *heddle::runtime::runtime.world;
  set_bits(set, world.signals().arrived(world.task(current_task())) & signal_mask());
  return 0;
}

HEDDLE_EXPORT int sigwait(const sigset_t* set, int* signal) {
  if (!in_model()) return real::sigwait(set, signal);
  int result = 0;
  do result = wait_for_signal(set, nullptr, nullptr, HEDDLE_CALLER);
  while (result == -EINTR);  // as glibc
  if (result < 0) return -result;
  *signal = result;
  return 0;
}

HEDDLE_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!in_model()) return real::sigwaitinfo(set, info);
  return or_errno(wait_for_signal(set, info, nullptr, HEDDLE_CALLER));
}

HEDDLE_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  if (!in_model()) return real::sigtimedwait(set, info, timeout);
  return or_errno(wait_for_signal(set, info, timeout, HEDDLE_CALLER));
}

HEDDLE_EXPORT int sigsuspend(const sigset_t* mask) {
  if (!in_model()) return real::sigsuspend(mask);
  if (!can_read(mask, sizeof(std::uint64_t))) return through_errno(EFAULT);
  return or_errno(suspend_under_mask(bits_of(mask), HEDDLE_CALLER));
}

HEDDLE_EXPORT int pause() {
  if (!in_model()) return real::pause();
  return or_errno(suspend_under_mask(signal_mask(), HEDDLE_CALLER));
}

HEDDLE_EXPORT int sigaction(int signal, const struct sigaction* action, struct sigaction* old) {
  if (!in_model() || !exists(signal) || of_library(signal)) return real::sigaction(signal, action, old);
  if (action == nullptr) return change_action(signal, action, old);
  before_action(HEDDLE_CALLER);
  const int result = change_action(signal, action, old);
  after_action(signal);
  return result;
}

HEDDLE_EXPORT sighandler_t signal(int number, sighandler_t handler) {
  if (!in_model()) return real::signal(number, handler);
  before_action(HEDDLE_CALLER);
  const sighandler_t result = real::signal(number, handler);
  after_action(number);
  return result;
}

#define HEDDLE_JUMP(name, jump)                              \
  HEDDLE_EXPORT void name(__jmp_buf_tag* place, int value) { \
    before_jump(place, HEDDLE_CALLER);                       \
    real::jump(place, value);                                \
    __builtin_unreachable();                                 \
  }                                                          \
  static_assert(true)

HEDDLE_JUMP(siglongjmp, siglongjmp);
HEDDLE_JUMP(longjmp, longjmp);
HEDDLE_JUMP(_longjmp, _longjmp);
HEDDLE_JUMP(__longjmp_chk, longjmp_chk);  // the same, where the program was built with checks (_FORTIFY_SOURCE)

HEDDLE_EXPORT sighandler_t sigset(int number, sighandler_t handler) {
  const auto kHold = reinterpret_cast<sighandler_t>(2);  // SIG_HOLD
  if (!in_model() || !exists(number) || number == 0 || of_library(number)) return real::sigset(number, handler);
  const bool was_blocked = (signal_mask() & model::signal_bit(number)) != 0;
  struct sigaction action = {}, old = {};
  action.sa_handler = handler;
  before_action(HEDDLE_CALLER);
  if (change_action(number, handler == kHold ? nullptr : &action, &old) != 0) return SIG_ERR;
  if (handler != kHold) after_action(number);
  change_mask_of(handler == kHold ? SIG_BLOCK : SIG_UNBLOCK, number, HEDDLE_CALLER);
  return was_blocked ? kHold : old.sa_handler;
}

HEDDLE_EXPORT int sigaltstack(const stack_t* wanted, stack_t* old) {
  if (!controlled()) return real::sigaltstack(wanted, old);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return static_cast<int>(as_libc_returns(change_alternate_stack(wanted, old, here)));
}

HEDDLE_EXPORT int signalfd(int descriptor, const sigset_t* set, int flags) {
  if (!controlled()) return real::signalfd(descriptor, set, flags);
  // Who reads signals from a descriptor may wait for them before there is a thread.
  if (runtime::runtime.mode == Mode::Alone && !start_mark_wanted()) begin_branching();
  const SystemCall call{SYS_signalfd4, {descriptor, reinterpret_cast<long>(set), sizeof(std::uint64_t), flags}};
  return static_cast<int>(as_libc_returns(is_modelled(call) ? perform_system_call(call, HEDDLE_CALLER) : pass(call)));
}
