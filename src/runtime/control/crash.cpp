// See crash.h.
#include "runtime/control/crash.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "protocol/page.h"
#include "protocol/records.h"
#include "runtime/calls/dispatch.h"
#include "runtime/calls/program_faults.h"
#include "runtime/os/real.h"
#include "runtime/os/signal_action.h"
#include "runtime/os/system_call.h"
#include "runtime/patch/atomics.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/carrier.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/address_space.h"
#include "runtime/state/modules.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/descriptors.h"
#include "runtime/world/signals/alternate_stack.h"
#include "runtime/world/streams.h"

namespace heddle::runtime {
namespace {

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

// Where it happened: at an instruction, or at a call, by where that would have returned to.
struct Place {
  Site instruction = 0;
  Site call = 0;
};

// Of abort() the signal tells only where libc, or we in its place, send it.
Site place_of(int signal, Site pc) { return signal == SIGABRT && runtime.aborted_at != 0 ? runtime.aborted_at : pc; }

// Does the signal come from a process that the program has no part in? Those that it has started are in its group, if
// they are there still.
bool is_from_outside(const siginfo_t& info) {
  if (info.si_code != SI_USER && info.si_code != SI_QUEUE && info.si_code != SI_TKILL) return false;
  if (is_own_process(info.si_pid)) return false;
  return os::system_call(SYS_getpgid, info.si_pid) != os::system_call(SYS_getpgid, 0);
}

// The stack pointer stands where no memory is, right below where some is; or, behind a large frame, the access is in
// the gap between this stack and the one that the stack pointer stands in.
bool is_stack_overflow(const siginfo_t& info, std::uintptr_t stack_pointer) {
  constexpr std::uintptr_t kPage = kPageBytes, kNear = 16 * kPage, kPushed = 8, kRedZone = 128,
                           kFrame = std::uintptr_t{1} << 24;
  if (info.si_signo != SIGSEGV || info.si_code <= 0 || info.si_code == SI_KERNEL) return false;
  const auto readable = [](std::uintptr_t at) {
    return can_read(reinterpret_cast<const void*>(at & ~(kPushed - 1)), kPushed);
  };
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (address + kRedZone < stack_pointer || address > stack_pointer + kFrame || readable(address)) return false;
  if (is_task_stack(address) && is_task_stack(stack_pointer)) return true;
  if (readable(stack_pointer - kPushed)) return false;
  for (std::uintptr_t distance = 0; distance <= kNear; distance += kPage)
    if (readable(stack_pointer + distance)) return true;
  return false;
}

void record_signal(int signal, const siginfo_t& info, std::uintptr_t stack_pointer) {
  const char* const sender = is_from_outside(info) ? SignalText::kOutside : "";
  const char* const cause = is_stack_overflow(info, stack_pointer) ? SignalText::kStackOverflow : "";
  char text[128];
  const int size = snprintf(text, sizeof text, "%d%c%d%c%p%c%s%c%s", signal, 0, info.si_code, 0,
                            info.si_code > 0 ? info.si_addr : nullptr, 0, sender, 0, cause);
  record_message(MessageKind::Signal, runtime.current, text, static_cast<std::size_t>(size));
}

Site capture(int signal, const Place& place) {
  if (place.call != 0) return capture_stack_of_call(runtime.current, place.call);
  const Site site = place_of(signal, place.instruction);
  capture_stack_from_signal(runtime.current, has_unwinder() ? place.instruction : site);
  return site;
}

// Says all that is known of the crash.
void report_crash(int signal, const siginfo_t& info, const Place& place, std::uintptr_t stack_pointer = 0) {
  runtime.dying = true;
  runtime.inside = true;
  if (runtime.recording) {
    record_signal(signal, info, stack_pointer);
    record_fault(runtime.current, capture(signal, place));
    record_changes();
    record_pending();
    publish_modules();
  }
  flush_output();
}

// A call through a pointer that leads to no code: the place is that of the call, which has left where it returns to.
Site called_from(const greg_t* registers) {
  constexpr greg_t kPageFault = 14, kFetch = 16;  // bit of the page fault's error code
  const auto* const top = reinterpret_cast<const Site*>(registers[REG_RSP]);
  const bool fetched = registers[REG_TRAPNO] == kPageFault && (registers[REG_ERR] & kFetch) != 0;
  return fetched && can_read(top) ? *top : 0;
}

void report_fault(int signal, const siginfo_t& info, const greg_t* registers) {
  const Place place{unpatched_site(static_cast<Site>(registers[REG_RIP])), called_from(registers)};
  report_crash(signal, info, place, static_cast<std::uintptr_t>(registers[REG_RSP]));
}

}  // namespace

void handle_fatal_signal(int signal, siginfo_t* info, void* context_) {
  // A fault in here must not come back here. By the kernel itself: libc's way is watched (calls/dispatch.h), and
  // the handler of SIGSEGV must stay for the pages of a snapshot that are written below, and for damaged stacks.
  for (int fatal : kFatal)
    if (!(catches_faults() && fatal == SIGSEGV) && !(dispatch_available() && fatal == SIGSYS))
      os::set_default_action(fatal);
  auto* const context = static_cast<ucontext_t*>(context_);
  // It will end: the registers serve for nothing else than to say where it was, and how it came there.
  greg_t* const registers = context->uc_mcontext.gregs;
  registers[REG_RIP] = static_cast<greg_t>(unpatched_site(static_cast<Site>(registers[REG_RIP])));
  if (!runtime.dying) report_fault(signal, *info, registers);
  for (int fatal : kFatal) os::set_default_action(fatal);
  os::leave_no_core();
  stop_dispatch();  // the return from here is a system call
  os::system_call(SYS_tgkill, os::process_id(), os::system_call(SYS_gettid), signal);  // delivered when we return
}

// A handler that sends the signal of its fault again, as test frameworks do: what counts is where the fault was.
void die_of_signal(int signal, const siginfo_t& info, Site site) {
  const TakenFault fault = info.si_code <= 0 ? fault_in_handler(signal) : TakenFault();
  if (!runtime.dying && fault.info != nullptr)
    report_fault(signal, *fault.info, fault.context->uc_mcontext.gregs);
  else if (!runtime.dying)
    report_crash(signal, info, {0, site});
  die_silently(signal);
}

void die_silently(int signal) {
  os::leave_no_core();
  stop_dispatch();
  os::set_default_action(signal);
  os::replace_signal_mask(0);
  os::system_call(SYS_tgkill, os::process_id(), os::system_call(SYS_gettid), signal);
  os::exit_process(128 + signal);
}

void install_crash_handlers() {
  adopt_alternate_stack();
  check_fault_actions();
  make_first_signal_stack();
  for (int signal : kFatal) {
    struct sigaction present {};
    if (real::sigaction(signal, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_sigaction = handle_fatal_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGSEGV);  // by these two a snapshot sees writes and system calls, the handler's too
    sigdelset(&action.sa_mask, SIGSYS);
    real::sigaction(signal, &action, nullptr);
  }
}

}  // namespace heddle::runtime
