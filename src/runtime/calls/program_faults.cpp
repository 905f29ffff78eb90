// See program_faults.h. The kernel never blocks SIGSEGV, because writes to a snapshot's pages raise it.
// TaskData::fault_frame says whether a task is in the handler of a fault.
#include "runtime/calls/program_faults.h"

#include <string.h>
#include <ucontext.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/interrupts.h"
#include "runtime/os/rare.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"
#include "runtime/state/thread_pointer.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/alternate_stack.h"
#include "runtime/world/signals/masks.h"
#include "runtime/world/undo.h"

namespace heddle::runtime {
namespace {

using model::signal_bit;

constexpr std::uint64_t kAlwaysOpen = signal_bit(SIGSEGV) | signal_bit(SIGSYS);
constexpr std::uintptr_t kLine = 64;  // how the registers' area is aligned in a frame
constexpr std::uintptr_t kRedZone = 128;
constexpr greg_t kWriteFault = 2;  // bit of the page fault's error code

// The latest that was given to the program, until its handler returns.
struct Given {
  TaskId task = kNoTask;
  int signal = 0;
  const char* frame = nullptr;
  TakenFault fault{};
};

struct ExecutionFaults {
  os::SignalAction actions[std::size(kFaultSignals)];
  bool caught = false;
  Rare<Given> given;
};
constinit ExecutionFaults execution_faults{};

// The kernel's frame: where the handler returns to, the context, what the signal says, the vector registers.
struct Frame {
  const char* begin;
  std::size_t bytes;
};

// How large the area of the vector registers is stands in what the processor leaves free of it.
std::size_t bytes_of_registers(const char* area) {
  constexpr std::size_t kMagicAt = 464, kBytesAt = 468, kLegacyBytes = 512;
  constexpr std::uint32_t kMagic = 0x46505853;  // FP_XSTATE_MAGIC1
  std::uint32_t magic = 0, bytes = 0;
  memcpy(&magic, area + kMagicAt, sizeof magic);
  memcpy(&bytes, area + kBytesAt, sizeof bytes);
  return magic == kMagic ? bytes : kLegacyBytes;
}

Frame frame_around(const ucontext_t& context, const siginfo_t* info) {
  const char* begin = reinterpret_cast<const char*>(&context) - sizeof(void*);
  const auto* registers = reinterpret_cast<const char*>(context.uc_mcontext.fpregs);
  const char* end = registers != nullptr ? registers + bytes_of_registers(registers)
                                         : reinterpret_cast<const char*>(info) + sizeof *info;
  return {begin, static_cast<std::size_t>(end - begin)};
}

// Where the handler's frames begin: below what the task has on its stack, or on its alternate one.
FreeStack stack_for(const os::SignalAction& action, std::uintptr_t stack_pointer) {
  const FreeStack alternate = (action.flags & SA_ONSTACK) != 0 ? free_alternate_stack(stack_pointer) : FreeStack();
  return alternate.top != 0 ? alternate : FreeStack{stack_pointer - kRedZone, 0};
}

// Aligned as the frame is that is there. Null: no memory can be written there.
char* place_for(const Frame& frame, const FreeStack& stack) {
  const std::uintptr_t lowest = (stack.top - frame.bytes - kLine) & ~(kLine - 1);
  if (lowest < stack.low || lowest > stack.top) return nullptr;
  auto* place = reinterpret_cast<char*>(lowest + (reinterpret_cast<std::uintptr_t>(frame.begin) & (kLine - 1)));
  return can_write(place, frame.bytes) ? place : nullptr;
}

// While the handler runs.
void block(int signal, const os::SignalAction& action, ucontext_t& context) {
  std::uint64_t mask = 0;
  memcpy(&mask, &context.uc_sigmask, sizeof mask);
  const std::uint64_t own = (action.flags & SA_NODEFER) == 0 ? signal_bit(signal) : 0;
  mask |= (action.mask | own) & ~kAlwaysOpen;
  memcpy(&context.uc_sigmask, &mask, sizeof mask);
  if (on_snapshot()) on_signal_mask();  // the execution may end in there
}

// The fault in whose handler we are goes to the program's: it begins when ours returns, with a frame as the kernel
// builds it. False: it can't (its stack is full, or the task is in the handler of such a fault already): the kernel
// would end the process.
bool give_to_program(int signal, const os::SignalAction& action, const siginfo_t* info, void* context_) {
  auto& context = *static_cast<ucontext_t*>(context_);
  TaskData& data = current_data();
  if (signal == SIGSEGV && data.fault_frame != nullptr) return false;
  greg_t* const registers = context.uc_mcontext.gregs;
  const Frame frame = frame_around(context, info);
  // A thread that libc has made has no stack of ours, so that we stand where the program's handler would.
  if (!os::is_reserved(reinterpret_cast<std::uintptr_t>(frame.begin))) return false;
  const auto stack_pointer = static_cast<std::uintptr_t>(registers[REG_RSP]);
  char* const copy = place_for(frame, stack_for(action, stack_pointer));
  if (copy == nullptr) return false;
  const auto moved = [&](const void* part) { return copy + (static_cast<const char*>(part) - frame.begin); };
  memcpy(copy, frame.begin, frame.bytes);
  memcpy(copy, &action.restorer, sizeof action.restorer);
  auto& own = *reinterpret_cast<ucontext_t*>(moved(&context));
  if (own.uc_mcontext.fpregs != nullptr)
    own.uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(moved(own.uc_mcontext.fpregs));
  own.uc_stack = told_alternate_stack(stack_pointer);
  disarm_alternate_stack();
  if (signal == SIGSEGV && (action.flags & SA_NODEFER) == 0) data.fault_frame = copy;
  block(signal, action, context);
  *execution_faults.given = {runtime.current, signal, copy, {reinterpret_cast<const siginfo_t*>(moved(info)), &own}};
  constexpr greg_t kTrap = 0x100, kBackwards = 0x400, kResume = 0x10000;
  registers[REG_EFL] &= ~(kTrap | kBackwards | kResume);
  registers[REG_RAX] = 0;
  registers[REG_RDI] = signal;
  registers[REG_RSI] = reinterpret_cast<greg_t>(moved(info));
  registers[REG_RDX] = reinterpret_cast<greg_t>(&own);
  registers[REG_RSP] = reinterpret_cast<greg_t>(copy);
  registers[REG_RIP] = reinterpret_cast<greg_t>(action.handler);
  return true;
}

bool is_of_snapshot(const siginfo_t& info, const greg_t* registers) {
  const bool protected_write = info.si_code == SEGV_ACCERR && (registers[REG_ERR] & kWriteFault) != 0;
  if (protected_write && make_dirty(reinterpret_cast<std::uintptr_t>(info.si_addr))) {
    lose_thread_pointer_for_test();
    return true;
  }
  // Another signal of this instruction could not be delivered: once more, with a stack that can be written.
  return info.si_code == SI_KERNEL && make_room_for_frame(registers);
}

// A task that blocks the signal of its own fault has no handler for it: the kernel ends the process.
bool is_blocked(int signal) {
  return signals_are_virtual() && !is_foreign_thread() && (signal_mask() & signal_bit(signal)) != 0;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (put_thread_pointer_back(*info, static_cast<Site>(registers[REG_RIP])) && signal == SIGSEGV) return;
  if (signal == SIGSEGV && is_of_snapshot(*info, registers)) return;
  if (leave_unwinder(registers)) return;
  if (runtime.dying) die_silently(signal);
  os::SignalAction& set = *action_of_fault(signal);
  if (is_blocked(signal) || set.handler == reinterpret_cast<void*>(SIG_DFL) ||
      set.handler == reinterpret_cast<void*>(SIG_IGN))
    return handle_fatal_signal(signal, info, context);
  const os::SignalAction action = set;
  if ((action.flags & SA_RESETHAND) != 0) set = os::SignalAction();
  if (!give_to_program(signal, action, info, context)) die_silently(SIGSEGV);
}

}  // namespace

void catch_faults() {
  os::SignalAction fault = os::own_action(on_fault);
  // A handler of the program's that came in between would meet the same loss of the thread pointer, and mend it.
  fault.mask = ~kAlwaysOpen;
  for (std::size_t i = 0; i < std::size(kFaultSignals); ++i) {
    os::set_signal_action(kFaultSignals[i], &fault, &execution_faults.actions[i]);
    if (is_crash_handler(execution_faults.actions[i].handler)) execution_faults.actions[i] = os::SignalAction();
  }
  execution_faults.caught = true;
  execution_signal_stacks.kernel_follows_tasks = false;
}

bool catches_faults() { return execution_faults.caught; }

void leave_faults_to_kernel() {
  if (!std::exchange(execution_faults.caught, false)) return;
  leave_thread_pointers_to_kernel();
  for (std::size_t i = 0; i < std::size(kFaultSignals); ++i)
    os::set_signal_action(kFaultSignals[i], &execution_faults.actions[i], nullptr);
  check_fault_actions();  // those that the program has set meanwhile
  execution_signal_stacks.kernel_follows_tasks = config.carrier == CarrierKind::Fiber;
  follow_alternate_stack();
}

os::SignalAction* action_of_fault(int signal) {
  const auto* const found = std::find(std::begin(kFaultSignals), std::end(kFaultSignals), signal);
  return execution_faults.caught && found != std::end(kFaultSignals) ? &execution_faults.actions[found - kFaultSignals]
                                                                     : nullptr;
}

// The handler has taken the address to return to off the stack.
void return_from_handler(std::uint64_t stack_pointer) {
  TaskData& data = current_data();
  if (reinterpret_cast<std::uint64_t>(data.fault_frame) + sizeof(void*) == stack_pointer) data.fault_frame = nullptr;
  if (execution_faults.given.used() &&
      reinterpret_cast<std::uint64_t>(execution_faults.given->frame) + sizeof(void*) == stack_pointer)
    *execution_faults.given = Given();
  // The kernel is to keep ours. Where it has built the frame, ours stands there already.
  stack_t& in_frame = reinterpret_cast<ucontext_t*>(stack_pointer)->uc_stack;
  const bool is_ours = os::is_reserved(reinterpret_cast<std::uintptr_t>(in_frame.ss_sp));
  if (!is_ours) return_alternate_stack(in_frame);
  if (!is_ours && catches_faults()) os::system_call(SYS_sigaltstack, 0, reinterpret_cast<long>(&in_frame));
  os::return_from_signal(stack_pointer);
}

void open_faults_of_task(std::uint64_t signals) {
  if ((signals & signal_bit(SIGSEGV)) != 0) current_data().fault_frame = nullptr;
}

// A handler that was left by a jump may have stood anywhere: what runs now is no part of it.
TakenFault fault_in_handler(int signal) {
  constexpr std::uintptr_t kDeepest = std::uintptr_t{1} << 20;
  if (!execution_faults.given.used() || execution_faults.given->task != runtime.current ||
      execution_faults.given->signal != signal)
    return {};
  const auto frame = reinterpret_cast<std::uintptr_t>(execution_faults.given->frame);
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here < frame && frame - here < kDeepest ? execution_faults.given->fault : TakenFault();
}

}  // namespace heddle::runtime
