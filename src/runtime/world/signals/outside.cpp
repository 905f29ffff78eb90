// See outside.h.
#include "runtime/world/signals/outside.h"

#include <signal.h>
#include <time.h>

#include "model/interrupts.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/live_children.h"
#include "runtime/world/progress.h"
#include "runtime/world/relatives.h"
#include "runtime/world/signals/actions.h"
#include "runtime/world/signals/deliver.h"
#include "runtime/world/signals/held_signals.h"
#include "runtime/world/signals/post.h"
#include "runtime/world/signals/timers.h"

namespace heddle::runtime {
namespace {

using model::signal_bit;

constexpr unsigned kMaxOnTheirWay = 256;
constexpr int kFirstRealTime = 34;  // those before are the library's

constexpr std::uint64_t kHeld = signal_bit(SIGCHLD) | signal_bit(SIGUSR1) | signal_bit(SIGUSR2) | signal_bit(SIGHUP) |
                                signal_bit(SIGTERM) | signal_bit(SIGIO) | signal_bit(SIGURG) |
                                ~std::uint64_t{0} << (kFirstRealTime - 1);

struct ProcessOutside {
  bool held = false;
};
constinit ProcessOutside process_outside{};

struct ExecutionOutside {
  TaskId sender = kNoTask;            // a task without a stack, as timers are
  siginfo_t* on_their_way = nullptr;  // allocated with the first, since what lies in variables is restored every time
  unsigned count = 0;
  bool descriptors_signal = false;
  bool waited_in_vain = false;  // since a child was last started
  bool said = false;            // that it waits
};
constinit ExecutionOutside execution_outside{};

void send_next() {
  model::Operation send;
  send.kind = OperationKind::SignalSend;
  send.signal = static_cast<std::uint8_t>(execution_outside.on_their_way[0].si_signo);
  runtime.world->publish(execution_outside.sender, send);
}

void drop(unsigned place) {
  --execution_outside.count;
  for (unsigned i = place; i < execution_outside.count; ++i)
    execution_outside.on_their_way[i] = execution_outside.on_their_way[i + 1];
}

void on_sent(TaskId, std::int32_t result) {
  const siginfo_t info = execution_outside.on_their_way[0];
  drop(0);
  if (execution_outside.count != 0) send_next();
  post_sent_signal(result, info, true);
}

bool somebody_blocks(int signal) {
  const model::World& world = *runtime.world;
  for (std::uint32_t id = 0; id < world.population().task_count(); ++id) {
    const model::Task& task = world.task(static_cast<TaskId>(id));
    if (!task.ended && !task.timer && (task.blocked_signals & signal_bit(signal)) != 0) return true;
  }
  return false;
}

// Has the program a handler for anything that a child may send, or does it take signals by waiting for them?
bool children_are_heard() {
  if (!process_outside.held) return false;
  for (std::uint64_t left = kHeld; left != 0; left &= left - 1) {
    const int signal = __builtin_ctzll(left) + 1;
    if ((!ignores(signal) && !ends_process(signal)) || somebody_blocks(signal)) return true;
  }
  return false;
}

bool waits_for_signals(const model::Task& task) {
  if (task.ended || !task.published) return false;
  const OperationKind kind = task.pending.kind;
  return kind == OperationKind::SignalSuspended ||
         (kind == OperationKind::SignalWait && (task.pending.argument & kHeld) != 0);
}

bool somebody_waits_for_signals() {
  for (std::uint32_t id = 0; id < runtime.world->population().task_count(); ++id)
    if (waits_for_signals(runtime.world->task(static_cast<TaskId>(id)))) return true;
  return false;
}

void pause_for_a_moment() {
  constexpr timespec kMillisecond{0, 1'000'000};
  os::system_call(SYS_nanosleep, reinterpret_cast<long>(&kMillisecond), 0);
}

void say_that_it_waits() {
  if (execution_outside.said) return;
  execution_outside.said = true;
  note("the program waited for a signal of a child process: Heddle does not control when that comes");
  publish_records();
}

}  // namespace

// Where calls are not seen, a program that is started would inherit what is held back.
std::uint64_t held_back_signals() { return dispatch_available() ? kHeld : 0; }
void signals_are_held_back() { process_outside.held = dispatch_available(); }

bool take_outside_signals() {
  if (held_signal_interrupts()) return true;
  if (!process_outside.held || runtime.mode != Mode::Branching) return false;
  const unsigned before = execution_outside.count;
  constexpr timespec kNow{0, 0};
  while (execution_outside.count < kMaxOnTheirWay) {
    siginfo_t info{};
    const long signal = os::system_call(SYS_rt_sigtimedwait, reinterpret_cast<long>(&kHeld),
                                        reinterpret_cast<long>(&info), reinterpret_cast<long>(&kNow), sizeof kHeld);
    if (signal <= 0) break;
    if (ignores(static_cast<int>(signal)) && !somebody_blocks(static_cast<int>(signal))) continue;
    if (execution_outside.on_their_way == nullptr)
      execution_outside.on_their_way =
          static_cast<siginfo_t*>(os::allocate(kMaxOnTheirWay * sizeof *execution_outside.on_their_way));
    execution_outside.on_their_way[execution_outside.count++] = info;
    if (info.si_signo == SIGCHLD) catch_up_with(info.si_pid);
  }
  if (execution_outside.count == before) return false;
  if (execution_outside.sender == kNoTask) execution_outside.sender = make_timer("other process", 0, on_sent);
  if (execution_outside.sender == kNoTask) execution_outside.count = before;  // too many tasks
  if (before == 0 && execution_outside.count != 0) send_next();
  return execution_outside.count != before;
}

void settle_children() {
  if (!children_may_have_moved()) return;
  let_children_rest();
  take_outside_signals();
}

void child_was_started() {
  if (runtime.mode != Mode::Branching || !children_are_heard()) return;
  execution_outside.waited_in_vain = false;
  children_may_go_on();
  settle_children();
}

void poll_children(std::uint64_t signals) {
  if (!process_outside.held || runtime.mode != Mode::Branching || (signals & kHeld) == 0) return;
  children_may_go_on();
  settle_children();
  take_outside_signals();  // also where no child is left
}

void note_signalling_descriptor() { execution_outside.descriptors_signal = true; }

void take_signals_of_descriptors() {
  if (execution_outside.descriptors_signal) take_outside_signals();
}

void libc_opens_signals() {
  if (process_outside.held && runtime.mode == Mode::Branching && has_live_child() && children_are_heard())
    let_children_rest();
}

void child_was_reaped(int process, Site site) {
  if (!process_outside.held || runtime.mode != Mode::Branching) return;
  take_outside_signals();
  for (unsigned place = 0; place < execution_outside.count; ++place) {
    const siginfo_t info = execution_outside.on_their_way[place];
    if (info.si_signo != SIGCHLD || info.si_pid != process) continue;
    drop(place);
    if (execution_outside.count == 0)
      disarm_timer(execution_outside.sender);
    else if (place == 0)
      send_next();
    send_signal(kNoTask, info, site);
    return;
  }
}

bool wait_for_outside_signals() {
  if (!process_outside.held || runtime.mode != Mode::Branching) return false;
  if (take_outside_signals()) return true;
  if (!has_live_child() || !children_are_heard() || !progress_of_children().alive) return false;  // the cheapest first
  settle_children();
  if (take_outside_signals()) return true;
  const bool long_wait = somebody_waits_for_signals() &&
                         runtime.world->clock().earliest_deadline(runtime.world->population()) == kNoDeadline;
  say_that_it_waits();
  constexpr int kChecksAsleep = 60;
  constexpr long kMaxTicks = 50;  // hundredths of a second of the processor
  const int checks = execution_outside.waited_in_vain ? 1 : kChecksAsleep;
  for (int asleep = 0; long_wait || asleep < checks;) {
    pause_for_a_moment();
    beat();
    const std::uint32_t question = present_question();
    if (take_outside_signals()) return true;
    looked_in_vain(question);
    const Progress progress = progress_of_children();
    if (!progress.alive) return take_outside_signals();
    if (!long_wait && (progress.ticks >= kMaxTicks || !progress.awake)) break;
    asleep = progress.busy && !execution_outside.waited_in_vain ? 0 : asleep + 1;
  }
  execution_outside.waited_in_vain = true;
  return false;
}

}  // namespace heddle::runtime
