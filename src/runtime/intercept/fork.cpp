// Other processes: fork and its kin, spawn, system, popen. The processes that they start run natively. A forked child
// that executes no program is the exception: it keeps the model with the one task that forked, takes default choices,
// and is not recorded.
#include <errno.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/calls/dispatch.h"
#include "runtime/detect/monitor/monitor.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/named_semaphore.h"
#include "runtime/intercept/processes.h"
#include "runtime/intercept/shared_objects.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/system_calls/signal_files.h"
#include "runtime/world/forked_child.h"
#include "runtime/world/inputs.h"
#include "runtime/world/memory_calls.h"
#include "runtime/world/relatives.h"
#include "runtime/world/signals/masks.h"
#include "runtime/world/signals/outside.h"

// pthread_atfork() for a library that is never unloaded.
extern "C" int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* library);

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

// In the child, first of all.
void enter_child() {
  if (runtime.mode == Mode::PassThrough) return;
  note_forked();
  enter_relatives();
  stop_recording();
  runtime.first_task = runtime.current;
  runtime.mode = runtime.mode == Mode::Alone ? Mode::Alone : Mode::Detached;
  leave_monitors();
  runtime.world->abandon_others(runtime.current);
  prepare_inputs_in_child();
  follow_advice_in_child();
  stop_judging_effects();
  leave_snapshot();  // while its faults are seen, which make_signals_real() ends
  make_signals_real();
  make_signal_files_real();
}

void before_fork() {
  if (runtime.mode != Mode::Uninitialized && runtime.mode != Mode::PassThrough) expect_child();
}

// A child of vfork() runs in our memory, while its parent stands still: whatever it calls goes to libc.
struct ExecutionLoan {
  bool lent = false;
  Mode mode = Mode::Uninitialized;
  bool recording = false;
};
constinit ExecutionLoan execution_loan{};

void enter_lent_memory() {
  execution_loan.lent = true;
  execution_loan.mode = runtime.mode;
  execution_loan.recording = runtime.recording;
  runtime.mode = Mode::PassThrough;
  runtime.recording = false;
  // What it executes inherits the mask that its parent has for the program, not the kernel's.
  if (signals_are_virtual()) os::replace_signal_mask(signal_mask());
}

void leave_lent_memory() {
  if (!execution_loan.lent) return;
  execution_loan.lent = false;
  runtime.mode = execution_loan.mode;
  runtime.recording = execution_loan.recording;
}

// Also before the first execution: what is promised at the end depends on it.
void tell_started() {
  if (runtime.shared == nullptr) return;
  auto& started = runtime.shared->status.processes_started;
  if (started.load(std::memory_order_relaxed) == 0) started.store(1, std::memory_order_relaxed);
}

// The system allows no more processes. Without Heddle's own there might be room for one.
void judge_failure(int error) {
  if (error == EAGAIN && runtime.mode == Mode::Branching)
    end_unjudged(runtime.current, "the system allows no more processes (ulimit -u), and Heddle has some of them");
}

void perform_start(OperationKind kind, Site site) {
  tell_started();
  perform(kind, kNoObject, site);
  if (kind == OperationKind::ProcessFork) {
    before_fork_with_semaphores();
    before_fork_with_shared_objects();
  }
  about_to_create_process();  // announced to the effect watch as itself, not as the system call behind it
}

// `start` returns in the child, too.
template <typename Start>
pid_t in_parent(Start start) {
  const pid_t child = start();
  if (child != 0) child_is_known(child);
  if (child < 0) judge_failure(errno);
  if (child > 0) child_was_started();
  return child;
}

struct CloneStart {
  int (*entry)(void*);
  void* argument;
};

int begin_cloned(void* argument) {
  const CloneStart start = *static_cast<const CloneStart*>(argument);
  enter_child();
  return start.entry(start.argument);
}

int begin_cloned_in_lent_memory(void* argument) {
  const CloneStart start = *static_cast<const CloneStart*>(argument);
  enter_lent_memory();
  return start.entry(start.argument);
}

}  // namespace

// By libc, for every fork, also those that it makes itself (daemon(), forkpty()). Our handler comes first of all.
void watch_forks() { __register_atfork(before_fork, nullptr, enter_child, nullptr); }

}  // namespace heddle::runtime

HEDDLE_EXPORT pid_t fork() {
  if (!controlled()) return real::fork();
  perform_start(OperationKind::ProcessFork, HEDDLE_CALLER);
  return in_parent([] {
    const DispatchPause pause;
    return real::fork();
  });
}

// Without the handlers of pthread_atfork().
HEDDLE_EXPORT pid_t _Fork() {
  if (!controlled()) return real::_Fork();
  perform_start(OperationKind::ProcessFork, HEDDLE_CALLER);
  return in_parent([] {
    const DispatchPause pause;
    expect_child();
    const pid_t child = real::_Fork();
    if (child == 0) enter_child();
    return child;
  });
}

HEDDLE_EXPORT int clone(int (*entry)(void*), void* stack, int flags, void* argument, ...) {
  va_list list;
  va_start(list, argument);
  auto* parent_word = va_arg(list, pid_t*);
  void* storage = va_arg(list, void*);
  auto* child_word = va_arg(list, pid_t*);
  va_end(list);
  const bool shares = (flags & CLONE_VM) != 0, waits = (flags & CLONE_VFORK) != 0;
  // A thread in all but name runs when it likes, whatever the schedule says.
  if (controlled() && (flags & CLONE_THREAD) != 0) not_modelled("clone (with CLONE_THREAD)", HEDDLE_CALLER);
  if (!controlled() || (shares && !waits))
    return real::clone(entry, stack, flags, argument, parent_word, storage, child_word);
  perform_start(shares ? OperationKind::ProcessStart : OperationKind::ProcessFork, HEDDLE_CALLER);
  CloneStart start{entry, argument};
  const DispatchPause pause;
  if (!shares) expect_child();
  const int child = real::clone(shares ? begin_cloned_in_lent_memory : begin_cloned, stack, flags, &start, parent_word,
                                storage, child_word);
  if (!shares) child_is_known(child);
  leave_lent_memory();
  if (child < 0) judge_failure(errno);
  return child;
}

// vfork() returns twice into its caller's frame: the child goes on with the stack of the parent, and may overwrite what
// lies below and where our return address was. So that is kept in a register across the system call, which is made
// here: calls from our code are not caught.
__asm__(
    ".text\n"
    ".globl vfork\n.type vfork,@function\n"
    "vfork:\n"
    "  .cfi_startproc\n"
    "  mov (%rsp), %rdi\n"
    "  sub $8, %rsp\n  .cfi_adjust_cfa_offset 8\n"
    "  call heddle_before_vfork\n"
    "  add $8, %rsp\n  .cfi_adjust_cfa_offset -8\n"
    "  pop %rdi\n  .cfi_adjust_cfa_offset -8\n  .cfi_register %rip, %rdi\n"
    "  mov $58, %eax\n"  // SYS_vfork
    "  syscall\n"
    "  push %rdi\n  .cfi_adjust_cfa_offset 8\n  .cfi_offset %rip, -8\n"
    "  mov %rax, %rdi\n"
    "  sub $8, %rsp\n  .cfi_adjust_cfa_offset 8\n"
    "  call heddle_after_vfork\n"
    "  add $8, %rsp\n  .cfi_adjust_cfa_offset -8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size vfork, .-vfork\n");
static_assert(SYS_vfork == 58);

extern "C" __attribute__((used, visibility("hidden"))) void heddle_before_vfork(Site site) {
  if (controlled()) perform_start(OperationKind::ProcessStart, site);
}

// In the child, then in the parent.
extern "C" __attribute__((used, visibility("hidden"))) pid_t heddle_after_vfork(long result) {
  if (result == 0) {
    if (controlled()) enter_lent_memory();
    return 0;
  }
  leave_lent_memory();
  if (result > 0) {
    child_was_started();
    return static_cast<pid_t>(result);
  }
  errno = static_cast<int>(-result);
  if (controlled()) judge_failure(errno);
  return -1;
}

HEDDLE_EXPORT int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  if (controlled()) perform_start(OperationKind::ProcessStart, HEDDLE_CALLER);
  const int error = real::posix_spawn(child, path, actions, attributes, arguments, environment);
  if (controlled() && error == 0) child_was_started();
  if (controlled()) judge_failure(error);
  return error;
}

HEDDLE_EXPORT int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  if (controlled()) perform_start(OperationKind::ProcessStart, HEDDLE_CALLER);
  const int error = real::posix_spawnp(child, file, actions, attributes, arguments, environment);
  if (controlled() && error == 0) child_was_started();
  if (controlled()) judge_failure(error);
  return error;
}

HEDDLE_EXPORT int system(const char* command) {
  if (controlled()) perform_start(OperationKind::ProcessStart, HEDDLE_CALLER);
  const int status = real::system(command);
  if (controlled() && status == -1) judge_failure(errno);
  return status;
}

HEDDLE_EXPORT FILE* popen(const char* command, const char* type) {
  if (controlled()) perform_start(OperationKind::ProcessStart, HEDDLE_CALLER);
  FILE* const stream = real::popen(command, type);
  if (controlled() && stream != nullptr) child_was_started();
  if (controlled() && stream == nullptr) judge_failure(errno);
  return stream;
}
