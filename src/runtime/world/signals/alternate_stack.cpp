// See alternate_stack.h.
#include "runtime/world/signals/alternate_stack.h"

#include <errno.h>
#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

#include "runtime/os/signal_action.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

namespace heddle::runtime {

constinit ExecutionSignalStacks execution_signal_stacks{};

namespace {

constexpr std::size_t kStackSize = std::size_t{64} * 1024;  // of the runtime's own
struct ProcessSignalStack {
  void* first = nullptr;  // of the kernel thread that was there first
};
constinit ProcessSignalStack process_signal_stack{};

constexpr int kFlags = static_cast<int>(SS_AUTODISARM);  // the others say what is wanted, or how it stands
constexpr stack_t kNone{nullptr, SS_DISABLE, 0};
constexpr std::size_t kMin = 2048;  // MINSIGSTKSZ, which glibc no longer calls a constant

std::uintptr_t begin_of(const stack_t& stack) { return reinterpret_cast<std::uintptr_t>(stack.ss_sp); }

// Is it there that the task runs? Where it is disarmed by itself, the kernel doesn't ask.
bool is_on(const stack_t& stack, std::uintptr_t stack_pointer) {
  return (stack.ss_flags & kFlags) == 0 && stack.ss_size != 0 && stack_pointer > begin_of(stack) &&
         stack_pointer - begin_of(stack) <= stack.ss_size;
}

stack_t in_kernel() {
  stack_t present{};
  os::system_call(SYS_sigaltstack, 0, reinterpret_cast<long>(&present));
  return present;
}

bool is_programs(const stack_t& stack) {
  return (stack.ss_flags & SS_DISABLE) == 0 && !os::is_reserved(begin_of(stack));
}

long tell_kernel(const stack_t& own) {
  if (own.ss_size != 0 || execution_signal_stacks.faults_elsewhere || config.carrier == CarrierKind::Thread)
    return os::system_call(SYS_sigaltstack, reinterpret_cast<long>(&own), 0);
  give_alternate_signal_stack();
  return 0;
}

bool takes_elsewhere(int signal) {
  const os::SignalAction action = program_action(signal);
  const bool handles =
      action.handler != reinterpret_cast<void*>(SIG_DFL) && action.handler != reinterpret_cast<void*>(SIG_IGN);
  return handles && (action.flags & SA_ONSTACK) != 0;
}

long change(const stack_t& after) {
  if (!catches_faults()) {
    if (const long error = tell_kernel(after); error != 0) return error;
    execution_signal_stacks.kernel_follows_tasks = config.carrier == CarrierKind::Fiber;
  }
  current_data().alternate_stack = after;
  return 0;
}

}  // namespace

stack_t told_alternate_stack(std::uintptr_t stack_pointer) {
  stack_t told = current_data().alternate_stack;
  if (is_on(told, stack_pointer)) told.ss_flags |= SS_ONSTACK;
  return told;
}

FreeStack free_alternate_stack(std::uintptr_t stack_pointer) {
  const stack_t& own = current_data().alternate_stack;
  if (own.ss_size == 0 || is_on(own, stack_pointer)) return {};
  return {begin_of(own) + own.ss_size, begin_of(own)};
}

// The order of the kernel's checks (do_sigaltstack), so that the errors are its own.
long change_alternate_stack(const stack_t* wanted, stack_t* old, std::uintptr_t stack_pointer) {
  if (wanted != nullptr && !can_read(wanted)) return -EFAULT;
  const stack_t asked = wanted != nullptr ? *wanted : kNone;  // `old` may be the same place
  if (old != nullptr && !can_write(old)) return -EFAULT;
  const stack_t before = told_alternate_stack(stack_pointer);
  if (wanted != nullptr) {
    if ((before.ss_flags & SS_ONSTACK) != 0) return -EPERM;
    const int mode = asked.ss_flags & ~kFlags;
    if (mode != 0 && mode != SS_ONSTACK && mode != SS_DISABLE) return -EINVAL;
    stack_t after = kNone;
    if (mode != SS_DISABLE) {
      if (asked.ss_size < kMin) return -ENOMEM;
      after = {asked.ss_sp, asked.ss_flags & kFlags, asked.ss_size};
    }
    if (const long error = change(after); error != 0) return error;
  }
  if (old != nullptr) *old = before;
  return 0;
}

void disarm_alternate_stack() {
  stack_t& own = current_data().alternate_stack;
  if ((own.ss_flags & kFlags) != 0) own = kNone;
}

void return_alternate_stack(const stack_t& in_frame) {
  const bool is_none = (in_frame.ss_flags & SS_DISABLE) != 0;
  const stack_t after = is_none ? kNone : stack_t{in_frame.ss_sp, in_frame.ss_flags & kFlags, in_frame.ss_size};
  const stack_t& own = current_data().alternate_stack;
  if (after.ss_sp != own.ss_sp || after.ss_size != own.ss_size || after.ss_flags != own.ss_flags) change(after);
}

void adopt_alternate_stack() {
  const stack_t present = in_kernel();
  if (!is_programs(present)) return;
  current_data().alternate_stack = {present.ss_sp, present.ss_flags & kFlags, present.ss_size};
  execution_signal_stacks.kernel_follows_tasks = config.carrier == CarrierKind::Fiber;
}

void check_fault_actions() {
  if (catches_faults()) return;
  const bool before = execution_signal_stacks.faults_elsewhere;
  execution_signal_stacks.faults_elsewhere =
      std::any_of(std::begin(kFaultSignals), std::end(kFaultSignals), takes_elsewhere);
  if (execution_signal_stacks.faults_elsewhere == before) return;
  execution_signal_stacks.kernel_follows_tasks = true;
  follow_alternate_stack();
}

bool takes_faults_elsewhere() { return execution_signal_stacks.faults_elsewhere; }

// Another task's may be in use: but it is not the running one's, so the kernel takes the change.
void follow_alternate_stack() { tell_kernel(current_data().alternate_stack); }

void* make_signal_stack() { return os::reserve(kStackSize); }

void use_signal_stack(void* stack) {
  stack_t present{};
  os::system_call(SYS_sigaltstack, 0, reinterpret_cast<long>(&present));
  const bool programs = (present.ss_flags & SS_DISABLE) == 0 || (takes_faults_elsewhere() && !catches_faults());
  if (stack != nullptr && !programs) os::set_alternate_stack(stack, kStackSize);
}

void make_first_signal_stack() {
  process_signal_stack.first = make_signal_stack();
  use_signal_stack(process_signal_stack.first);
}

void give_alternate_signal_stack() {
  if (process_signal_stack.first != nullptr) os::set_alternate_stack(process_signal_stack.first, kStackSize);
}

}  // namespace heddle::runtime
