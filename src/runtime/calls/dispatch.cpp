// See dispatch.h.
#include "runtime/calls/dispatch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "protocol/system_calls.h"
#include "runtime/calls/effects.h"
#include "runtime/calls/kernel_call.h"
#include "runtime/calls/program_faults.h"
#include "runtime/calls/refused.h"
#include "runtime/calls/sanitizer.h"
#include "runtime/calls/waiting.h"
#include "runtime/os/rare.h"
#include "runtime/os/signal_action.h"
#include "runtime/os/system_call.h"
#include "runtime/patch/call_sites.h"
#include "runtime/patch/trampoline.h"
#include "runtime/ring/output.h"
#include "runtime/ring/recorder.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/memory_map.h"
#include "runtime/state/monitoring.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"
#include "runtime/state/thread_pointer.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/descriptors.h"
#include "runtime/world/held_output.h"
#include "runtime/world/inputs.h"
#include "runtime/world/memory_calls.h"
#include "runtime/world/memory_limits.h"
#include "runtime/world/reservations.h"
#include "runtime/world/signals/alternate_stack.h"
#include "runtime/world/signals/masks.h"
#include "runtime/world/signals/outside.h"
#include "runtime/world/undo.h"
#include "runtime/world/undo_descriptors.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif

namespace heddle::runtime {
namespace {

constexpr int kUserDispatch = 2;  // SYS_USER_DISPATCH, si_code
constexpr char kAllow = 0, kBlock = 1;
constexpr std::uint64_t kAlwaysOpen =
    std::uint64_t{1} << (SIGSEGV - 1) | std::uint64_t{1} << (SIGSYS - 1);  // blocked, they would kill the process
constexpr std::uint64_t kNeverBlocked =
    std::uint64_t{1} << (SIGKILL - 1) | std::uint64_t{1} << (SIGSTOP - 1);  // whatever a program asks for
constexpr std::size_t kSignalStack = std::size_t{256} << 10;

struct PermanentDispatch {
  char selector = kAllow;
  void* signal_stack = nullptr;
  OwnImage image{};
  bool prepared = false;
};
HEDDLE_PERMANENT constinit PermanentDispatch permanent_dispatch{};

constexpr int kSignals = 65;
struct ExecutionDispatch {
  bool judges_effects = false;
  // What the program believes to have set; the kernel has ours.
  os::SignalAction sys_action;
  std::uint64_t virtually_blocked = 0;
  // What the program's handlers are to block of kAlwaysOpen.
  Rare<std::array<std::uint64_t, kSignals>> blocked_by_action;
};
constinit ExecutionDispatch execution_dispatch{};

SystemCall call_in(const greg_t* registers, long number) {
  SystemCall call;
  call.number = number;
  constexpr int kArguments[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
  for (int i = 0; i < 6; ++i) call.arguments[i] = registers[kArguments[i]];
  return call;
}

// --- calls that are not made as they are

long signal_action(const SystemCall& call) {
  const auto signal = static_cast<int>(call.arguments[0]);
  const auto* wanted = reinterpret_cast<const os::SignalAction*>(call.arguments[1]);
  auto* old = reinterpret_cast<os::SignalAction*>(call.arguments[2]);
  os::SignalAction* const own = signal == SIGSYS ? &execution_dispatch.sys_action : action_of_fault(signal);
  if (own != nullptr) {
    const os::SignalAction before = *own;
    if (wanted != nullptr) *own = *wanted;
    if (old != nullptr) *old = before;
    return 0;
  }
  if (signal <= 0 || signal >= kSignals) return call_kernel(call);
  if (wanted != nullptr && on_snapshot()) on_signal_action(signal);
  before_kernel_writes(static_cast<std::uintptr_t>(call.arguments[2]), sizeof(os::SignalAction));
  os::SignalAction open = wanted != nullptr ? *wanted : os::SignalAction();
  open.mask &= ~kAlwaysOpen;
  SystemCall opened = call;
  if (wanted != nullptr) opened.arguments[1] = reinterpret_cast<long>(&open);
  const std::uint64_t hidden =
      execution_dispatch.blocked_by_action.used() ? (*execution_dispatch.blocked_by_action)[signal] : 0;
  const std::uint64_t hides = wanted != nullptr ? wanted->mask & kAlwaysOpen : hidden;  // `old` may be the same place
  const long result = call_kernel(opened);
  if (result != 0) return result;
  if (old != nullptr) old->mask |= hidden;
  if (hides != hidden) (*execution_dispatch.blocked_by_action)[signal] = hides;
  return 0;
}

}  // namespace

os::SignalAction program_action(int signal) {
  os::SignalAction action;
  if (permanent_dispatch.selector == kAllow) {
    os::set_signal_action(signal, nullptr, &action);
  } else {
    SystemCall call;
    call.number = SYS_rt_sigaction;
    const long arguments[] = {signal, 0, reinterpret_cast<long>(&action), sizeof action.mask};
    __builtin_memcpy(call.arguments, arguments, sizeof arguments);
    signal_action(call);
  }
  return is_crash_handler(action.handler) ? os::SignalAction() : action;
}

void set_program_action(int signal, const os::SignalAction& action) {
  if (permanent_dispatch.selector == kAllow) {
    os::set_signal_action(signal, &action, nullptr);
    return;
  }
  SystemCall call;
  call.number = SYS_rt_sigaction;
  const long arguments[] = {signal, reinterpret_cast<long>(&action), 0, sizeof action.mask};
  __builtin_memcpy(call.arguments, arguments, sizeof arguments);
  signal_action(call);
}

namespace {

// Handlers that the program has set before.
void open_actions() {
  for (int signal = 1; signal < kSignals; ++signal) {
    os::SignalAction action;
    if (os::set_signal_action(signal, nullptr, &action) != 0 || (action.mask & kAlwaysOpen) == 0) continue;
    (*execution_dispatch.blocked_by_action)[signal] = action.mask & kAlwaysOpen;
    action.mask &= ~kAlwaysOpen;
    os::set_signal_action(signal, &action, nullptr);
  }
}

bool may_bring_signal(long number) {
  return number == SYS_kill || number == SYS_tkill || number == SYS_tgkill || number == SYS_rt_sigqueueinfo ||
         number == SYS_rt_tgsigqueueinfo;
}

// The mask that holds when the handler has returned is the one in its frame. SIGSEGV and SIGSYS stay open; the program
// is told what it asked for.
long change_mask(const SystemCall& call, ucontext_t& context) {
  const auto* wanted = reinterpret_cast<const std::uint64_t*>(call.arguments[1]);
  auto* old = reinterpret_cast<std::uint64_t*>(call.arguments[2]);
  const long how = call.arguments[0];
  if (call.arguments[3] != sizeof(std::uint64_t)) return -EINVAL;
  if (wanted != nullptr && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return -EINVAL;
  std::uint64_t mask;
  __builtin_memcpy(&mask, &context.uc_sigmask, sizeof mask);
  // Not so at the end of a thread, which glibc makes with all signals blocked, when another one runs already.
  const bool is_virtual = signals_are_virtual() && !is_foreign_thread();
  const std::uint64_t before = is_virtual ? signal_mask() : mask | execution_dispatch.virtually_blocked;
  if (wanted != nullptr) {
    const std::uint64_t set = *wanted;
    const std::uint64_t after = how == SIG_BLOCK ? before | set : how == SIG_UNBLOCK ? before & ~set : set;
    if (is_virtual) {
      if (old != nullptr) *old = before;
      poll_children(after & ~before);  // before that: nobody can be waiting for what came until now
      replace_virtual_mask(after);
      if ((before & ~after) != 0) libc_opens_signals();
      open_faults_of_task(~after);
      // What the kernel blocks in the handler of a fault is to be open again behind a siglongjmp().
      const std::uint64_t open = ~(after | held_back_signals());
      if ((mask & open) == 0) return 0;
      mask &= ~open;
      __builtin_memcpy(&context.uc_sigmask, &mask, sizeof mask);
      if (on_snapshot()) on_signal_mask();
      return 0;
    }
    execution_dispatch.virtually_blocked = after & kAlwaysOpen;
    mask = after & ~(kAlwaysOpen | kNeverBlocked);
    __builtin_memcpy(&context.uc_sigmask, &mask, sizeof mask);
    if (on_snapshot()) on_signal_mask();
  }
  if (old != nullptr) *old = before;
  return 0;
}

// Where this handler runs on the task's own stack, its frame must agree with what the kernel has, or its return would
// undo the change.
long alternate_stack(const SystemCall& call, ucontext_t& context) {
  const auto* wanted = reinterpret_cast<const stack_t*>(call.arguments[0]);
  const long result = change_alternate_stack(wanted, reinterpret_cast<stack_t*>(call.arguments[1]),
                                             static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]));
  if (!catches_faults()) os::system_call(SYS_sigaltstack, 0, reinterpret_cast<long>(&context.uc_stack));
  return result;
}

// What was done to other memory at the same place, or said of it, is not to count any more: in the race detector, and
// for children.
void begin_life(const SystemCall& call, std::uintptr_t address) {
  if (call.number == SYS_munmap || call.number == SYS_mremap)
    forget_advice(static_cast<std::uintptr_t>(call.arguments[0]), static_cast<std::size_t>(call.arguments[1]));
  const bool moves = call.number == SYS_mremap;
  if (!moves && call.number != SYS_mmap) return;
  const auto bytes = static_cast<std::size_t>(call.arguments[moves ? 2 : 1]);
  forget_advice(address, bytes);
  if (monitored()) monitor_allocated(reinterpret_cast<const void*>(address), bytes);
}

bool changes_mapping(const SystemCall& call) {
  return call.number == SYS_mprotect || call.number == SYS_pkey_mprotect || call.number == SYS_munmap ||
         call.number == SYS_madvise || (call.number == SYS_mmap && (call.arguments[3] & MAP_FIXED) != 0);
}

std::uintptr_t address_in(const SystemCall& call) { return static_cast<std::uintptr_t>(call.arguments[0]); }

void remember(const SystemCall& call, long result) {
  if (result == -EMFILE && output_takes_low_number())
    end_unjudged(runtime.current, "the program may open no more files (ulimit -n), and Heddle has one of them");
  if (result >= 0 || result <= -4096) begin_life(call, static_cast<std::uintptr_t>(result));
  after_descriptor_call(call, result);
  count_after(call);
  if (!on_snapshot() || (result < 0 && result > -4096)) return;
  const auto new_address = static_cast<std::uintptr_t>(result);
  if (call.number == SYS_mmap && !on_new_mapping(new_address, static_cast<std::size_t>(call.arguments[1])))
    stop_at_effect({EffectLevel::Fork}, "makes more than 4096 mappings", "mmap");
  if (call.number == SYS_mremap && !on_new_mapping(new_address, static_cast<std::size_t>(call.arguments[2])))
    stop_at_effect({EffectLevel::Fork}, "makes more than 4096 mappings", "mremap");
  if (changes_mapping(call)) on_changed_reservation(address_in(call), static_cast<std::size_t>(call.arguments[1]));
  if (call.number == SYS_brk && call.arguments[0] != 0) on_break();
  if ((call.number == SYS_write || call.number == SYS_writev) && !is_own_file(call.arguments[0])) on_output();
}

}  // namespace

namespace {

[[noreturn]] void stop_at(const SystemCallEffect& effect, const SystemCall& call) {
  constexpr std::size_t kCallCapacity = 256;
  char text[kEffectCapacity - kCallCapacity], words[kCallCapacity];
  describe_effect(effect, text, sizeof text);
  describe_call(call, words, sizeof words);
  stop_at_effect(effect, text, words);
}

}  // namespace

namespace {

// Only the kernel can say so without a fault; what it writes otherwise is written again.
bool points_nowhere(const SystemCall& call) {
  if (call.number != SYS_clock_gettime && call.number != SYS_gettimeofday && call.number != SYS_time) return false;
  return call_kernel(call) == -EFAULT;
}

}  // namespace

long make_system_call(const SystemCall& call) {
  if (points_nowhere(call)) return -EFAULT;
  if (long answer = 0; answer_input(call, answer)) return answer;
  if (on_snapshot()) write_held_output();
  before_descriptor_call(call);
  const long result = call_kernel(with_kernel_ids(call));
  remember(call, result);
  note_input_of(call, result, 0);
  return result;
}

void judge_effect(const SystemCall& call) {
  if (!execution_dispatch.judges_effects) return;
  const SystemCallEffect effect = effect_of(call);
  if (effect.level == EffectLevel::None) return;
  const bool stop = on_snapshot() ? config.perform_effects == 0 : effect.level == EffectLevel::Exec;
  if (stop) stop_at(effect, call);
  if (on_snapshot()) on_lasting_effect();
  note_effect(effect);
}

namespace {

bool creates_process(long number) {
  return number == SYS_clone || number == SYS_clone3 || number == SYS_fork || number == SYS_vfork;
}

// The next execution is to have it again.
bool unmaps_aside(const SystemCall& call) {
  const std::uintptr_t address = address_in(call);
  const auto bytes = static_cast<std::size_t>(call.arguments[1]);
  if (!can_be_set_aside(address, bytes) || !set_aside(address, bytes)) return false;
  remember(call, 0);
  return true;
}

// What was below the break at the branching point stays there on snapshots. The kernel may refuse, too, and says so in
// this way; malloc() of glibc, which gives memory back so, goes on with what it has.
bool keeps_break(const SystemCall& call) {
  return on_snapshot() && call.arguments[0] != 0 && static_cast<std::uintptr_t>(call.arguments[0]) < break_before();
}

long make(const SystemCall& call) {
  switch (call.number) {
    case SYS_munmap:
      if (unmaps_aside(call)) return 0;
      break;
    case SYS_brk:
      if (keeps_break(call)) return os::system_call(SYS_brk, 0);
      break;
    case SYS_rt_sigaction:
      return signal_action(call);
    case SYS_madvise:
    case SYS_mlock:
    case SYS_mlock2:
    case SYS_mlockall:
    case SYS_munlock:
    case SYS_munlockall:
    case SYS_getrlimit:
    case SYS_setrlimit:
    case SYS_prlimit64:
      if (long result = 0; answer_memory_call(call, result)) return result;
      break;
    default:
      break;
  }
  if (long result = 0; exceeds_limit(call, result)) return result;
  return make_system_call(call);
}

// What is made by changing the handler's own frame.
long make(const SystemCall& call, ucontext_t& context) {
  if (call.number == SYS_rt_sigprocmask) return change_mask(call, context);
  return call.number == SYS_sigaltstack ? alternate_stack(call, context) : make(call);
}

// Where the program goes on that asked for its end: on its own stack, where tasks can be switched.
extern "C" __attribute__((used, visibility("hidden"))) void heddle_leave_process(int status) { leave_process(status); }

void send_to_exit(greg_t* registers) {
  constexpr long kRedZone = 128;
  registers[REG_RSP] = ((registers[REG_RSP] - kRedZone) & ~0xfL) - 8;
  registers[REG_RIP] = reinterpret_cast<greg_t>(&heddle_leave_process);
}

pid_t own_number() { return is_foreign_thread() ? gettid() : number_of_task(runtime.current); }

// A thread that signals itself asks for its number first, and is told Heddle's (answer()); the kernel knows another.
SystemCall with_kernel_thread(SystemCall call) {
  long* const thread = call.number == SYS_tkill                                            ? &call.arguments[0]
                       : call.number == SYS_tgkill || call.number == SYS_rt_tgsigqueueinfo ? &call.arguments[1]
                                                                                           : nullptr;
  if (thread != nullptr && runtime.mode == Mode::Branching && *thread == own_number())
    *thread = os::system_call(SYS_gettid);
  return call;
}

// Where the kernel would not say what Heddle says.
bool answer(const SystemCall& call, long& result) {
  if (call.number != SYS_gettid) return false;
  result = gettid();
  return true;
}

// abort() goes on where the program's handler has returned: with the default action, by which the kernel would end the
// process without a word of the place.
bool is_last_of_abort(const SystemCall& call) {
  return call.number == SYS_tgkill && call.arguments[2] == SIGABRT && runtime.aborted_at != 0 &&
         program_action(SIGABRT).handler == reinterpret_cast<void*>(SIG_DFL);
}

template <typename Make>
long make_for_program(const SystemCall& call, Make make_call) {
  long result = 0;
  if (runtime.mode == Mode::Branching && !runtime.inside) refuse_blinding_call(call);
  if (runtime.mode != Mode::Branching || runtime.inside || !answer(call, result)) result = make_call(call);
  if (runtime.mode == Mode::Branching && !runtime.inside) after_call();
  return result;
}

void on_dispatched(int, siginfo_t* info, void* context) {
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  __builtin_memcpy(&execution_mask.blocked_in_program, &static_cast<ucontext_t*>(context)->uc_sigmask,
                   sizeof execution_mask.blocked_in_program);
  if (info->si_code != kUserDispatch) return handle_fatal_signal(SIGSYS, info, context);
  SystemCall call = call_in(registers, info->si_syscall);
  registers[REG_RIP] = static_cast<greg_t>(original_site(static_cast<Site>(registers[REG_RIP])));
  if (on_snapshot() && catches_faults()) replace_call_site(static_cast<Site>(registers[REG_RIP]), call.number);
  if (call.number == SYS_rt_sigreturn) return_from_handler(static_cast<std::uint64_t>(registers[REG_RSP]));
  if (call.number == SYS_exit_group && runtime.mode != Mode::Detached) return send_to_exit(registers);
  if (runtime.mode == Mode::Branching && is_last_of_abort(call)) {
    siginfo_t own{};
    own.si_signo = SIGABRT;
    own.si_code = SI_TKILL;
    return handle_fatal_signal(SIGABRT, &own, context);
  }
  registers[REG_RAX] = call.number;
  const bool unseen = is_sanitizers_own(call.number, static_cast<Site>(registers[REG_RIP]));
  if (!unseen && is_modelled(call)) return send_to_operation(registers);
  call = with_kernel_thread(call);
  judge_effect(call);
  if (may_bring_signal(call.number)) make_room_for_frame(registers);
  if (creates_process(call.number) || call.number == SYS_arch_prctl) leave_thread_pointers_to_kernel();
  if (creates_process(call.number)) return send_to_uncaught_call(registers);
  registers[REG_RAX] = make_for_program(
      call, [context](const SystemCall& made) { return make(made, *static_cast<ucontext_t*>(context)); });
  lose_thread_pointer_for_test();
}

bool switch_on() {
  return os::system_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
                         static_cast<long>(permanent_dispatch.image.code_begin),
                         static_cast<long>(permanent_dispatch.image.code_end - permanent_dispatch.image.code_begin),
                         reinterpret_cast<long>(&permanent_dispatch.selector)) == 0;
}

void switch_off() { os::system_call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0); }

os::SignalAction dispatched_action(bool on_alternate_stack) {
  os::SignalAction action = os::own_action(on_dispatched);
  action.mask = ~kAlwaysOpen;  // a signal that the call raises is delivered to the program, not to the handler
  if (!on_alternate_stack) action.flags &= ~static_cast<std::uint64_t>(SA_ONSTACK);
  return action;
}

}  // namespace

long make_program_call(const SystemCall& call) {
  judge_effect(call);
  return make_for_program(call, [](const SystemCall& made) { return make(made); });
}

std::uint64_t prepare_dispatch(std::uint64_t mask) {
  permanent_dispatch.image = own_image();
  if (!switch_on()) return mask;
  switch_off();  // the selector has let everything pass
  prepare_trampoline();
  permanent_dispatch.signal_stack = os::reserve_or_die(kSignalStack);
  prepare_call_sites(&permanent_dispatch.selector);
  const os::SignalAction dispatched = dispatched_action(false);
  os::set_signal_action(SIGSYS, &dispatched, &execution_dispatch.sys_action);
  if (is_crash_handler(execution_dispatch.sys_action.handler)) execution_dispatch.sys_action = os::SignalAction();
  open_actions();
  execution_dispatch.virtually_blocked = mask & kAlwaysOpen;
  permanent_dispatch.selector = kBlock;  // this process is not watched: it is only inherited
  permanent_dispatch.prepared = true;
  return mask & ~kAlwaysOpen;
}

bool dispatch_available() { return permanent_dispatch.prepared; }

namespace {

// Kernel threads that are there already have stacks of their own, on which our handlers would be in the way of the
// program's.
bool can_catch_faults() {
  return config.carrier == CarrierKind::Fiber || runtime.world->population().task_count() == 1;
}

void take_faults() {
  os::set_alternate_stack(permanent_dispatch.signal_stack, kSignalStack);
  const os::SignalAction dispatched = dispatched_action(true);
  os::set_signal_action(SIGSYS, &dispatched, nullptr);
  catch_faults();
  if (!execution_dispatch.blocked_by_action.used()) return;
  for (const int signal : kFaultSignals)
    action_of_fault(signal)->mask |= (*execution_dispatch.blocked_by_action)[signal];
}

}  // namespace

void stop_judging_effects() { execution_dispatch.judges_effects = false; }

void start_dispatch(bool judge) {
  if (!permanent_dispatch.prepared) return;
  execution_dispatch.judges_effects = judge;
  if (can_catch_faults()) take_faults();
  switch_on();
}

void stop_dispatch() { permanent_dispatch.selector = kAllow; }
void continue_dispatch() { permanent_dispatch.selector = kBlock; }

void start_dispatch_in_thread() {
  if (permanent_dispatch.prepared) switch_on();
}

void stop_dispatch_in_thread() {
  if (permanent_dispatch.prepared) switch_off();
}

void about_to_create_process() {
  if (runtime.mode != Mode::Branching) return;
  SystemCall call;
  call.number = SYS_clone;
  judge_effect(call);
  leave_thread_pointers_to_kernel();
}

void about_to_wait_for_process() {
  if (runtime.mode != Mode::Branching) return;
  SystemCall call;
  call.number = SYS_wait4;
  judge_effect(call);
}

DispatchPause::DispatchPause() : was_(permanent_dispatch.selector) { permanent_dispatch.selector = kAllow; }
DispatchPause::~DispatchPause() { permanent_dispatch.selector = was_; }

}  // namespace heddle::runtime
