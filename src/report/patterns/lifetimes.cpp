// Memory that is given back too early, or twice, and variables that a lock does not protect.
#include <algorithm>

#include "analysis/heap_fault.h"
#include "analysis/held_locks.h"
#include "analysis/outcome.h"
#include "report/patterns/patterns.h"

namespace heddle::patterns {
namespace {

bool gives_back(const RaceRecord& access) { return (access.flags & RaceFlags::Freed) != 0; }

// The race that the bug is; null: it is none.
const ExecutionRace* race_of(OutcomeKind kind, const Execution& execution) {
  return is_of_accesses(kind) && !execution.races.empty() ? &execution.races.front() : nullptr;
}
const ExecutionRace* race_of(const PatternInput& input) { return race_of(input.kind, input.execution); }

struct Access {
  const RaceRecord& record;
  Prose place;
};

Access access_of(const PatternInput& input, const RaceRecord& record, const std::vector<Site>& stack) {
  Places& places = input.names.places();
  return {record, places.name(places.of_access(record, stack))};
}

Access earlier_of(const PatternInput& input, const ExecutionRace& race) {
  return access_of(input, race.earlier, race.earlier_stack);
}

Access later_of(const PatternInput& input, const ExecutionRace& race) {
  return access_of(input, race.later, race.later_stack);
}

// Something makes the later one come after the earlier one, in each schedule.
bool is_ordered(const PatternInput& input) {
  const ExecutionRace* const race = race_of(input);
  return race != nullptr && (race->later.flags & RaceFlags::Ordered) != 0;
}

struct FreedAndUsed {
  Access freed, used;
};

// Where one of the two gives the memory back, and only one.
std::optional<FreedAndUsed> freed_and_used(const PatternInput& input) {
  const ExecutionRace* const race = race_of(input);
  if (race == nullptr || gives_back(race->earlier) == gives_back(race->later)) return {};
  if (gives_back(race->earlier)) return FreedAndUsed{earlier_of(input, *race), later_of(input, *race)};
  return FreedAndUsed{later_of(input, *race), earlier_of(input, *race)};
}

bool joined_before(const Execution& execution, TaskId task, TaskId by, std::size_t step) {
  const ObjectId thread = execution.tasks[task].object;
  for (std::size_t i = 0; i < std::min<std::size_t>(step, execution.steps.size()); ++i) {
    const StepRecord& one = execution.steps[i];
    if (one.task == by && one.operation == OperationKind::ThreadJoin && one.object == thread) return true;
  }
  return false;
}

bool was_created_by(const Execution& execution, TaskId task, TaskId owner) {
  return task < execution.tasks.size() && execution.tasks[task].parent == owner;
}

const char* does(const RaceRecord& access) {
  return (access.flags & RaceFlags::Used) != 0 ? "uses" : (access.flags & RaceFlags::Write) != 0 ? "writes" : "reads";
}

// The object that a thread is about to use: its memory was freed before.
Prose object_of_misuse(const PatternInput& input) {
  const PendingRecord* const pending = pending_of(input.execution, input.execution.end.task);
  return pending == nullptr || pending->object == kNoObject ? Prose("it") : Prose(input.names.object(pending->object));
}

}  // namespace

Prose double_free(const PatternInput& input) {
  if (input.kind != OutcomeKind::Crash) return {};
  const auto fault = heap_fault(input.execution);
  if (!fault || fault->events.empty() || !fault->events.front().freed) return {};
  const BlockEvent& first = fault->events.front();
  const Prose place = first.stack.empty()
                          ? Prose()
                          : prose(" at {}", input.names.places().name(input.names.places().of_stack(first.stack)));
  return prose("{} frees the block{}, and {} frees or resizes it after that.", input.names.task(first.task), place,
               input.names.task(input.execution.end.task));
}

Prose missing_join(const PatternInput& input) {
  const auto both = freed_and_used(input);
  if (!both || !thread_not_joined(input.kind, input.execution)) return {};
  const RaceRecord &freed = both->freed.record, &used = both->used.record;
  const bool ends = (freed.flags & RaceFlags::Ended) != 0;
  const Prose gives_up =
      ends ? Prose("ends, and its stack with it,") : prose("frees the memory at {}", both->freed.place);
  return prose("{} {} and has not joined {}, which it created and which {} that memory at {}.",
               input.names.task(freed.task), gives_up, input.names.task(used.task), does(used), both->used.place);
}

Prose use_after_free(const PatternInput& input) {
  if (input.kind == OutcomeKind::Misuse && is_use_after_free(input.execution)) {
    const auto fault = heap_fault(input.execution);
    if (!fault || fault->events.empty() || !fault->events.front().freed) return {};
    return prose("{} frees the memory of {}, and {} uses it after that.", input.names.task(fault->events.front().task),
                 object_of_misuse(input), input.names.task(input.execution.end.task));
  }
  const auto both = freed_and_used(input);
  if (!both) return {};
  const Span owner = input.names.task(both->freed.record.task), user = input.names.task(both->used.record.task);
  if ((both->freed.record.flags & RaceFlags::Ended) != 0)
    return prose("{} has ended, and its stack with it. {} {} that memory at {}.", owner, user, does(both->used.record),
                 both->used.place);
  if (is_ordered(input))
    return prose("{} frees the memory at {}. After that, {} {} it at {}.", owner, both->freed.place, user,
                 does(both->used.record), both->used.place);
  return prose("{} frees the memory at {}. {} {} it at {}, and neither waits for the other.", owner, both->freed.place,
               user, does(both->used.record), both->used.place);
}

Prose missing_lock(const PatternInput& input) {
  const ExecutionRace* const race = race_of(input);
  constexpr unsigned kOther = RaceFlags::Freed | RaceFlags::Used;  // not a matter of a variable and its lock
  if (race == nullptr || ((race->earlier.flags | race->later.flags) & kOther) != 0) return {};
  const auto held = [&](const RaceRecord& access) { return held_locks(input.execution, access.task, access.step); };
  const std::vector<ObjectId> first = held(race->earlier), second = held(race->later);
  if (first.empty() == second.empty()) return {};
  const Access one = earlier_of(input, *race), other = later_of(input, *race);
  const Access &with = first.empty() ? other : one, &without = first.empty() ? one : other;
  const std::string variable = input.names.variable(*race);
  return prose("{} {} {} at {} and holds {}. {} {} it at {} and holds no lock{}.", input.names.task(with.record.task),
               does(with.record), variable.empty() ? std::string("the memory") : variable, with.place,
               input.names.object((first.empty() ? second : first).back()), input.names.task(without.record.task),
               does(without.record), without.place, input.names.uninstrumented_files().empty() ? "" : " that is seen");
}

}  // namespace heddle::patterns

namespace heddle {

// Who gives the memory back has created the thread that uses it, and does not wait for it.
std::optional<TaskId> thread_not_joined(OutcomeKind kind, const Execution& execution) {
  using namespace patterns;
  const ExecutionRace* const race = race_of(kind, execution);
  if (race == nullptr || gives_back(race->earlier) == gives_back(race->later)) return {};
  const RaceRecord& freed = gives_back(race->earlier) ? race->earlier : race->later;
  const RaceRecord& used = gives_back(race->earlier) ? race->later : race->earlier;
  const bool ends = (freed.flags & RaceFlags::Ended) != 0, is_ordered = (race->later.flags & RaceFlags::Ordered) != 0;
  if (!ends && is_ordered) return {};  // it was created behind that
  if (!was_created_by(execution, used.task, freed.task)) return {};
  if (joined_before(execution, used.task, freed.task, freed.step)) return {};
  return used.task;
}

}  // namespace heddle
