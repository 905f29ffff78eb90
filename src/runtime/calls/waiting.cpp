// See waiting.h.
#include "runtime/calls/waiting.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/outside.h"
#include "runtime/calls/files.h"
#include "runtime/calls/network.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/state/operation.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/forked_child.h"
#include "runtime/world/live_children.h"
#include "runtime/world/progress.h"
#include "runtime/world/relatives.h"
#include "runtime/world/signals/outside.h"
#include "runtime/world/undo_descriptors.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kMaxPolled = 256;
constexpr Nanoseconds kMillisecond = 1'000'000;

struct ExecutionWaits {
  std::uint32_t changes = 1;
  std::uint32_t begun = 0;  // 0: there is nobody to look at
  std::uint32_t consecutive_yields = 0;
  bool noted_outside = false;
};
constinit ExecutionWaits execution_waits{};

bool is_descriptor_operation(OperationKind kind) { return object_kind(kind) == ObjectKind::Descriptor; }

bool is_ready(TaskId task, const Waiting& waiting) {
  if (waiting.never_blocks || waiting.comes_late) return true;
  show_signals_to(task);
  return waiting.refused_at != execution_waits.changes && waiting.ready(waiting);
}

// How many can go on.
unsigned refresh(bool check_outside) {
  unsigned ready = 0;
  model::World& world = *runtime.world;
  for (std::uint32_t i = 0; i < world.population().task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    const Waiting* waiting = waiting_of(id);
    if (waiting == nullptr) continue;
    const bool before = world.task(id).pending.argument != model::kNotReady;
    const bool checks = !waiting->foreign || check_outside || before || waiting->comes_late;
    const bool now = checks && is_ready(id, *waiting);
    if (now != before) model::set_ready(world, id, now);
    if (now) ++ready;
  }
  return ready;
}

struct Polled {
  pollfd entries[kMaxPolled];
  unsigned count = 0;
  bool all = true;             // everything that is waited for is in `entries`
  bool only_relatives = true;  // nobody but other processes of the program can end a wait
  bool only_program = true;    // nobody else can, or only by private channels
  TaskId first = kNoTask;
};

// A child that has not ended; for a child, its parent.
bool has_relatives() { return is_forked_child() || progress_of_children().alive; }

void gather(Polled& polled) {
  for (std::uint32_t i = 0; i < runtime.world->population().task_count(); ++i) {
    Waiting* const waiting = waiting_of(static_cast<TaskId>(i));
    if (waiting == nullptr || !waiting->outside) continue;
    if (waiting->by_relatives && !has_relatives()) {
      // What it was refused may have been given up since, by one who is gone: to be looked at once more, and as it is
      // now it stays.
      waiting->refused_at = 0;
      continue;
    }
    polled.only_relatives = polled.only_relatives && waiting->by_relatives;
    polled.only_program = polled.only_program && (waiting->by_relatives || waiting->by_channels);
    if (polled.first == kNoTask) polled.first = static_cast<TaskId>(i);
    if (waiting->descriptor < 0 || polled.count == kMaxPolled)
      polled.all = false;
    else
      polled.entries[polled.count++] = {waiting->descriptor, waiting->events, 0};
  }
}

void say_that_it_waits(TaskId task) {
  if (execution_waits.noted_outside) return;
  execution_waits.noted_outside = true;
  const model::Operation& pending = runtime.world->task(task).pending;
  const DescriptorName named = unpack(runtime.world->object(pending.object).address);
  const char* const advice =
      pending.kind == OperationKind::DescriptorOpen
          ? "; --isolation=exec, with a pipe that the program makes in the present folder, leaves the world outside out"
          : "";
  char text[360];
  const int size =
      snprintf(text, sizeof text,
               "the program waited for the world outside (%s, %s %d): Heddle does not control when and with "
               "what that goes on, so schedules may not come again%s",
               name(pending.kind), named.kind, named.first, advice);
  record_message(MessageKind::Note, task, text, static_cast<std::size_t>(size));
  publish_records();
}

std::uint32_t changes_by_relatives() {
  return runtime.shared == nullptr ? 0 : runtime.shared->child_news.shared_object_changes.load();
}

// `seen`: changes_by_relatives() before it was last looked whether somebody can go on.
void poll_for(Polled& polled, Nanoseconds longest, std::uint32_t seen) {
  const timespec time{longest / 1'000'000'000, longest % 1'000'000'000};
  if (polled.only_relatives && runtime.shared != nullptr) {
    os::system_call(SYS_futex, reinterpret_cast<long>(&runtime.shared->child_news.shared_object_changes), FUTEX_WAIT,
                    seen, reinterpret_cast<long>(&time));
    return;
  }
  os::system_call(SYS_ppoll, reinterpret_cast<long>(polled.entries), polled.count, reinterpret_cast<long>(&time), 0, 0);
}

model::Operation made(const WaitingOperation& wanted) {
  model::Operation operation;
  operation.kind = wanted.kind;
  operation.object = wanted.object;
  operation.object2 = all_descriptors(wanted.site);
  operation.site = wanted.site;
  operation.deadline = wanted.deadline;
  operation.interruptible = wanted.interruptible;
  return operation;
}

// The call is made at last: on what it holds, or on what its numbers lead to now.
long attempt_now(const Waiting& waiting, long (*attempt)(void*), void* argument) {
  show_signals_to(runtime.current);
  const bool looks_up_itself = waiting.names != nullptr;
  if (waiting.comes_late && !looks_up_itself) return kRestarts;
  const long result = attempt(argument);
  after_call();
  return waiting.comes_late && result == -EAGAIN ? kRestarts : result;
}

// It polls in a loop: the others must get on, and so must time.
void yield_to_others(std::uint32_t free_yields, std::uint32_t outside_yields, Site site) {
  runtime.free_yields = free_yields;
  execution_waits.consecutive_yields = outside_yields;
  perform(OperationKind::Yield, kNoObject, site);
}

}  // namespace

long HeldFiles::of(long number) const {
  for (unsigned i = 0; i < count_; ++i)
    if (files_[i].number == number) return files_[i].held;
  return number;
}

bool HeldFiles::hold(long number) {
  if (count_ == kMax) return false;
  const long held = os::system_call(SYS_fcntl, number, F_DUPFD_CLOEXEC, kOwnDescriptors);
  if (held < 0) return false;
  on_opened(held);
  note_copy(number, held);
  files_[count_++] = {static_cast<int>(number), static_cast<int>(held)};
  return true;
}

void HeldFiles::let_go() {
  if (count_ == 0) return;
  for (unsigned i = 0; i < count_; ++i) {
    forget_descriptor(files_[i].held);
    os::system_call(SYS_close, files_[i].held);
    on_closed(files_[i].held);
  }
  count_ = 0;
  after_call();  // these may have been the last ones of their files
}

Waiting* waiting_of(TaskId id) {
  const model::Task& task = runtime.world->task(id);
  if (task.ended || !task.published || !is_descriptor_operation(task.pending.kind)) return nullptr;
  return static_cast<Waiting*>(runtime.tasks[id].waiting);
}

int take_step_on(const WaitingOperation& wanted, const model::Closing* closing) {
  TaskData& data = current_data();
  void* const outer = data.waiting;  // we may be in a signal handler that came while the task waited
  data.waiting = nullptr;
  model::Operation operation = made(wanted);
  operation.closing = closing;
  const int result = perform(operation);
  data.waiting = outer;
  return result;
}

int wait_until_ready(Waiting& waiting, const WaitingOperation& wanted) {
  model::Operation operation = made(wanted);
  const bool ready = waiting.never_blocks || (!waiting.foreign && is_ready(runtime.current, waiting));
  operation.argument = ready ? 0 : model::kNotReady;
  TaskData& data = current_data();
  void* const outer = data.waiting;
  data.waiting = &waiting;
  ++execution_waits.begun;
  const int result = perform(operation);
  data.waiting = outer;
  return result;
}

long wait_and_attempt(Waiting& waiting, const WaitingOperation& operation, long on_timeout, long (*attempt)(void*),
                      void* argument) {
  HeldFiles own;
  const bool has_parts = waiting.held != nullptr;
  if (!has_parts) waiting.held = &own;
  long result = 0;
  const std::uint32_t free_yields = runtime.free_yields, outside_yields = execution_waits.consecutive_yields;
  for (;;) {
    const int ended = wait_until_ready(waiting, operation);
    if (ended != 0 && !waiting.comes_late) {
      result = ended == ETIMEDOUT ? on_timeout : -ended;
      break;
    }
    result = attempt_now(waiting, attempt, argument);
    waiting.held->has_begun = true;
    if (result != -EAGAIN || waiting.never_blocks) break;
    waiting.refused_at = execution_waits.changes;
  }
  if (!has_parts) {
    waiting.held = nullptr;
    own.let_go();
  }
  TaskData& data = current_data();
  if (result != -EAGAIN || !waiting.never_blocks)
    data.fruitless_calls = 0;
  else if (++data.fruitless_calls > 1)
    yield_to_others(free_yields, outside_yields, operation.site);
  return result;
}

void give_up_wait() {
  const Waiting* const waiting = static_cast<Waiting*>(current_data().waiting);
  if (waiting == nullptr) return;
  if (waiting->held != nullptr) waiting->held->let_go();
  current_data().waiting = nullptr;
  if (waiting->given_up < 0) return;
  forget_descriptor(waiting->given_up);
  os::system_call(SYS_close, waiting->given_up);
  on_closed(waiting->given_up);
  after_call();
}

void after_call() {
  settle_network();
  settle_children();
  take_signals_of_descriptors();
  ++execution_waits.changes;
  execution_waits.consecutive_yields = 0;
  if (execution_waits.begun != 0) refresh(false);
}

void tell_relatives() {
  if (runtime.shared == nullptr) return;
  auto& word = runtime.shared->child_news.shared_object_changes;
  word.fetch_add(1);
  os::system_call(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAKE, INT32_MAX);
}

bool outside_is_ready() { return execution_waits.begun != 0 && refresh(true) != 0; }

bool wait_for_outside() {
  if (take_outside_signals()) return true;
  if (execution_waits.begun == 0) return false;
  Polled polled;
  std::uint32_t seen = changes_by_relatives();
  gather(polled);
  if (refresh(true) != 0) return true;  // also after a signal handler, behind which a wait goes on
  if (polled.first == kNoTask) return false;
  say_that_it_waits(polled.first);
  const Nanoseconds deadline = runtime.world->clock().earliest_deadline(runtime.world->population());
  Nanoseconds left = deadline == kNoDeadline ? kNoDeadline : deadline - runtime.world->clock().now();
  const bool timed_relatives = has_timed_relatives();
  const bool only_relatives = timed_relatives && deadline != kNoDeadline && polled.only_program;
  const Nanoseconds most = timed_relatives                       ? kMillisecond / 4
                           : polled.all || polled.only_relatives ? 10 * kMillisecond
                                                                 : kMillisecond;
  for (std::uint32_t checks = 1; left > 0; ++checks) {
    const Nanoseconds before = os::kernel_clock(CLOCK_MONOTONIC);
    poll_for(polled, left < most ? left : most, seen);
    seen = changes_by_relatives();
    const std::uint32_t question = present_question();
    ++execution_waits.changes;
    if (refresh(true) != 0 || child_is_ready() || take_outside_signals()) return true;
    looked_in_vain(question);
    if (only_relatives && !progress_of_children().awake && may_pass_to(deadline)) return false;
    constexpr std::uint32_t kEvery = 4;
    if (polled.only_relatives && checks % kEvery == 0 && !has_relatives()) return refresh(true) != 0;
    if (left != kNoDeadline) left -= os::kernel_clock(CLOCK_MONOTONIC) - before;
  }
  return false;
}

bool somebody_waits_for_outside() {
  if (runtime.shared->status.processes_started.load() != 0) return true;
  for (std::uint32_t id = 0; id < runtime.world->population().task_count(); ++id)
    if (const Waiting* const waiting = waiting_of(static_cast<TaskId>(id)); waiting != nullptr && waiting->outside)
      return true;
  return false;
}

std::uint32_t calls_of_kernel() { return execution_waits.changes; }

void consider_outside() {
  constexpr std::uint32_t kEvery = 16;
  if (++execution_waits.consecutive_yields % kEvery != 0) return;
  let_relatives_go_on(runtime.world->clock().earliest_deadline(runtime.world->population()));
  take_outside_signals();
  if (execution_waits.begun != 0) refresh(true);
}

}  // namespace heddle::runtime
