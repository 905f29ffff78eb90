// Plain words on bugs; see explain.h. Only what the execution shows is said; no guess at the cause is made.
#include "report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "report/explain_heap.h"
#include "report/explain_race.h"
#include "report/phrases.h"
#include "report/wording.h"

namespace heddle {
namespace {

std::optional<std::size_t> pending_index(const Execution& execution, TaskId task) {
  for (std::size_t i = 0; i < execution.pending.size(); ++i)
    if (execution.pending[i].task == task) return i;
  return {};
}

// Whom a blocked task waits for, where that is one task.
TaskId waits_for_task(const Execution& execution, const PendingRecord& pending) {
  const std::vector<TaskId> all = holders(execution, pending);
  for (const TaskId holder : all)
    if (holder != pending.task) return holder;
  if (!all.empty()) return all[0];
  if (pending.operation != OperationKind::ThreadJoin) return kNoTask;
  for (const TaskRecord& task : execution.tasks)
    if (task.object == pending.object) return task.task;
  return kNoTask;
}

// The tasks that wait for each other in a ring, if there are such.
std::vector<TaskId> ring_of_waiters(const Execution& execution) {
  for (const PendingRecord& start : execution.pending) {
    std::vector<TaskId> path;
    const PendingRecord* pending = &start;
    while (pending != nullptr && path.size() <= execution.pending.size()) {
      const auto again = std::find(path.begin(), path.end(), pending->task);
      if (again != path.end()) return {again, path.end()};
      path.push_back(pending->task);
      const TaskId next = waits_for_task(execution, *pending);
      pending = next == kNoTask ? nullptr : pending_of(execution, next);
    }
  }
  return {};
}

std::string about_ring(const Execution& execution, Names& names) {
  const std::vector<TaskId> ring = ring_of_waiters(execution);
  if (ring.size() == 1) return fmt::format(" {} waits for what it holds itself.", names.task(ring[0]));
  if (ring.empty()) return {};
  return fmt::format(" {} wait for each other.", listed(ring, names));
}

// The last time that somebody signalled what `pending` waits on.
std::string about_signals(const Execution& execution, const PendingRecord& pending, Names& names) {
  Phrases phrases(execution, names);
  const std::string object = names.object(pending.object);
  for (std::size_t i = execution.steps.size(); i-- > 0;) {
    const StepRecord& step = execution.steps[i];
    const bool signals =
        step.operation == OperationKind::ConditionSignal || step.operation == OperationKind::ConditionBroadcast;
    if (step.object != pending.object || !signals) continue;
    const std::string who = fmt::format("{} at {}", names.task(step.task), names.place_of_step(i));
    if (phrases.in_vain(i))
      return fmt::format("\nThe last signal on {} came from {} (step {}), when nobody was waiting: it had no effect.",
                         object, who, i);
    return fmt::format("\nThe last signal on {} came from {} (step {}) and woke {}.", object, who, i,
                       listed(phrases.woken_by(i), names));
  }
  return fmt::format("\nNobody has ever signalled {}.", object);
}

bool on_condition(const PendingRecord& pending) {
  return is_blocked(pending) &&
         (pending.operation == OperationKind::ConditionWake || pending.operation == OperationKind::ConditionWait);
}

// A deadlock, or threads that spin and will for ever.
bool stands_still(const Execution& execution, OutcomeKind kind) {
  return kind == OutcomeKind::Deadlock || (kind == OutcomeKind::Livelock && execution.end.end == EndKind::Deadlock);
}

std::string about_standing_still(const Execution& execution, OutcomeKind kind, Names& names) {
  std::string result =
      kind == OutcomeKind::Deadlock
          ? "The program stands still for ever: no thread can go on." + about_ring(execution, names)
          : "The program gets nowhere any more: what is left of it waits by reading in a loop, without "
            "yielding, for a change that no thread can make.";
  result += fmt::format("\n{}.", deadlock_sentence(execution, names));
  std::set<ObjectId> told;
  for (const PendingRecord& pending : execution.pending)
    if (on_condition(pending) && told.insert(pending.object).second) result += about_signals(execution, pending, names);
  return result;
}

// The place that assert() tells of itself; empty for what else a program ends by.
std::string place_of_assertion(const Execution& execution) {
  const ExecutionMessage* message = execution.message(MessageKind::AssertionFailed);
  if (message == nullptr) return {};
  const std::string& text = message->text;  // the expression, the file, the line, the function
  const std::size_t file = text.find('\0') + 1, line = text.find('\0', file) + 1;
  if (file == 0 || line == 0) return {};
  return fmt::format("{}:{}", text.c_str() + file, text.c_str() + line);
}

// Without call stacks (a C program's, until the bug is run again) all that is known of an end by a signal may be where
// Heddle made the system call for it: that is not a place of the program's.
bool is_place_of_heddle(const Location& location) { return is_of_heddle(location.frame); }

std::string who_and_where(const Execution& execution, Names& names) {
  const TaskId task = execution.end.task;
  if (task >= execution.tasks.size()) return "the program";
  const auto index = pending_index(execution, task);
  std::string place;
  if (index && execution.pending[*index].site != 0)
    place = is_place_of_heddle(names.location_of_pending(*index)) ? place_of_assertion(execution)
                                                                  : names.place_of_pending(*index);
  return names.task(task) + (place.empty() ? "" : " at " + place);
}

// Where the threads go round: what a livelock's loop is made of.
std::string about_loop(const Execution& execution, const Loop& loop, Names& names) {
  constexpr std::size_t kMostPlaces = 8;
  const std::size_t count = execution.steps.size(), first = loop.first;
  std::map<TaskId, std::vector<std::string>> places;
  for (std::size_t i = first; i < count; ++i) {
    std::vector<std::string>& own = places[execution.steps[i].task];
    const std::string place = names.place_of_step(i);
    if (own.size() < kMostPlaces && std::find(own.begin(), own.end(), place) == own.end()) own.push_back(place);
  }
  std::string result;
  for (const auto& [task, own] : places)
    result += loop.proved ? fmt::format("\n{} goes round at {}.", capitalized(names.task(task)), fmt::join(own, ", "))
                          : fmt::format("\nIn the last {} steps {} was at {}.", grouped(count - first),
                                        names.task(task), fmt::join(own, ", "));
  return result;
}

std::string about_going_round(OutcomeKind kind, const std::string& message, const Execution& execution, Names& names) {
  const Loop loop = loop_of(execution);
  std::string result;
  if (loop.proved)
    result = fmt::format(
        "{}: what every thread is about to do, every lock, and the memory. So steps {} to {} can follow each other for "
        "ever.",
        capitalized(message), loop.first, execution.steps.size() - 1);
  else
    result =
        fmt::format("{}, and was stopped there. That it never would is likely, and not proved.", capitalized(message));
  std::vector<std::string> waiting;
  for (const TaskId task : kept_waiting(execution, loop)) waiting.push_back(names.task(task));
  if (waiting.empty()) waiting.emplace_back("another thread");
  if (kind == OutcomeKind::GoodSamaritan)
    result += fmt::format(
        "\nWho goes round never gives way: no yield, no sleep, no wait. {} could have gone on meanwhile, and waits "
        "for a time slice to end.",
        capitalized(fmt::format("{}", fmt::join(waiting, ", "))));
  else if (loop.proved)
    result += "\nThe scheduler is not to blame: every thread that could go on did so in between.";
  return result + about_loop(execution, loop, names);
}

// What other threads did last to the object of a misuse.
std::string about_last_use(const Execution& execution, Names& names) {
  const auto index = pending_index(execution, execution.end.task);
  if (!index || execution.pending[*index].object == kNoObject) return {};
  Phrases phrases(execution, names);
  for (std::size_t i = execution.steps.size(); i-- > 0;) {
    const StepRecord& step = execution.steps[i];
    if (step.object != execution.pending[*index].object || step.task == execution.end.task) continue;
    return fmt::format("\nThe last thing that another thread did with it: {} {}, at {} (step {}).",
                       names.task(step.task), phrases.step(i), names.place_of_step(i), i);
  }
  return {};
}

// One that has no name of its own is called "thread 2" already.
std::string called_thread(const std::string& name) { return name.rfind("thread ", 0) == 0 ? name : "thread " + name; }

}  // namespace

std::string explained_message(const Outcome& outcome, const Execution& execution, Names& names) {
  if (stands_still(execution, outcome.kind)) return deadlock_sentence(execution, names);
  switch (outcome.kind) {
    case OutcomeKind::Misuse: {
      const ExecutionMessage* message = execution.message(MessageKind::Misuse);
      if (message == nullptr) return outcome.message;
      const auto index = pending_index(execution, execution.end.task);
      const std::string object = index && execution.pending[*index].object != kNoObject
                                     ? " (" + names.object(execution.pending[*index].object) + ")"
                                     : "";
      return fmt::format("{} {}{}", names.task(execution.end.task), message->text, object);
    }
    case OutcomeKind::Crash:
      return (execution.end.task < execution.tasks.size()
                  ? fmt::format("{} ({})", outcome.message, called_thread(names.task(execution.end.task)))
                  : outcome.message) +
             freed_before(execution, names);
    case OutcomeKind::Race:
      return race_sentence(execution, names);
    default:
      return outcome.message;
  }
}

namespace {

// Of the threads that stand still one that waits at a line that is known and the user's, if there is one: a library's
// own threads wait for work whatever happens.
std::optional<std::size_t> telling_wait(const Execution& execution, Names& names) {
  for (std::size_t i = 0; i < execution.pending.size(); ++i) {
    const PendingRecord& pending = execution.pending[i];
    if (!is_blocked(pending) || pending.operation == OperationKind::ThreadJoin || pending.site == 0) continue;
    const Frame& frame = names.location_of_pending(i).frame;
    if (is_user_code(frame) && !frame.file.empty()) return i;
  }
  return telling_blocked(execution);
}

}  // namespace

std::string place_of(const Outcome& outcome, const Execution& execution, Names& names) {
  if (outcome.kind == OutcomeKind::Race)
    return outcome.site == 0 ? "" : names.full_place(race_location(execution, names));
  const auto index = stands_still(execution, outcome.kind) ? telling_wait(execution, names)
                                                           : pending_index(execution, execution.end.task);
  if (index && execution.pending[*index].site != 0) {
    const Location location = names.location_of_pending(*index);
    return is_place_of_heddle(location) ? place_of_assertion(execution) : names.full_place(location);
  }
  const bool round = outcome.kind == OutcomeKind::Livelock || outcome.kind == OutcomeKind::GoodSamaritan;
  if (round && !execution.steps.empty()) return names.full_place(names.location_of_step(execution.steps.size() - 1));
  if (outcome.site == 0) return {};
  const Location location = names.location_of_site(outcome.site);
  return is_place_of_heddle(location) ? place_of_assertion(execution) : names.full_place(location);
}

std::vector<std::string> timeouts_fired(const Execution& execution, Names& names) {
  constexpr std::size_t kMostNamed = 12;
  const auto fired = [](const StepRecord& step) { return step.variant == kTimeout; };
  const auto all = static_cast<std::size_t>(std::count_if(execution.steps.begin(), execution.steps.end(), fired));
  std::vector<std::string> result;
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    if (!fired(step)) continue;
    if (result.size() == kMostNamed && all > kMostNamed + 1) {
      result.push_back(fmt::format("and {} more", grouped(all - kMostNamed)));
      break;
    }
    if (step.operation == OperationKind::TimerExpire) {
      result.push_back(fmt::format("{} expires (step {})", names.task(step.task), i));
      continue;
    }
    const std::string object = step.object == kNoObject ? "" : " on " + names.object(step.object);
    result.push_back(fmt::format("{}'s {}{} at {} (step {})", names.task(step.task),
                                 step.operation == OperationKind::Sleep ? "sleep" : "wait", object,
                                 names.place_of_step(i), i));
  }
  return result;
}

std::string what_went_wrong(OutcomeKind kind, const std::string& message, const Execution& execution, Names& names) {
  if (stands_still(execution, kind)) return about_standing_still(execution, kind, names);
  switch (kind) {
    case OutcomeKind::Assertion:
      return fmt::format("A check failed in {}:\n{}", who_and_where(execution, names), message);
    case OutcomeKind::Crash:
      return fmt::format("The program crashed in {}:\n{}{}", who_and_where(execution, names), message,
                         about_heap_fault(execution, names));
    case OutcomeKind::Exception:
      return fmt::format("An exception that nobody caught ended the program, in {}:\n{}",
                         who_and_where(execution, names), message);
    case OutcomeKind::Exit:
      return fmt::format("{}.", capitalized(message));
    case OutcomeKind::Livelock:
    case OutcomeKind::GoodSamaritan:
      return about_going_round(kind, message, execution, names);
    case OutcomeKind::Misuse:
      return fmt::format("The program did what pthreads does not allow, in {}:\n{}.{}", who_and_where(execution, names),
                         message, about_last_use(execution, names));
    case OutcomeKind::Race:
      return about_race(execution, names);
    case OutcomeKind::Deadlock:
    case OutcomeKind::Ok:
    case OutcomeKind::Diverged:
    case OutcomeKind::NoVerdict:
      break;
  }
  return message;
}

}  // namespace heddle
