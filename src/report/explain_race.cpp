// See explain_race.h.
#include "report/explain_race.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/wording.h"

namespace heddle {
namespace {

struct OneAccess {
  const RaceRecord& record;
  const std::vector<Site>& stack;
};

OneAccess earlier(const ExecutionRace& race) { return {race.earlier, race.earlier_stack}; }
OneAccess later(const ExecutionRace& race) { return {race.later, race.later_stack}; }

std::string verb(const RaceRecord& access) {
  const char* const does = (access.flags & RaceFlags::Write) != 0 ? "writes" : "reads";
  return (access.flags & RaceFlags::Atomic) != 0 ? fmt::format("{} atomically", does) : does;
}

Location location(const OneAccess& access, Names& names) {
  return names.location_of_stack(access.stack.empty() ? std::vector<Site>{access.record.site} : access.stack);
}

// "counter", "4 bytes at 0x7ff020200018".
std::string memory(const ExecutionRace& race, Names& names) {
  std::string variable = names.variable(race.later.address);
  if (!variable.empty()) return variable;
  return fmt::format("{} at {:#x}", counted(race.later.size, "byte"), race.later.address);
}

bool takes(const StepRecord& step) {
  switch (step.operation) {
    case OperationKind::MutexTryLock:
    case OperationKind::SpinTryLock:
    case OperationKind::TryReadLock:
    case OperationKind::TryWriteLock:
    case OperationKind::MutexLock:
    case OperationKind::SpinLock:
    case OperationKind::ReadLock:
    case OperationKind::WriteLock:
      return step.result == 0;
    case OperationKind::MutexReacquire:
      return true;
    default:
      return false;
  }
}

// What the thread holds after so many steps, in the order in which it took it.
std::vector<ObjectId> held(const Execution& execution, TaskId task, std::uint32_t steps) {
  std::vector<ObjectId> result;
  for (std::size_t i = 0; i < std::min<std::size_t>(steps, execution.steps.size()); ++i) {
    const StepRecord& step = execution.steps[i];
    if (step.task != task) continue;
    ObjectId released = kNoObject;
    if (takes(step)) result.push_back(step.object);
    if (step.operation == OperationKind::MutexUnlock || step.operation == OperationKind::SpinUnlock ||
        step.operation == OperationKind::RwUnlock)
      released = step.object;
    if (step.operation == OperationKind::ConditionWait) released = step.object2;
    const auto last = std::find(result.rbegin(), result.rend(), released);
    if (released != kNoObject && last != result.rend()) result.erase(std::next(last).base());
  }
  return result;
}

std::string locks(const Execution& execution, const RaceRecord& access, Names& names) {
  const std::vector<ObjectId> objects = held(execution, access.task, access.step);
  if (objects.empty()) return "holding no lock";
  std::string list;
  for (const ObjectId object : objects) list += (list.empty() ? "" : ", ") + names.object(object);
  return "holding " + list;
}

std::string one_access(const Execution& execution, const OneAccess& access, Names& names) {
  std::string text =
      fmt::format("\n{} {} it at {}, {} (after step {}).", names.task(access.record.task), verb(access.record),
                  names.full_place(location(access, names)), locks(execution, access.record, names),
                  access.record.step == 0 ? 0 : access.record.step - 1);
  for (const std::string& frame : names.frames_of_stack(access.stack)) text += "\n    " + frame;
  return text;
}

// What both hold, and so did not help.
std::string why(const Execution& execution, const ExecutionRace& race, Names& names) {
  const std::vector<ObjectId> first = held(execution, race.earlier.task, race.earlier.step);
  const std::vector<ObjectId> second = held(execution, race.later.task, race.later.step);
  std::string text = fmt::format(
      "\nNothing that {} did after its access comes before the access of {}: no unlock that {} has locked behind, no "
      "join, no signal through a semaphore, no release that it has acquired.",
      names.task(race.earlier.task), names.task(race.later.task), names.task(race.later.task));
  if (!first.empty() && !second.empty()) text += " They hold different locks.";
  if (first.empty() != second.empty()) text += " Only one of them holds a lock.";
  return text;
}

}  // namespace

Location race_location(const Execution& execution, Names& names) {
  return execution.races.empty() ? Location() : location(later(execution.races[0]), names);
}

std::string race_sentence(const Execution& execution, Names& names) {
  if (execution.races.empty()) return "two accesses to the same memory race";
  const ExecutionRace& race = execution.races[0];
  return fmt::format("{} {} {} at {} while {} {} it at {}, and nothing orders the two", names.task(race.later.task),
                     verb(race.later), memory(race, names), names.place(location(later(race), names)),
                     names.task(race.earlier.task), verb(race.earlier), names.place(location(earlier(race), names)));
}

std::string about_race(const Execution& execution, Names& names) {
  if (execution.races.empty()) return "Two accesses to the same memory race.";
  const ExecutionRace& race = execution.races[0];
  return fmt::format(
             "Two threads access {} ({}), at least one of them writes, and nothing orders them: what comes of it "
             "is undefined.",
             memory(race, names), counted(race.later.size, "byte")) +
         one_access(execution, earlier(race), names) + one_access(execution, later(race), names) +
         why(execution, race, names);
}

}  // namespace heddle
