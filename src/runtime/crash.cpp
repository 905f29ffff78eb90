// See crash.h.
#include "runtime/crash.h"

#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

#include "runtime/descriptors.h"
#include "runtime/isolation/dispatch.h"
#include "runtime/isolation/snapshot.h"
#include "runtime/modules.h"
#include "runtime/os/signal_action.h"
#include "runtime/os/system_call.h"
#include "runtime/real.h"
#include "runtime/recorder.h"
#include "runtime/runtime.h"
#include "runtime/stacks.h"

namespace heddle::runtime {
namespace {

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
constexpr std::size_t kStackSize = std::size_t{64} * 1024;

bool dying = false;
Site aborted_at = 0;

// Of abort() the signal tells only where libc, or we in its place, send it.
Site place_of(int signal, Site pc) { return signal == SIGABRT && aborted_at != 0 ? aborted_at : pc; }

// Says all that is known of the crash.
void report_crash(int signal, const siginfo_t* info, Site pc) {
  dying = true;
  runtime.inside = true;
  if (runtime.recording) {
    char text[96];
    const int size = snprintf(text, sizeof text, "%d%c%d%c%p", signal, 0, info->si_code, 0,
                              info->si_code > 0 ? info->si_addr : nullptr);
    record_message(MessageKind::Signal, runtime.current, text, static_cast<std::size_t>(size));
    const Site place = place_of(signal, pc);
    capture_stack_from_signal(runtime.current, has_unwinder() ? pc : place);
    record_fault(runtime.current, place);
    record_changes();
    record_pending();
    publish_modules();
  }
  flush_output();
}

void on_fatal_signal(int signal, siginfo_t* info, void* context_) {
  // A fault in here must not come back here. By the kernel itself: libc's way is watched (isolation/dispatch.h), and
  // under snapshot isolation the fault handler must stay for the pages that are written below.
  for (int fatal : kFatal)
    if (!(on_snapshot() && fatal == SIGSEGV) && !(dispatch_available() && fatal == SIGSYS))
      os::set_default_action(fatal);
  const auto* context = static_cast<const ucontext_t*>(context_);
  if (!dying) report_crash(signal, info, static_cast<Site>(context->uc_mcontext.gregs[REG_RIP]));
  for (int fatal : kFatal) os::set_default_action(fatal);
  stop_dispatch();  // the return from here is a system call
  os::system_call(SYS_tgkill, os::process_id(), os::system_call(SYS_gettid), signal);  // delivered when we return
}

}  // namespace

void handle_fatal_signal(int signal, siginfo_t* info, void* context) { on_fatal_signal(signal, info, context); }

void die_of_signal(int signal, const siginfo_t& info, Site site) {
  if (!dying) report_crash(signal, &info, site);
  die_unheard(signal);
}

void die_unheard(int signal) {
  stop_dispatch();
  os::set_default_action(signal);
  os::replace_signal_mask(0);
  os::system_call(SYS_tgkill, os::process_id(), os::system_call(SYS_gettid), signal);
  os::exit_process(128 + signal);
}

// A fault's place is that of an instruction, here the call's.
void note_abort(Site site) { aborted_at = site - 1; }

bool is_crash_handler(const void* handler) { return handler == reinterpret_cast<const void*>(&on_fatal_signal); }

void use_alternate_signal_stack() {
  stack_t present{};
  if (sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) == 0) return;  // the program has its own
  stack_t stack{};
  stack.ss_sp = os::reserve(kStackSize);
  stack.ss_size = kStackSize;
  if (stack.ss_sp != nullptr) sigaltstack(&stack, nullptr);
}

bool program_has_alternate_stack() {
  stack_t present{};
  os::system_call(SYS_sigaltstack, 0, reinterpret_cast<long>(&present));
  return (present.ss_flags & SS_DISABLE) == 0 && !os::is_reserved(reinterpret_cast<std::uintptr_t>(present.ss_sp));
}

void install_crash_handlers() {
  use_alternate_signal_stack();
  for (int signal : kFatal) {
    struct sigaction present {};
    if (real::sigaction(signal, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_sigaction = on_fatal_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGSEGV);  // by these two a snapshot sees writes and system calls, the handler's too
    sigdelset(&action.sa_mask, SIGSYS);
    real::sigaction(signal, &action, nullptr);
  }
}

}  // namespace heddle::runtime
