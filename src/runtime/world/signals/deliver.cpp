// See deliver.h.
#include "runtime/world/signals/deliver.h"

#include <ucontext.h>

#include "model/interrupts.h"
#include "runtime/os/system_call.h"
#include "runtime/state/operation.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/actions.h"
#include "runtime/world/signals/alternate_stack.h"
#include "runtime/world/signals/post.h"
#include "runtime/world/signals/queue.h"

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

// The handler sees where it came in, as far as there is such a place: the call that was interrupted.
void fill_context(ucontext_t& context, std::uint64_t mask, Site site) {
  greg_t* registers = context.uc_mcontext.gregs;
  registers[REG_RIP] = static_cast<greg_t>(site);
  registers[REG_RSP] = reinterpret_cast<greg_t>(__builtin_frame_address(0));
  registers[REG_RBP] = registers[REG_RSP];
  context.uc_mcontext.fpregs = &context.__fpregs_mem;
  context.uc_stack = told_alternate_stack(static_cast<std::uintptr_t>(registers[REG_RSP]));
  __builtin_memcpy(&context.uc_sigmask, &mask, sizeof mask);
}

void call(const os::SignalAction& action, int signal, siginfo_t& info, ucontext_t& context) {
  if ((action.flags & SA_SIGINFO) != 0)
    reinterpret_cast<os::SignalHandler>(action.handler)(signal, &info, &context);
  else
    reinterpret_cast<void (*)(int)>(action.handler)(signal);
}

// SA_ONSTACK. The stack pointer is kept in a register that the handler gives back as it was.
void call_on_alternate_stack(std::uintptr_t top, const os::SignalAction& action, int signal, siginfo_t& info,
                             ucontext_t& context) {
  struct Call {
    const os::SignalAction& action;
    int signal;
    siginfo_t& info;
    ucontext_t& context;
  } made{action, signal, info, context};
  void (*const body)(void*) = [](void* argument) {
    const auto* own = static_cast<Call*>(argument);
    call(own->action, own->signal, own->info, own->context);
  };
  const std::uintptr_t aligned = top & ~std::uintptr_t{15};
  void* argument = &made;
  asm volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %[top], %%rsp\n\t"
      "callq *%[body]\n\t"
      "movq %%rbx, %%rsp"
      : "+D"(argument)
      : [top] "r"(aligned), [body] "r"(body)
      : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3",
        "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
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
  fill_context(context, before, site);
  const greg_t program_counter = context.uc_mcontext.gregs[REG_RIP], stack = context.uc_mcontext.gregs[REG_RSP];
  const FreeStack alternate =
      (action.flags & SA_ONSTACK) != 0 ? free_alternate_stack(static_cast<std::uintptr_t>(stack)) : FreeStack();
  disarm_alternate_stack();
  if (alternate.top != 0)
    call_on_alternate_stack(alternate.top, action, taken.signal, taken.info, context);
  else
    call(action, taken.signal, taken.info, context);
  if (context.uc_mcontext.gregs[REG_RIP] != program_counter || context.uc_mcontext.gregs[REG_RSP] != stack)
    not_modelled("sigaction (a handler that changes where the thread goes on)");
  return_alternate_stack(context.uc_stack);
  std::uint64_t after = 0;
  __builtin_memcpy(&after, &context.uc_sigmask, sizeof after);
  model::block_signals(world, self, after);
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
