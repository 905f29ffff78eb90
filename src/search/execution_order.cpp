// See execution_order.h.
#include "search/execution_order.h"

#include <algorithm>

#include "protocol/mix.h"
#include "search/wait_steps.h"

namespace heddle {

void ExecutionOrder::read(const Execution& read, std::uint32_t kept) {
  execution = &read;
  kept = go_back(kept);
  read_steps(kept);
  name_objects(kept);
  find_creations();
  find_wakers();
  order_steps(kept);
}

// Forgets all steps but the first so many, which are those of this execution, too. Returns how many are left.
std::uint32_t ExecutionOrder::go_back(std::uint32_t known) {
  auto tasks = static_cast<std::uint32_t>(execution->tasks.size());
  ObjectId objects = 0;
  auto kept = static_cast<std::uint32_t>(std::min<std::size_t>(known, events.size()));
  for (std::size_t step = kept; step < execution->steps.size(); ++step) {
    const StepRecord& made = execution->steps[step];
    tasks = std::max(tasks, made.task + 1u);
    objects = std::max({objects, made.object, made.object2});
  }
  for (const PendingRecord& pending : execution->pending) {
    tasks = std::max(tasks, pending.task + 1u);
    objects = std::max({objects, pending.object, pending.object2});
  }
  for (const StateChange& change : execution->changes)
    if (!names_gate(change.task)) tasks = std::max(tasks, change.task + 1u);
  if (objects >= accesses_to.size()) {
    accesses_to.resize(objects + 1u);
    writes_to.resize(objects + 1u);
    waiting_on.resize(objects + 1u);
  }
  if (tasks > task_count) {
    task_count = tasks;
    changes_of.resize(task_count);
    kept = 0;  // clocks have an entry for each task
  }
  events.resize(kept);
  accesses.resize(kept);
  previous_of.resize(kept);
  const auto cut = [kept](std::vector<std::uint32_t>& list) {
    while (!list.empty() && list.back() >= kept) list.pop_back();
  };
  for (auto& list : accesses_to) cut(list);
  for (auto& list : writes_to) cut(list);
  for (auto* list : {&with_everything, &with_outside, &creations, &fences, &sequential}) cut(*list);
  return kept;
}

void ExecutionOrder::read_steps(std::uint32_t first) {
  const auto& steps = execution->steps;
  for (std::size_t step = first; step < steps.size(); ++step) {
    const StepRecord& made = steps[step];
    const Access all = access_of(made.operation, made.object, made.object2, changes(made));
    const Access access =
        with_what_is_left(with_order_marked(all, made.operation, made.marks), made.operation, made.result);
    accesses.push_back(with_time(access, made.variant == kTimeout, early_timeouts));
  }
  // With this step the process came to its end: it depends on everything, as a ProcessExit does.
  const EndKind end = execution->end.end;
  if (steps.size() > first && (end == EndKind::Misuse || end == EndKind::Crashed)) accesses.back().everything = true;
  for (auto& list : changes_of)
    while (!list.empty() && list.back().step >= first) list.pop_back();
  each_change(*execution, first, [this](const StateChange& change) { changes_of[change.task].push_back(change); });
}

// Sleep sets and wakeup trees compare steps of different executions, in which one object may have different numbers:
// they are given in the order of first use.
void ExecutionOrder::name_objects(std::uint32_t first) {
  names.resize(accesses_to.size());
  for (std::uint32_t id = 0; id < names.size(); ++id) names[id] = id;
  for (const ObjectRecord& object : execution->objects)
    if (object.object < names.size()) names[object.object] = name_of(object);
  for (const TaskRecord& task : execution->tasks)
    if (task.object < names.size() && task.object != kNoObject)
      names[task.object] = static_cast<std::uint32_t>(ObjectKind::Thread) << ObjectName::kKindShift | task.task;
  for (std::size_t i = first; i < accesses.size(); ++i)
    events.push_back({choice_of(execution->steps[i]), named(accesses[i])});
}

std::uint32_t ExecutionOrder::name_of(const ObjectRecord& object) {
  if (object.place == ObjectPlace::kUnknown) return ObjectName::anywhere(object.object_kind);
  const bool fixed = object.place == ObjectPlace::kFixed;
  std::uint64_t where = fixed ? object.address : object.place;
  // Recorded is where the first access in this execution was, which need not be where the piece begins.
  if (fixed && object.object_kind == ObjectKind::Memory) where &= ~std::uint64_t{kMemoryPiece - 1};
  const std::uint64_t mixed = where * kGoldenRatio;
  const auto hash = static_cast<std::uint32_t>(mixed >> 39) % ObjectName::kHash;  // never all ones
  return static_cast<std::uint32_t>(object.object_kind) << ObjectName::kKindShift | (fixed ? 0 : ObjectName::kMoves) |
         hash;
}

std::uint32_t ExecutionOrder::name_of(ObjectId object) const {
  return object == kNoObject ? kNoObject : object < names.size() ? names[object] : object;
}

Access ExecutionOrder::named(Access access) const {
  access.object = name_of(access.object);
  access.second = name_of(access.second);
  return access;
}

// A task begins behind the last step of its creator before it was seen first.
void ExecutionOrder::find_creations() {
  created_by.assign(task_count, kNone);
  for (const TaskRecord& task : execution->tasks) {
    if (task.task >= task_count || task.parent >= task_count || changes_of[task.task].empty()) continue;
    for (std::uint32_t step = changes_of[task.task].front().step; step-- > 0;) {
      if (execution->steps[step].task != task.parent) continue;
      created_by[task.task] = step;
      break;
    }
  }
}

// A signal lets a waiter go on without a step of the waiter: the reacquire that follows happens after it.
void ExecutionOrder::find_wakers() {
  woken_by.assign(execution->steps.size(), kNone);
  signalled.assign(task_count, kNone);
  for (auto& queue : waiting_on) queue.clear();
  for (std::uint32_t step = 0; step < execution->steps.size(); ++step) take_waker(step);
}

void ExecutionOrder::take_waker(std::uint32_t step) {
  const StepRecord& made = execution->steps[step];
  auto& queue = waiting_on[made.object];
  switch (made.operation) {
    case OperationKind::ConditionWait:
      queue.push_back(made.task);
      signalled[made.task] = kNone;
      break;
    case OperationKind::ConditionWake:
      queue.erase(std::remove(queue.begin(), queue.end(), made.task), queue.end());
      break;
    case OperationKind::ConditionSignal:
      if (made.variant >= queue.size()) break;
      signalled[queue[made.variant]] = step;
      queue.erase(queue.begin() + made.variant);
      break;
    case OperationKind::ConditionBroadcast:
      for (const TaskId task : queue) signalled[task] = step;
      queue.clear();
      break;
    case OperationKind::MutexReacquire:
      woken_by[step] = signalled[made.task];
      break;
    default:
      break;
  }
}

// --- the order

void ExecutionOrder::join(std::uint32_t step, std::uint32_t earlier) {
  if (earlier == kNone) return;
  std::uint32_t* own = clock(step);
  const std::uint32_t* other = clock(earlier);
  for (std::uint32_t task = 0; task < task_count; ++task) own[task] = std::max(own[task], other[task]);
}

void ExecutionOrder::order_steps(std::uint32_t first) {
  const auto steps = static_cast<std::uint32_t>(events.size());
  clocks.resize(std::size_t{first} * task_count);
  clocks.resize(std::size_t{steps} * task_count, 0);
  previous_of.resize(steps, kNone);
  last_of.assign(task_count, kNone);
  for (std::uint32_t step = 0; step < first; ++step) last_of[events[step].choice.task] = step;
  const auto join_last = [this](std::uint32_t step, std::vector<std::uint32_t>& list, bool member) {
    if (!member) return;
    if (!list.empty()) join(step, list.back());
    list.push_back(step);
  };
  for (std::uint32_t step = first; step < steps; ++step) {
    const TaskId task = events[step].choice.task;
    const Access& access = accesses[step];
    previous_of[step] = last_of[task];
    join(step, last_of[task] != kNone ? last_of[task] : created_by[task]);
    join(step, woken_by[step]);
    if (access.everything)
      for (const std::uint32_t last : last_of) join(step, last);
    if (!access.everything && !with_everything.empty()) join(step, with_everything.back());
    join_last(step, with_everything, access.everything);
    join_last(step, with_outside, access.outside);
    join_last(step, creations, access.creates);
    order_by_memory_order(step, access);
    for (const ObjectId object : {access.object, access.second}) {
      if (object == kNoObject) continue;
      auto& written = writes_to[object];
      auto& list = accesses_to[object];
      if (!written.empty()) join(step, written.back());
      for (std::size_t i = list.size(); access.wrote && i-- > 0 && !accesses[list[i]].wrote;) join(step, list[i]);
      list.push_back(step);
      if (access.wrote) written.push_back(step);
    }
    clock(step)[task] = step + 1;
    last_of[task] = step;
  }
}

// The fences of memory_order_seq_cst are in the order of their object, too.
void ExecutionOrder::order_by_memory_order(std::uint32_t step, const Access& access) {
  if (access.sequential) {
    if (!fences.empty()) join(step, fences.back());
    sequential.push_back(step);
  }
  if (!access.fence) return;
  const std::uint32_t before = fences.empty() ? 0 : fences.back();
  for (std::size_t i = sequential.size(); i-- > 0 && sequential[i] >= before;) join(step, sequential[i]);
  fences.push_back(step);
}

std::uint8_t ExecutionOrder::state_at(TaskId task, std::uint32_t step) const {
  const auto& list = changes_of[task];
  const auto behind = std::upper_bound(list.begin(), list.end(), step,
                                       [](std::uint32_t at, const StateChange& change) { return at < change.step; });
  return behind == list.begin() ? std::uint8_t{0} : (behind - 1)->state;
}

}  // namespace heddle
