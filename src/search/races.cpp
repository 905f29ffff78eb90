// See races.h.
#include "search/races.h"

#include <algorithm>

#include "search/plain_end.h"
#include "search/wait_steps.h"

namespace heddle {

void Races::analyse(const Execution& execution, std::uint32_t kept, std::uint32_t known) {
  races_.clear();
  order_.read(execution, kept);
  plain_end_ = plain_end_of(execution).begin;
  find_races(known);
}

void Races::analyse_waiting(const Execution& execution, std::uint32_t kept, TaskId task) {
  races_.clear();
  order_.read(execution, kept);
  plain_end_ = plain_end_of(execution).begin;
  last_before_ = order_.last_of;
  for (const PendingRecord& pending : execution.pending)
    if (pending.task == task) search_for(second_of(pending));
}

void Races::find_races(std::uint32_t first) {
  const auto steps = static_cast<std::uint32_t>(order_.events.size());
  find_last_before(first);
  for (std::uint32_t step = first; step < steps; ++step) {
    if (step != first) last_before_[order_.events[step - 1].choice.task] = step - 1;
    const StepRecord& made = order_.execution->steps[step];
    if (is_plain_end(made)) continue;
    const std::uint32_t before =
        order_.previous_of[step] != kNone ? order_.previous_of[step] : order_.created_by[made.task];
    Second second;
    second.kind = made.operation;
    second.task = made.task;
    second.step = step;
    second.access = order_.accesses[step];
    second.event = order_.events[step];
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
    set_past(second, before, reacquires ? order_.woken_by[step] : kNone);
    search_for(second);
  }
  last_before_ = order_.last_of;
  scan_pending();
}

void Races::find_last_before(std::uint32_t first) {
  last_before_ = order_.last_of;
  for (std::uint32_t& step : last_before_)
    while (step != kNone && step >= first) step = order_.previous_of[step];
}

// What came before it whatever the order: the task's own step, and the signal that let it go on.
void Races::set_past(Second& second, std::uint32_t before, std::uint32_t signal) {
  second.behind = before;
  second.signal = signal;
  past_.assign(order_.task_count, 0);
  for (const std::uint32_t step : {before, signal})
    for (std::uint32_t task = 0; step != kNone && task < order_.task_count; ++task)
      past_[task] = std::max(past_[task], order_.clock_of(step)[task]);
}

void Races::scan_pending() {
  const EndRecord& end = order_.execution->end;
  const auto steps = static_cast<std::uint32_t>(order_.events.size());
  const bool ended_by_itself = end.end == EndKind::Exited || end.end == EndKind::Crashed || end.end == EndKind::Misuse;
  const bool process_ended = steps != 0 && order_.accesses[steps - 1].everything;
  // The step behind which nothing else could be done.
  std::uint32_t last = process_ended ? steps - 1 : kNone;
  if (!process_ended && ended_by_itself && end.task < order_.task_count) last = order_.last_of[end.task];
  for (const PendingRecord& pending : order_.execution->pending) {
    if (pending.operation == OperationKind::None) continue;
    // Who ends the process, and by which steps before, decides its exit status.
    const bool decides = end.end == EndKind::Exited || (ended_by_itself && is_plain_end(pending));
    if (pending.operation == OperationKind::ProcessExit && !decides) continue;
    if (ended_by_itself && pending.task == end.task) continue;
    const bool could_go_on = (pending.state & (TaskState::Enabled | TaskState::Timeout)) != 0;
    if (waits_to_be_released(pending.operation) && !could_go_on) continue;
    const Second second = second_of(pending);
    search_for(second);
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
  second.step = static_cast<std::uint32_t>(order_.events.size());
  const Access access = access_of(pending.operation, pending.object, pending.object2, true);
  second.access = with_order_marked(access, pending.operation, pending.marks);
  const bool sleeps = pending.operation == OperationKind::Sleep;
  const bool could_go_on = (pending.state & TaskState::Enabled) != 0;
  if (sleeps && !could_go_on) second.access = with_time(second.access, true, early_timeouts_);
  second.timed_out = sleeps;
  second.timed = sleeps || has_deadline(pending.operation, pending.marks);
  second.was_open = (pending.marks & mark_needed(second.kind)) != 0;
  second.blocked = (pending.state & (TaskState::Enabled | TaskState::Timeout)) == 0;
  second.event = {{pending.task, 0}, order_.named(second.access)};
  const bool reacquires = pending.operation == OperationKind::MutexReacquire;
  second.condition = reacquires ? pending.object2 : kNoObject;
  set_past(second,
           order_.last_of[pending.task] != kNone ? order_.last_of[pending.task] : order_.created_by[pending.task],
           reacquires ? order_.signalled[pending.task] : kNone);
  return second;
}

void Races::search_for(const Second& second) {
  candidates_.clear();
  const auto last_before = [&](const std::vector<std::uint32_t>& list) {
    const auto end = std::lower_bound(list.begin(), list.end(), second.step);
    if (end != list.begin() && !covered(second, *(end - 1))) candidate(second, *(end - 1));
  };
  if (waits_for_the_unseen(second.kind)) {
    scan_back(second);
  } else if (second.access.everything) {
    scan_all(second);
    // What has to wait in front of the last step of another task could have had its object before: a lock that the
    // process crashed behind, a wait that ended by its deadline.
    if (second.access.object != kNoObject) scan_object(second, second.access.object);
  } else {
    if (second.access.object != kNoObject) scan_object(second, second.access.object);
    if (second.access.second != kNoObject) scan_object(second, second.access.second);
    last_before(order_.with_everything);
    if (second.access.outside) last_before(order_.with_outside);
    if (second.access.creates) last_before(order_.creations);
    if (second.access.sequential) last_before(order_.fences);
    if (second.access.fence) scan_sequential(second);
  }
  settle(second);
}

// Walks back over the accesses to `object`, to the last ones that stand in the way.
void Races::scan_object(const Second& second, ObjectId object) {
  const auto& list = second.access.wrote ? order_.accesses_to[object] : order_.writes_to[object];
  bool read_found = false;
  for (std::size_t i = static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), second.step) - list.begin());
       i-- > 0;) {
    const std::uint32_t step = list[i];
    const bool wrote = order_.accesses[step].wrote;
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

// A fence of memory_order_seq_cst: the operations with that order since the last fence before it.
void Races::scan_sequential(const Second& second) {
  const auto& list = order_.sequential;
  const auto fence = std::lower_bound(order_.fences.begin(), order_.fences.end(), second.step);
  const auto begin =
      fence == order_.fences.begin() ? list.begin() : std::lower_bound(list.begin(), list.end(), *(fence - 1));
  for (auto one = std::lower_bound(list.begin(), list.end(), second.step); one != begin; --one)
    if (!covered(second, *(one - 1))) candidate(second, *(one - 1));
}

void Races::scan_all(const Second& second) {
  // Then its deadline did not end the wait: only who took the object instead stands in the way.
  const auto open_then = [&](std::uint32_t step) {
    const bool was_pending = second.behind == kNone || second.behind < step;
    return second.timed_out && was_pending && (order_.state_at(second.task, step) & TaskState::Enabled) != 0;
  };
  for (std::uint32_t task = 0; task < order_.task_count; ++task) {
    const std::uint32_t last = last_before_[task];
    if (task != second.task && last != kNone && !covered(second, last) && !open_then(last)) candidate(second, last);
  }
}

// What waits for the unseen, back to the last step before which it could have gone on: of those that decide whether it
// can, and of the others where none of these follows.
void Races::scan_back(const Second& second) {
  const auto behind = [&](const std::vector<std::uint32_t>& list) {
    return std::lower_bound(list.begin(), list.end(), second.step);
  };
  auto everything = behind(order_.with_everything);
  auto outside = second.access.outside ? behind(order_.with_outside) : order_.with_outside.begin();
  if (second.access.everything && !second.blocked) {
    const std::uint32_t nearest = everything == order_.with_everything.begin() ? 0 : *(everything - 1) + 1;
    for (std::uint32_t task = 0; task < order_.task_count; ++task) {
      const std::uint32_t last = last_before_[task];
      if (last != kNone && last >= nearest && !covered(second, last)) candidate(second, last);
    }
  }
  while (everything != order_.with_everything.begin() || outside != order_.with_outside.begin()) {
    const bool is_outside = everything == order_.with_everything.begin() ||
                            (outside != order_.with_outside.begin() && *(outside - 1) > *(everything - 1));
    const std::uint32_t step = is_outside ? *--outside : *--everything;
    if (covered(second, step) || candidate(second, step)) return;
  }
}

// True: the second could have come before this step.
bool Races::candidate(const Second& second, std::uint32_t step) {
  step = std::min(step, plain_end_);
  if (order_.events[step].choice.task == second.task || !could_come_first(second, step)) return false;
  candidates_.push_back(step);
  return true;
}

bool Races::covered(const Second& second, std::uint32_t step) const {
  const TaskId task = order_.events[step].choice.task;
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
  if (was_pending && waits)
    return (order_.state_at(second.task, step) & (TaskState::Timeout | TaskState::Enabled)) != 0;
  if (second.timed && (early_timeouts_ || second.overdue || !second.timed_out)) return true;
  if (waits_until_open(second.kind)) return would_be_open(second, step);
  return !second.timed && !waits_to_be_released(second.kind);
}

// Where it was not yet about to be done, nobody has asked whether it could be.
bool Races::may_have_to_wait(const Second& second, std::uint32_t step) const {
  const bool was_pending = second.behind == kNone || second.behind < step;
  return !was_pending && (object_kind(second.kind) == ObjectKind::Memory || waits_for_the_unseen(second.kind));
}

// Of what stands in the way, only what nothing else there follows.
void Races::settle(const Second& second) {
  for (const std::uint32_t step : candidates_) {
    const bool followed = std::any_of(candidates_.begin(), candidates_.end(), [&](std::uint32_t other) {
      return other != step && order_.ordered(step, other);
    });
    if (followed) continue;
    races_.push_back({step, second.step, as_it_would_go_on(second, step), may_have_to_wait(second, step)});
  }
  if (second.kind == OperationKind::MutexReacquire) scan_wake(second);
}

// --- waits: would their object be open if they came earlier, and what would they access then?

// Would the second find its object open without `step` and what happens after that? Whatever accesses the object
// behind the first of these that changed it happens after it too, so it would be left as that one found it, which the
// record says; without any such, as the second found it.
bool Races::would_be_open(const Second& second, std::uint32_t step) const {
  const ObjectId object = second.access.object;
  const auto& list = order_.writes_to[object];
  const auto goes = [&](std::uint32_t other) { return other == step || order_.ordered(step, other); };
  const auto behind = std::lower_bound(list.begin(), list.end(), second.step);
  const auto first = std::find_if(std::lower_bound(list.begin(), behind, step), behind, goes);
  if (first == behind) return second.was_open;
  const StepRecord& made = order_.execution->steps[*first];
  if (made.object == object) return (made.marks & mark_needed(second.kind)) != 0;
  return made.operation != OperationKind::ConditionWait;  // who waits has the mutex
}

// The second, before `step`.
Event Races::as_it_would_go_on(const Second& second, std::uint32_t step) const {
  Event event = second.event;
  if (waits_for_the_unseen(second.kind)) {
    event.access.wrote = true;  // if it goes on, and not by its deadline
    return event;
  }
  const bool refused = second.access.everything && !second.timed_out;
  if (refused || second.access.object == kNoObject || (!second.timed && !tries(second.kind))) return event;
  if ((waits_until_open(second.kind) || tries(second.kind)) && would_be_open(second, step))
    event.access = order_.named(access_of(second.kind, second.access.object, second.access.second, true));
  else
    event.access = order_.named(access_if_timed_out(second, step));
  return event;
}

// What a wait accesses that ends by its deadline before `step`.
Access Races::access_if_timed_out(const Second& second, std::uint32_t step) const {
  const bool leaves_queue = waits_to_be_released(second.kind);
  const bool was_pending = second.behind == kNone || second.behind < step;
  const bool fires = was_pending && (order_.state_at(second.task, step) & TaskState::Timeout) != 0;
  const Access access = access_of(second.kind, second.access.object, second.access.second, leaves_queue);
  return with_time(access, fires || (second.timed_out && !second.overdue), early_timeouts_);
}

// A signalled wait could have ended by its deadline before the signal.
void Races::scan_wake(const Second& second) {
  const std::uint32_t signal = second.signal;
  if (signal == kNone) return;
  const std::uint8_t state = order_.state_at(second.task, signal);
  if ((state & (TaskState::Timeout | TaskState::Enabled)) == 0) return;
  const Access access = access_of(OperationKind::ConditionWake, second.condition, kNoObject, true);
  const bool fires = (state & TaskState::Timeout) != 0;
  races_.push_back({signal, second.step, {{second.task, 0}, order_.named(with_time(access, fires, early_timeouts_))}});
}

// --- reversals

std::vector<Event> Races::reversal(const Race& race) const {
  std::vector<Event> result;
  std::vector<std::uint32_t> choices;  // pruned
  for (std::uint32_t step = race.first + 1; step < order_.events.size(); ++step) {
    if (order_.ordered(race.first, step)) continue;
    const auto behind = [&](std::uint32_t choice) { return order_.ordered(choice, step); };
    if (step > race.second_step && order_.execution->steps[step].variants > 1)
      choices.push_back(step);
    else if (std::none_of(choices.begin(), choices.end(), behind))
      result.push_back(order_.events[step]);
  }
  result.push_back(race.second);
  return result;
}

}  // namespace heddle
