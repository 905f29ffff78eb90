// See races.h.
#include "search/races.h"

#include <algorithm>

#include "protocol/mix.h"
#include "search/wait_steps.h"

namespace heddle {

void Races::analyse(const Execution& execution, std::uint32_t kept, std::uint32_t known) {
  read(execution, kept);
  find_races(known);
}

void Races::analyse_waiting(const Execution& execution, std::uint32_t kept, TaskId task) {
  read(execution, kept);
  last_before_ = last_of_;
  for (const PendingRecord& pending : execution.pending)
    if (pending.task == task) look_for(second_of(pending));
}

void Races::order(const Execution& execution) { read(execution, 0); }

void Races::read(const Execution& execution, std::uint32_t kept) {
  execution_ = &execution;
  races_.clear();
  kept = go_back(kept);
  read_steps(kept);
  name_objects(kept);
  find_creations();
  find_wakers();
  order_steps(kept);
}

// Forgets all steps but the first so many, which are those of this execution, too. Returns how many are left.
std::uint32_t Races::go_back(std::uint32_t known) {
  auto tasks = static_cast<std::uint32_t>(execution_->tasks.size());
  ObjectId objects = 0;
  auto kept = static_cast<std::uint32_t>(std::min<std::size_t>(known, events_.size()));
  for (std::size_t step = kept; step < execution_->steps.size(); ++step) {
    const StepRecord& made = execution_->steps[step];
    tasks = std::max(tasks, made.task + 1u);
    objects = std::max({objects, made.object, made.object2});
  }
  for (const PendingRecord& pending : execution_->pending) {
    tasks = std::max(tasks, pending.task + 1u);
    objects = std::max({objects, pending.object, pending.object2});
  }
  for (const StateChange& change : execution_->changes) tasks = std::max(tasks, change.task + 1u);
  if (objects >= accessed_.size()) {
    accessed_.resize(objects + 1u);
    written_.resize(objects + 1u);
    waiting_.resize(objects + 1u);
  }
  if (tasks > tasks_) {
    tasks_ = tasks;
    changes_.resize(tasks_);
    kept = 0;  // clocks have an entry for each task
  }
  events_.resize(kept);
  accesses_.resize(kept);
  previous_.resize(kept);
  const auto cut = [kept](std::vector<std::uint32_t>& list) {
    while (!list.empty() && list.back() >= kept) list.pop_back();
  };
  for (auto& list : accessed_) cut(list);
  for (auto& list : written_) cut(list);
  for (auto* list : {&everything_, &outside_, &creating_}) cut(*list);
  return kept;
}

void Races::read_steps(std::uint32_t first) {
  const auto& steps = execution_->steps;
  for (std::size_t step = first; step < steps.size(); ++step) {
    const StepRecord& made = steps[step];
    const Access access = with_what_is_left(access_of(made.operation, made.object, made.object2, changes(made)),
                                            made.operation, made.result);
    accesses_.push_back(with_time(access, made.variant == kTimeout, early_timeouts_));
  }
  // With this step the process came to its end: it depends on everything, as a ProcessExit does.
  const EndKind end = execution_->end.end;
  if (steps.size() > first && (end == EndKind::Misuse || end == EndKind::Crashed)) accesses_.back().everything = true;
  for (auto& list : changes_)
    while (!list.empty() && list.back().step >= first) list.pop_back();
  const auto& all = execution_->changes;
  for (auto change = std::lower_bound(all.begin(), all.end(), first,
                                      [](const StateChange&one, std::uint32_t step) { return one.step < step; });
       change != all.end(); ++change)
    changes_[change->task].push_back(*change);
}

// Sleep sets and wakeup trees compare steps of different executions, in which one object may have different numbers:
// they are given in the order of first use.
void Races::name_objects(std::uint32_t first) {
  names_.resize(accessed_.size());
  for (std::uint32_t id = 0; id < names_.size(); ++id) names_[id] = id;
  for (const ObjectRecord& object : execution_->objects)
    if (object.object < names_.size()) names_[object.object] = name_of(object);
  for (const TaskRecord& task : execution_->tasks)
    if (task.object < names_.size() && task.object != kNoObject)
      names_[task.object] = static_cast<std::uint32_t>(ObjectKind::Thread) << ObjectName::kKindShift | task.task;
  for (std::size_t i = first; i < accesses_.size(); ++i)
    events_.push_back({choice_of(execution_->steps[i]), named(accesses_[i])});
}

std::uint32_t Races::name_of(const ObjectRecord& object) {
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

std::uint32_t Races::name_of(ObjectId object) const {
  return object == kNoObject ? kNoObject : object < names_.size() ? names_[object] : object;
}

Access Races::named(Access access) const {
  access.object = name_of(access.object);
  access.second = name_of(access.second);
  return access;
}

// A task begins behind the last step of its creator before it was seen first.
void Races::find_creations() {
  created_by_.assign(tasks_, kNone);
  for (const TaskRecord& task : execution_->tasks) {
    if (task.task >= tasks_ || task.parent >= tasks_ || changes_[task.task].empty()) continue;
    for (std::uint32_t step = changes_[task.task].front().step; step-- > 0;) {
      if (execution_->steps[step].task != task.parent) continue;
      created_by_[task.task] = step;
      break;
    }
  }
}

// A signal lets a waiter go on without a step of the waiter: the reacquire that follows happens after it.
void Races::find_wakers() {
  woken_by_.assign(execution_->steps.size(), kNone);
  signalled_.assign(tasks_, kNone);
  for (auto& queue : waiting_) queue.clear();
  for (std::uint32_t step = 0; step < execution_->steps.size(); ++step) take_waker(step);
}

void Races::take_waker(std::uint32_t step) {
  const StepRecord& made = execution_->steps[step];
  auto& queue = waiting_[made.object];
  switch (made.operation) {
    case OperationKind::ConditionWait:
      queue.push_back(made.task);
      signalled_[made.task] = kNone;
      break;
    case OperationKind::ConditionWake:
      queue.erase(std::remove(queue.begin(), queue.end(), made.task), queue.end());
      break;
    case OperationKind::ConditionSignal:
      if (made.variant >= queue.size()) break;
      signalled_[queue[made.variant]] = step;
      queue.erase(queue.begin() + made.variant);
      break;
    case OperationKind::ConditionBroadcast:
      for (const TaskId task : queue) signalled_[task] = step;
      queue.clear();
      break;
    case OperationKind::MutexReacquire:
      woken_by_[step] = signalled_[made.task];
      break;
    default:
      break;
  }
}

// --- the order

void Races::join(std::uint32_t step, std::uint32_t earlier) {
  if (earlier == kNone) return;
  std::uint32_t* own = clock(step);
  const std::uint32_t* other = clock(earlier);
  for (std::uint32_t task = 0; task < tasks_; ++task) own[task] = std::max(own[task], other[task]);
}

void Races::order_steps(std::uint32_t first) {
  const auto steps = static_cast<std::uint32_t>(events_.size());
  clocks_.resize(std::size_t{first} * tasks_);
  clocks_.resize(std::size_t{steps} * tasks_, 0);
  previous_.resize(steps, kNone);
  last_of_.assign(tasks_, kNone);
  for (std::uint32_t step = 0; step < first; ++step) last_of_[events_[step].choice.task] = step;
  const auto join_last = [this](std::uint32_t step, std::vector<std::uint32_t>& list, bool member) {
    if (!member) return;
    if (!list.empty()) join(step, list.back());
    list.push_back(step);
  };
  for (std::uint32_t step = first; step < steps; ++step) {
    const TaskId task = events_[step].choice.task;
    const Access& access = accesses_[step];
    previous_[step] = last_of_[task];
    join(step, last_of_[task] != kNone ? last_of_[task] : created_by_[task]);
    join(step, woken_by_[step]);
    if (access.everything)
      for (const std::uint32_t last : last_of_) join(step, last);
    if (!access.everything && !everything_.empty()) join(step, everything_.back());
    join_last(step, everything_, access.everything);
    join_last(step, outside_, access.outside);
    join_last(step, creating_, access.creates);
    for (const ObjectId object : {access.object, access.second}) {
      if (object == kNoObject) continue;
      auto& written = written_[object];
      auto& list = accessed_[object];
      if (!written.empty()) join(step, written.back());
      for (std::size_t i = list.size(); access.wrote && i-- > 0 && !accesses_[list[i]].wrote;) join(step, list[i]);
      list.push_back(step);
      if (access.wrote) written.push_back(step);
    }
    clock(step)[task] = step + 1;
    last_of_[task] = step;
  }
}

// --- races

void Races::find_races(std::uint32_t first) {
  const auto steps = static_cast<std::uint32_t>(events_.size());
  find_last_before(first);
  for (std::uint32_t step = first; step < steps; ++step) {
    if (step != first) last_before_[events_[step - 1].choice.task] = step - 1;
    const StepRecord& made = execution_->steps[step];
    const std::uint32_t before = previous_[step] != kNone ? previous_[step] : created_by_[made.task];
    Second second;
    second.kind = made.operation;
    second.task = made.task;
    second.step = step;
    second.access = accesses_[step];
    second.event = events_[step];
    second.timed_out = ended_by_deadline(made);
    second.timed = second.timed_out || has_deadline(made.operation, made.marks);
    // Where no timeout fires early, what moves the clock depends on everything: it was not moved in between.
    second.overdue = !early_timeouts_ && second.timed_out && made.variant != kTimeout;
    second.was_open = (made.marks & mark_needed(made.operation)) != 0;
    if (!second.timed_out) {
      // Taken earlier, it may have another outcome and change its object.
      second.event.choice.variant = 0;
      second.event.access.wrote = access_of(made.operation, made.object, made.object2, true).wrote;
    }
    const bool reacquires = made.operation == OperationKind::MutexReacquire;
    if (reacquires) second.condition = made.object2;
    set_past(second, before, reacquires ? woken_by_[step] : kNone);
    look_for(second);
  }
  last_before_ = last_of_;
  look_at_pending();
}

void Races::find_last_before(std::uint32_t first) {
  last_before_ = last_of_;
  for (std::uint32_t& step : last_before_)
    while (step != kNone && step >= first) step = previous_[step];
}

// What came before it whatever the order: the task's own step, and the signal that let it go on.
void Races::set_past(Second& second, std::uint32_t before, std::uint32_t signal) {
  second.behind = before;
  second.signal = signal;
  past_.assign(tasks_, 0);
  for (const std::uint32_t step : {before, signal})
    for (std::uint32_t task = 0; step != kNone && task < tasks_; ++task)
      past_[task] = std::max(past_[task], clock(step)[task]);
}

void Races::look_at_pending() {
  const EndRecord& end = execution_->end;
  const auto steps = static_cast<std::uint32_t>(events_.size());
  const bool ended_by_itself = end.end == EndKind::Exited || end.end == EndKind::Crashed || end.end == EndKind::Misuse;
  const bool process_ended = steps != 0 && accesses_[steps - 1].everything;
  // The step behind which nothing else could be done.
  std::uint32_t last = process_ended ? steps - 1 : kNone;
  if (!process_ended && ended_by_itself && end.task < tasks_) last = last_of_[end.task];
  for (const PendingRecord& pending : execution_->pending) {
    if (pending.operation == OperationKind::ProcessExit || pending.operation == OperationKind::None) continue;
    if (ended_by_itself && pending.task == end.task) continue;
    const bool could_go_on = (pending.state & (TaskState::Enabled | TaskState::Timeout)) != 0;
    if (waits_to_be_released(pending.operation) && !could_go_on) continue;
    const Second second = second_of(pending);
    look_for(second);
    // Something else than the end of main() ended the process: what was about to be done could have come before it.
    if (could_go_on && !process_ended && last != kNone && !covered(second, last))
      races_.push_back({last, steps, as_it_would_go_on(second, last)});
  }
}

// What a task was about to do at the end.
Races::Second Races::second_of(const PendingRecord& pending) {
  Second second;
  second.kind = pending.operation;
  second.task = pending.task;
  second.step = static_cast<std::uint32_t>(events_.size());
  second.access = access_of(pending.operation, pending.object, pending.object2, true);
  const bool sleeps = pending.operation == OperationKind::Sleep;
  const bool could_go_on = (pending.state & TaskState::Enabled) != 0;
  if (sleeps && !could_go_on) second.access = with_time(second.access, true, early_timeouts_);
  second.timed_out = sleeps;
  second.timed = sleeps || has_deadline(pending.operation, pending.marks);
  second.was_open = (pending.marks & mark_needed(second.kind)) != 0;
  second.blocked = (pending.state & (TaskState::Enabled | TaskState::Timeout)) == 0;
  second.event = {{pending.task, 0}, named(second.access)};
  const bool reacquires = pending.operation == OperationKind::MutexReacquire;
  second.condition = reacquires ? pending.object2 : kNoObject;
  set_past(second, last_of_[pending.task] != kNone ? last_of_[pending.task] : created_by_[pending.task],
           reacquires ? signalled_[pending.task] : kNone);
  return second;
}

void Races::look_for(const Second& second) {
  candidates_.clear();
  const auto last_before = [&](const std::vector<std::uint32_t>& list) {
    const auto end = std::lower_bound(list.begin(), list.end(), second.step);
    if (end != list.begin() && !covered(second, *(end - 1))) candidate(second, *(end - 1));
  };
  if (waits_for_the_unseen(second.kind)) {
    look_back(second);
  } else if (second.access.everything) {
    look_everywhere(second);
    // What has to wait in front of the last step of another task could have had its object before: a lock that the
    // process crashed behind, a wait that ended by its deadline.
    if (second.access.object != kNoObject) look_on_object(second, second.access.object);
  } else {
    if (second.access.object != kNoObject) look_on_object(second, second.access.object);
    if (second.access.second != kNoObject) look_on_object(second, second.access.second);
    last_before(everything_);
    if (second.access.outside) last_before(outside_);
    if (second.access.creates) last_before(creating_);
  }
  settle(second);
}

// Walks back over the accesses to `object`, to the last ones that stand in the way.
void Races::look_on_object(const Second& second, ObjectId object) {
  const auto& list = second.access.wrote ? accessed_[object] : written_[object];
  bool read_found = false;
  for (std::size_t i = static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), second.step) - list.begin());
       i-- > 0;) {
    const std::uint32_t step = list[i];
    const bool wrote = accesses_[step].wrote;
    if (covered(second, step)) {
      if (wrote) return;
      continue;
    }
    if (wrote && read_found) return;  // it happens before those
    const bool stands_in_the_way = candidate(second, step);
    if (stands_in_the_way && wrote) return;
    read_found |= stands_in_the_way;
  }
}

void Races::look_everywhere(const Second& second) {
  // Then its deadline did not end the wait: only who took the object instead stands in the way.
  const auto open_then = [&](std::uint32_t step) {
    const bool was_pending = second.behind == kNone || second.behind < step;
    return second.timed_out && was_pending && (state_at(second.task, step) & TaskState::Enabled) != 0;
  };
  for (std::uint32_t task = 0; task < tasks_; ++task) {
    const std::uint32_t last = last_before_[task];
    if (task != second.task && last != kNone && !covered(second, last) && !open_then(last)) candidate(second, last);
  }
}

// What waits for the unseen, back to the last step before which it could have gone on: of those that decide whether it
// can, and of the others where none of these follows.
void Races::look_back(const Second& second) {
  const auto behind = [&](const std::vector<std::uint32_t>& list) {
    return std::lower_bound(list.begin(), list.end(), second.step);
  };
  auto everything = behind(everything_);
  auto outside = second.access.outside ? behind(outside_) : outside_.begin();
  if (second.access.everything && !second.blocked) {
    const std::uint32_t nearest = everything == everything_.begin() ? 0 : *(everything - 1) + 1;
    for (std::uint32_t task = 0; task < tasks_; ++task) {
      const std::uint32_t last = last_before_[task];
      if (last != kNone && last >= nearest && !covered(second, last)) candidate(second, last);
    }
  }
  while (everything != everything_.begin() || outside != outside_.begin()) {
    const bool is_outside =
        everything == everything_.begin() || (outside != outside_.begin() && *(outside - 1) > *(everything - 1));
    const std::uint32_t step = is_outside ? *--outside : *--everything;
    if (covered(second, step) || candidate(second, step)) return;
  }
}

// True: the second could have come before this step.
bool Races::candidate(const Second& second, std::uint32_t step) {
  if (events_[step].choice.task == second.task || !could_come_first(second, step)) return false;
  candidates_.push_back(step);
  return true;
}

bool Races::covered(const Second& second, std::uint32_t step) const {
  const TaskId task = events_[step].choice.task;
  if (task == second.task) return true;
  return past_[task] > step;
}

bool Races::could_come_first(const Second& second, std::uint32_t step) const {
  // Was it already about to be done when the step was taken? Then the record says whether it could have been.
  bool was_pending = second.behind == kNone || second.behind < step;
  // There since the signal, which may have nothing to do with this step and can come before it.
  if (second.signal != kNone) was_pending = second.signal < step;
  // A read in a loop that waits until what it reads is changed (model/spinning.h).
  const bool memory = object_kind(second.kind) == ObjectKind::Memory;
  const bool waits = waits_until_open(second.kind) || waits_to_be_released(second.kind) || second.timed || memory ||
                     waits_for_the_unseen(second.kind);
  // The process ended behind it: what it depends on need not have to do with its object, which may have been closed.
  if (second.access.everything && waits_until_open(second.kind) && !second.timed) return would_be_open(second, step);
  if (was_pending && waits) return (state_at(second.task, step) & (TaskState::Timeout | TaskState::Enabled)) != 0;
  if (second.timed && (early_timeouts_ || second.overdue || !second.timed_out)) return true;
  if (waits_until_open(second.kind)) return would_be_open(second, step);
  return !second.timed && !waits_to_be_released(second.kind);
}

// Where it was not yet about to be done, nobody has asked whether it could be.
bool Races::may_have_to_wait(const Second& second, std::uint32_t step) const {
  const bool was_pending = second.behind == kNone || second.behind < step;
  return !was_pending && (object_kind(second.kind) == ObjectKind::Memory || waits_for_the_unseen(second.kind));
}

std::uint8_t Races::state_at(TaskId task, std::uint32_t step) const {
  const auto& list = changes_[task];
  const auto behind = std::upper_bound(list.begin(), list.end(), step,
                                       [](std::uint32_t at, const StateChange& change) { return at < change.step; });
  return behind == list.begin() ? std::uint8_t{0} : (behind - 1)->state;
}

// Of what stands in the way, only what nothing else there follows.
void Races::settle(const Second& second) {
  for (const std::uint32_t step : candidates_) {
    const bool followed = std::any_of(candidates_.begin(), candidates_.end(),
                                      [&](std::uint32_t other) { return other != step && ordered(step, other); });
    if (followed) continue;
    races_.push_back({step, second.step, as_it_would_go_on(second, step), may_have_to_wait(second, step)});
  }
  if (second.kind == OperationKind::MutexReacquire) look_at_wake(second);
}

std::vector<Event> Races::reversal(const Race& race) const {
  std::vector<Event> result;
  std::vector<std::uint32_t> choices;  // left out
  for (std::uint32_t step = race.first + 1; step < events_.size(); ++step) {
    if (ordered(race.first, step)) continue;
    const auto behind = [&](std::uint32_t choice) { return ordered(choice, step); };
    if (step > race.second_step && execution_->steps[step].variants > 1)
      choices.push_back(step);
    else if (std::none_of(choices.begin(), choices.end(), behind))
      result.push_back(events_[step]);
  }
  result.push_back(race.second);
  return result;
}

}  // namespace heddle
