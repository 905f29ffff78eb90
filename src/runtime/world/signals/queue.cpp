// See queue.h.
#include "runtime/world/signals/queue.h"

#include "model/interrupts.h"
#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/timer_table.h"

namespace heddle::runtime {
namespace {

struct Entry {
  siginfo_t info;
  TaskId owner;
  bool to_process;
  std::uint32_t next;  // 0: the last
};

constexpr std::uint32_t kMaxWaiting = 1u << 16;

struct ExecutionQueue {
  model::Table<Entry> entries;  // from 1 on
  std::uint32_t made = 0;
  std::uint32_t first_free = 0;
  std::uint32_t first = 0, last = 0;
};
constinit ExecutionQueue execution_queue{};

std::uint32_t make_entry() {
  if (execution_queue.first_free != 0) {
    const std::uint32_t entry = execution_queue.first_free;
    execution_queue.first_free = execution_queue.entries[entry].next;
    return entry;
  }
  if (execution_queue.made == kMaxWaiting) return 0;
  execution_queue.entries.ensure(0, os::allocate);
  execution_queue.entries.ensure(++execution_queue.made, os::allocate);
  return execution_queue.made;
}

void unlink(std::uint32_t before, std::uint32_t entry) {
  (before == 0 ? execution_queue.first : execution_queue.entries[before].next) = execution_queue.entries[entry].next;
  if (execution_queue.last == entry) execution_queue.last = before;
  execution_queue.entries[entry].next = execution_queue.first_free;
  execution_queue.first_free = entry;
}

bool waits(TaskId owner, int signal) {
  const std::uint64_t set =
      owner == kNoTask ? runtime.world->signals().of_process() : runtime.world->task(owner).arrived_signals;
  return (set & model::signal_bit(signal)) != 0;
}

bool matches(std::uint32_t entry, TaskId owner, int signal) {
  return execution_queue.entries[entry].owner == owner && execution_queue.entries[entry].info.si_signo == signal;
}

bool has_entry(TaskId owner, int signal) {
  std::uint32_t entry = execution_queue.first;
  while (entry != 0 && !matches(entry, owner, signal)) entry = execution_queue.entries[entry].next;
  return entry != 0;
}

}  // namespace

bool enqueue_signal(TaskId owner, int signal, const siginfo_t& info, bool to_process) {
  const bool of_timer = info.si_code == SI_TIMER;
  if (signal < SIGRTMIN && !of_timer && waits(owner, signal)) return true;  // one is enough
  const std::uint32_t entry = make_entry();
  if (entry == 0) return false;
  execution_queue.entries[entry] = {info, owner, to_process, 0};
  execution_queue.entries[entry].info.si_signo = signal;
  (execution_queue.last == 0 ? execution_queue.first : execution_queue.entries[execution_queue.last].next) = entry;
  execution_queue.last = entry;
  if (of_timer) on_timer_signal_queued(info);
  model::signal_arrives(*runtime.world, owner, signal);
  on_signals_changed();
  return true;
}

siginfo_t take_signal(TaskId owner, int signal) {
  siginfo_t info{};
  info.si_signo = signal;
  bool taken = false, more = false;
  for (std::uint32_t before = 0, entry = execution_queue.first; entry != 0 && !more;) {
    const std::uint32_t next = execution_queue.entries[entry].next;
    if (matches(entry, owner, signal)) {
      more = taken;
      if (!taken) {
        info = execution_queue.entries[entry].info;
        unlink(before, entry);
        taken = true;
        entry = next;
        continue;
      }
    }
    before = entry;
    entry = next;
  }
  if (!more) model::signal_taken(*runtime.world, owner, signal);
  if (info.si_code == SI_TIMER) on_timer_signal_taken(info);
  on_signals_changed();
  return info;
}

void give_signals_back(TaskId owner) {
  model::World& world = *runtime.world;
  const model::Task& task = world.task(owner);
  if (task.arrived_signals == 0) return;
  for (std::uint32_t before = 0, entry = execution_queue.first; entry != 0;) {
    const std::uint32_t next = execution_queue.entries[entry].next;
    const int signal = execution_queue.entries[entry].info.si_signo;
    const bool loses = task.ended || (task.blocked_signals & model::signal_bit(signal)) != 0;
    if (execution_queue.entries[entry].owner != owner || !execution_queue.entries[entry].to_process || !loses) {
      before = entry;
      entry = next;
      continue;
    }
    const bool one_is_enough =
        signal < SIGRTMIN && execution_queue.entries[entry].info.si_code != SI_TIMER && waits(kNoTask, signal);
    execution_queue.entries[entry].owner = kNoTask;
    if (one_is_enough)
      unlink(before, entry);
    else
      before = entry;
    if (!has_entry(owner, signal)) model::signal_taken(world, owner, signal);
    model::signal_arrives(world, kNoTask, signal);
    entry = next;
  }
  on_signals_changed();
}

void drop_signals(int signal) {
  for (std::uint32_t before = 0, entry = execution_queue.first; entry != 0;) {
    const std::uint32_t next = execution_queue.entries[entry].next;
    if (execution_queue.entries[entry].info.si_signo == signal) {
      siginfo_t info = execution_queue.entries[entry].info;
      model::signal_taken(*runtime.world, execution_queue.entries[entry].owner, signal);
      unlink(before, entry);
      if (info.si_code == SI_TIMER) on_timer_signal_taken(info);
    } else {
      before = entry;
    }
    entry = next;
  }
}

}  // namespace heddle::runtime
