// See deliver.h.
#include "runtime/world/signals/deliver.h"

#include <stdio.h>
#include <ucontext.h>

#include "model/interrupts.h"
#include "runtime/os/system_call.h"
#include "runtime/state/operation.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/actions.h"
#include "runtime/world/signals/alternate_stack.h"
#include "runtime/world/signals/post.h"
#include "runtime/world/signals/queue.h"

// heddle_call_handler(body, argument, top, registers) calls body(argument), on the stack that ends at `top`; 0: on the
// present one, some way down: the program may write below the stack pointer that it sees. Before that it fills in the
// registers as they are, in the order of the kernel (REG_R8 and so on). Whoever goes to that program counter, with that
// stack pointer, ends the call, whatever is in other registers.
//
// heddle_go_on_at(registers) goes on with these registers, and does not come back. Where to go on is in memory: no
// register is free, and below a stack pointer there may be something. One task runs at a time.
__asm__(
    ".text\n"
    ".globl heddle_call_handler\n.hidden heddle_call_handler\n.type heddle_call_handler,@function\n"
    "heddle_call_handler:\n"
    "  .cfi_startproc\n"
    "  push %rbp\n  .cfi_def_cfa_offset 16\n  .cfi_offset %rbp, -16\n"
    "  push %rbx\n  .cfi_def_cfa_offset 24\n  .cfi_offset %rbx, -24\n"
    "  push %r12\n  .cfi_def_cfa_offset 32\n  .cfi_offset %r12, -32\n"
    "  push %r13\n  .cfi_def_cfa_offset 40\n  .cfi_offset %r13, -40\n"
    "  push %r14\n  .cfi_def_cfa_offset 48\n  .cfi_offset %r14, -48\n"
    "  push %r15\n  .cfi_def_cfa_offset 56\n  .cfi_offset %r15, -56\n"
    "  mov %r12, 32(%rcx)\n  mov %r13, 40(%rcx)\n  mov %r14, 48(%rcx)\n  mov %r15, 56(%rcx)\n"
    "  mov %rbp, 80(%rcx)\n  mov %rbx, 88(%rcx)\n  mov %rsp, 120(%rcx)\n"
    "  lea 1f(%rip), %rax\n  mov %rax, 128(%rcx)\n"
    "  pushfq\n  pop %rax\n  mov %rax, 136(%rcx)\n"
    "  mov %rsp, %rbx\n  .cfi_def_cfa %rbx, 56\n"
    "  lea -512(%rsp), %rsp\n"
    "  test %rdx, %rdx\n  cmovnz %rdx, %rsp\n  and $-16, %rsp\n"
    "  mov %rdi, %rax\n  mov %rsi, %rdi\n  call *%rax\n"
    "  mov %rbx, %rsp\n  .cfi_def_cfa %rsp, 56\n"
    "1:\n"
    "  pop %r15\n  .cfi_def_cfa_offset 48\n  pop %r14\n  .cfi_def_cfa_offset 40\n"
    "  pop %r13\n  .cfi_def_cfa_offset 32\n  pop %r12\n  .cfi_def_cfa_offset 24\n"
    "  pop %rbx\n  .cfi_def_cfa_offset 16\n  pop %rbp\n  .cfi_def_cfa_offset 8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size heddle_call_handler, .-heddle_call_handler\n"
    ".globl heddle_go_on_at\n.hidden heddle_go_on_at\n.type heddle_go_on_at,@function\n"
    "heddle_go_on_at:\n"
    "  mov 128(%rdi), %rax\n  mov %rax, heddle_where_to_go_on(%rip)\n"
    "  push 136(%rdi)\n  popfq\n"
    "  mov (%rdi), %r8\n  mov 8(%rdi), %r9\n  mov 16(%rdi), %r10\n  mov 24(%rdi), %r11\n"
    "  mov 32(%rdi), %r12\n  mov 40(%rdi), %r13\n  mov 48(%rdi), %r14\n  mov 56(%rdi), %r15\n"
    "  mov 72(%rdi), %rsi\n  mov 80(%rdi), %rbp\n  mov 88(%rdi), %rbx\n  mov 96(%rdi), %rdx\n"
    "  mov 104(%rdi), %rax\n  mov 112(%rdi), %rcx\n  mov 120(%rdi), %rsp\n  mov 64(%rdi), %rdi\n"
    "  jmp *heddle_where_to_go_on(%rip)\n"
    ".size heddle_go_on_at, .-heddle_go_on_at\n");

extern "C" {
__attribute__((used, visibility("hidden"))) greg_t heddle_where_to_go_on = 0;
__attribute__((visibility("hidden"))) void heddle_call_handler(void (*body)(void*), void* argument, std::uintptr_t top,
                                                               greg_t* registers);
[[noreturn]] __attribute__((visibility("hidden"))) void heddle_go_on_at(const greg_t* registers);
}

namespace heddle::runtime {
namespace {

using model::signal_bit;

struct Taken {
  int signal;
  siginfo_t info;
};

// As the kernel: the task's own before those of the process, the lowest number first.
Taken take_next(TaskId self) {
  const std::uint64_t deliverable = runtime.world->signals().deliverable(runtime.world->task(self));
  const std::uint64_t own = deliverable & runtime.world->task(self).arrived_signals;
  const int signal = __builtin_ctzll(own != 0 ? own : deliverable) + 1;
  return {signal, take_signal(own != 0 ? self : kNoTask, signal)};
}

// heddle_call_handler() adds the registers.
void fill_context(ucontext_t& context, std::uint64_t mask, std::uintptr_t stack) {
  context.uc_mcontext.fpregs = &context.__fpregs_mem;
  context.uc_stack = told_alternate_stack(stack);
  __builtin_memcpy(&context.uc_sigmask, &mask, sizeof mask);
}

struct HandlerCall {
  const os::SignalAction& action;
  Taken& taken;
  ucontext_t& context;
  bool is_over = false;
  bool other_registers = false;  // has it changed some, but not where the thread goes on?
};

// What the kernel does when a handler returns.
void leave_handler(HandlerCall& made) {
  return_alternate_stack(made.context.uc_stack);
  std::uint64_t mask = 0;
  __builtin_memcpy(&mask, &made.context.uc_sigmask, sizeof mask);
  model::block_signals(*runtime.world, runtime.current, mask);
  made.is_over = true;
}

[[noreturn]] void refuse_registers(int signal, Site site) {
  char text[200];
  snprintf(text, sizeof text,
           "the handler of signal %d changed registers of its thread, interrupted{at %#lx}, but not where it goes on, "
           "which Heddle does not model: the execution was ended there without a verdict",
           signal, site);
  end_unjudged(runtime.current, text);
}

// A handler may change where the thread goes on. There all registers are as it says, and above its stack pointer there
// is what was there: this call, too, which ends when the program comes back to where it was interrupted. Other
// registers alone would be those of the interrupted call, which are not the ones here.
void call(void* made_) {
  auto& made = *static_cast<HandlerCall*>(made_);
  const greg_t* const registers = made.context.uc_mcontext.gregs;
  constexpr std::size_t kRegisters = (REG_RIP + 1) * sizeof *registers;  // the first ones: all but the flags
  greg_t before[REG_RIP + 1];
  __builtin_memcpy(before, registers, kRegisters);
  void* const handler = made.action.handler;
  if ((made.action.flags & SA_SIGINFO) != 0)
    reinterpret_cast<os::SignalHandler>(handler)(made.taken.signal, &made.taken.info, &made.context);
  else
    reinterpret_cast<void (*)(int)>(handler)(made.taken.signal);
  if (registers[REG_RIP] == before[REG_RIP]) {
    made.other_registers = __builtin_memcmp(registers, before, kRegisters) != 0;
    return;
  }
  leave_handler(made);
  heddle_go_on_at(registers);
}

Handled take_one(TaskId self, Site site);

// The kernel builds the frames of all signals that are due before the first handler runs: the last one is on top.
void run_handler(const os::SignalAction& action, Taken& taken, Site site) {
  model::World& world = *runtime.world;
  const TaskId self = runtime.current;
  TaskData& data = current_data();
  std::uint64_t before = world.task(self).blocked_signals;
  std::uint64_t during = before | action.mask;
  if ((action.flags & SA_NODEFER) == 0) during |= signal_bit(taken.signal);
  if (data.mask_is_lent) before = data.lent_mask;  // by sigsuspend: this is what comes back after the handler
  data.mask_is_lent = false;
  if ((action.flags & SA_RESETHAND) != 0) {
    os::SignalAction reset = action;
    reset.handler = reinterpret_cast<void*>(SIG_DFL);
    set_program_action(taken.signal, reset);
  }
  model::block_signals(world, self, during);
  while (world.signals().deliverable(world.task(self)) != 0) take_one(self, site);
  ucontext_t context{};
  const auto stack = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  fill_context(context, before, stack);
  const FreeStack alternate = (action.flags & SA_ONSTACK) != 0 ? free_alternate_stack(stack) : FreeStack();
  disarm_alternate_stack();
  HandlerCall made{action, taken, context};
  heddle_call_handler(call, &made, alternate.top, context.uc_mcontext.gregs);
  if (made.other_registers) refuse_registers(taken.signal, site);
  if (!made.is_over) leave_handler(made);
}

Handled take_one(TaskId self, Site site) {
  Taken taken = take_next(self);
  const os::SignalAction action = program_action(taken.signal);
  if (ignores(action, taken.signal)) return Handled::Nothing;
  if (has_default_action(action)) take_default_action(taken.signal, taken.info, site);
  run_handler(action, taken, site);
  return (action.flags & SA_RESTART) != 0 ? Handled::Restarts : Handled::Ends;
}

}  // namespace

int send_signal(TaskId target, const siginfo_t& info, Site site) {
  const bool to_process = target == kNoTask;
  model::Operation send =
      operation(OperationKind::SignalSend, to_process ? kNoObject : runtime.world->task(target).thread, site);
  send.signal = static_cast<std::uint8_t>(info.si_signo);
  const std::int32_t taker = perform(send);
  const int error = post_sent_signal(taker, info, to_process, site);
  deliver_signals();
  return error;
}

Handled deliver_signals() {
  const TaskId self = runtime.current;
  const Site site = runtime.world->task(self).pending.site;
  Handled first = Handled::Nothing;
  while (runtime.world->signals().deliverable(runtime.world->task(self)) != 0) {
    const Handled handled = take_one(self, site);
    if (first == Handled::Nothing) first = handled;
  }
  return first;
}

}  // namespace heddle::runtime
