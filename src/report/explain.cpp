// Plain words on bugs; see explain.h. They say only what the execution shows, and never guess at the cause.
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

Prose about_ring(const Execution& execution, Names& names) {
  const std::vector<TaskId> ring = ring_of_waiters(execution);
  if (ring.size() == 1) return prose(" {} waits for what it holds itself.", names.task(ring[0]));
  if (ring.empty()) return {};
  return prose(" {} wait for each other.", listed(ring, names));
}

// The last time that somebody signalled what `pending` waits on.
Prose about_signals(const Execution& execution, const PendingRecord& pending, Names& names) {
  Phrases phrases(execution, names);
  const Span object = names.object(pending.object);
  for (std::size_t i = execution.steps.size(); i-- > 0;) {
    const StepRecord& step = execution.steps[i];
    const bool signals =
        step.operation == OperationKind::ConditionSignal || step.operation == OperationKind::ConditionBroadcast;
    if (step.object != pending.object || !signals) continue;
    const Prose who = prose("{} at {}", names.task(step.task), names.places().name_of_step(i));
    if (phrases.in_vain(i))
      return prose("The last signal on {} came from {} (step {}), when nobody was waiting: it had no effect.", object,
                   who, step_span(i));
    return prose("The last signal on {} came from {} (step {}) and woke {}.", object, who, step_span(i),
                 listed(phrases.woken_by(i), names));
  }
  return prose("Nobody has ever signalled {}.", object);
}

bool on_condition(const PendingRecord& pending) {
  return is_blocked(pending) &&
         (pending.operation == OperationKind::ConditionWake || pending.operation == OperationKind::ConditionWait);
}

// A deadlock, or threads that spin and will for ever.
bool hangs(const Execution& execution, OutcomeKind kind) {
  return kind == OutcomeKind::Deadlock || (kind == OutcomeKind::Livelock && execution.end.end == EndKind::Deadlock);
}

Paragraph about_hanging(const Execution& execution, OutcomeKind kind, Names& names) {
  Paragraph result;
  const Prose ticking = services_sentence(execution, names);
  if (is_likely_only(execution)) {
    result.add(
        prose("{}: in the last {} steps nobody else went on. That nobody ever will is likely, and not proved: "
              "it may take yet more rounds.",
              ticking, grouped(execution.steps.size() - execution.end.loop_from)));
    result.add(prose("{}.", deadlock_sentence(execution, names)));
    return result;
  }
  const Prose but = ticking.empty() ? Prose() : prose(" {}: it wakes again and again, and lets nobody go on.", ticking);
  result.add(kind == OutcomeKind::Deadlock
                 ? "The program stands still for ever: no thread can go on." + but + about_ring(execution, names)
                 : "The program gets nowhere any more: what is left of it waits by reading in a loop, without "
                   "yielding, for a change that no thread can make.");
  result.add(prose("{}.", deadlock_sentence(execution, names)));
  return result;
}

// The place that assert() tells of itself; empty for what else a program ends by.
Span place_of_assertion(const Execution& execution) {
  const ExecutionMessage* message = execution.message(MessageKind::AssertionFailed);
  if (message == nullptr) return {};
  const std::vector<std::string> fields = fields_of(message->text);  // the expression, the file, the line, …
  if (fields[1].empty()) return {};
  return {SpanKind::Place, fields[1] + ":" + fields[2], 0, 0, {fields[1], std::atoi(fields[2].c_str()), ""}};
}

// Without call stacks (a C program's, until the bug is run again) all that is known of an end by a signal may be where
// Heddle made the system call for it: that is not a place of the program's.
bool is_place_of_heddle(const Location& location) { return is_of_heddle(location.frame); }

Prose who_and_where(const Execution& execution, Names& names) {
  const TaskId task = execution.end.task;
  if (task >= execution.tasks.size()) return "the program";
  const auto index = pending_index(execution, task);
  Prose place;
  if (index && execution.pending[*index].site != 0)
    place = is_place_of_heddle(names.places().of_pending(*index)) ? place_of_assertion(execution)
                                                                  : names.place_of_pending(*index);
  return names.task(task) + (place.empty() ? Prose() : " at " + place);
}

// What the threads do while they go round: what a livelock's loop is made of.
void add_loop(Paragraph& paragraph, const Execution& execution, const Loop& loop, Names& names) {
  constexpr std::size_t kMaxPlaces = 8;
  const std::size_t count = execution.steps.size(), first = loop.first;
  Phrases phrases(execution, names);
  std::map<TaskId, std::vector<Prose>> done;
  for (std::size_t i = first; i < count; ++i) {
    std::vector<Prose>& own = done[execution.steps[i].task];
    const Prose one = prose("{} ({})", phrases.step(i), names.places().name_of_step(i));
    const auto is_same = [&](const Prose& other) { return other.text() == one.text(); };
    if (own.size() < kMaxPlaces && std::none_of(own.begin(), own.end(), is_same)) own.push_back(one);
  }
  for (const auto& [task, own] : done)
    paragraph.add(loop.proved ? prose("{} goes round: it {}.", names.task(task), joined(own, "; it "))
                              : prose("In the last {} steps {} did this: it {}.", grouped(count - first),
                                      names.task(task), joined(own, "; it ")));
}

Paragraph about_going_round(OutcomeKind kind, const std::string& message, const Execution& execution, Names& names) {
  const Loop loop = loop_of(execution);
  Paragraph result;
  result.add(
      loop.proved
          ? prose("{}: what every thread is about to do, every lock, and the memory. So steps {} to {} can follow each "
                  "other for ever.",
                  capitalized(message), step_span(loop.first), step_span(execution.steps.size() - 1))
          : prose("{}, and was stopped there. That it never would is likely, and not proved.", capitalized(message)));
  std::vector<Prose> waiting;
  for (const TaskId task : kept_waiting(execution, loop)) waiting.emplace_back(names.task(task));
  if (waiting.empty()) waiting.emplace_back("another thread");
  if (kind == OutcomeKind::GoodSamaritan)
    result.add(prose(
        "Who goes round never yields, never sleeps, never waits. {} could have gone on meanwhile, and waits for a "
        "time slice to end.",
        joined(waiting, ", ").capitalized()));
  else if (loop.proved)
    result.add("The scheduler is not to blame: every thread that could go on did so in between.");
  add_loop(result, execution, loop, names);
  return result;
}

// What other threads did last to the object of a misuse.
void add_last_use(Paragraph& paragraph, const Execution& execution, Names& names) {
  const auto index = pending_index(execution, execution.end.task);
  if (!index || execution.pending[*index].object == kNoObject) return;
  Phrases phrases(execution, names);
  for (std::size_t i = execution.steps.size(); i-- > 0;) {
    const StepRecord& step = execution.steps[i];
    if (step.object != execution.pending[*index].object || step.task == execution.end.task) continue;
    return paragraph.add(prose("The last thing that another thread did with it: {} {}, at {} (step {}).",
                               names.task(step.task), phrases.step(i), names.places().name_of_step(i), step_span(i)));
  }
}

// One that has no name of its own is called "thread 2" already.
std::string called_thread(const std::string& name) { return name.rfind("thread ", 0) == 0 ? name : "thread " + name; }

}  // namespace

std::string explained_message(const Outcome& outcome, const Execution& execution, Names& names) {
  if (hangs(execution, outcome.kind)) return deadlock_sentence(execution, names).text();
  switch (outcome.kind) {
    case OutcomeKind::Misuse: {
      const ExecutionMessage* message = execution.message(MessageKind::Misuse);
      if (message == nullptr) return outcome.message;
      const auto index = pending_index(execution, execution.end.task);
      const std::string object = index && execution.pending[*index].object != kNoObject
                                     ? " (" + names.object(execution.pending[*index].object).text + ")"
                                     : "";
      if (!is_use_after_free(execution))
        return fmt::format("{} {}{}", names.task(execution.end.task).text, message->text, object);
      return fmt::format("use after free: {} {}{}{}", names.task(execution.end.task).text, message->text, object,
                         freed_at(execution, names));
    }
    case OutcomeKind::Crash:
      return (execution.end.task < execution.tasks.size()
                  ? fmt::format("{} ({})", outcome.message, called_thread(names.task(execution.end.task).text))
                  : outcome.message) +
             freed_before(execution, names);
    case OutcomeKind::Race:
    case OutcomeKind::UseAfterFree:
      return race_sentence(execution, names).text();
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
    const Frame& frame = names.places().of_pending(i).frame;
    if (is_user_code(frame) && !frame.file.empty()) return i;
  }
  return telling_blocked(execution);
}

}  // namespace

Span place_of(const Outcome& outcome, const Execution& execution, Names& names) {
  if (is_of_accesses(outcome.kind))
    return outcome.site == 0 ? Span() : names.places().full_name(race_location(execution, names));
  const auto index =
      hangs(execution, outcome.kind) ? telling_wait(execution, names) : pending_index(execution, execution.end.task);
  if (index && execution.pending[*index].site != 0) {
    const Location location = names.places().of_pending(*index);
    return is_place_of_heddle(location) ? place_of_assertion(execution) : names.places().full_name(location);
  }
  const bool round = outcome.kind == OutcomeKind::Livelock || outcome.kind == OutcomeKind::GoodSamaritan;
  if (round && !execution.steps.empty())
    return names.places().full_name(names.places().of_step(execution.steps.size() - 1));
  if (outcome.site == 0) return {};
  const Location location = names.places().of_site(outcome.site);
  return is_place_of_heddle(location) ? place_of_assertion(execution) : names.places().full_name(location);
}

std::vector<Prose> timeouts_fired(OutcomeKind kind, const Execution& execution, Names& names) {
  constexpr std::size_t kMaxNamed = 12;
  const std::size_t end = steps_before_ticks(kind, execution);
  const auto fired = [](const StepRecord& step) { return ends_by_timeout(step); };
  const auto all = static_cast<std::size_t>(
      std::count_if(execution.steps.begin(), execution.steps.begin() + static_cast<std::ptrdiff_t>(end), fired));
  std::vector<Prose> result;
  for (std::size_t i = 0; i < end; ++i) {
    const StepRecord& step = execution.steps[i];
    if (!fired(step)) continue;
    if (result.size() == kMaxNamed && all > kMaxNamed + 1) {
      result.push_back(prose("and {} more", grouped(all - kMaxNamed)));
      break;
    }
    if (step.operation == OperationKind::TimerExpire) {
      result.push_back(prose("{} expires (step {})", names.task(step.task), step_span(i)));
      continue;
    }
    const Prose object = step.object == kNoObject ? Prose() : prose(" on {}", names.object(step.object));
    result.push_back(prose("{}'s {}{} at {} (step {})", names.task(step.task),
                           step.operation == OperationKind::Sleep ? "sleep" : "wait", object,
                           names.places().name_of_step(i), step_span(i)));
  }
  return result;
}

std::vector<Prose> slow_threads(OutcomeKind kind, const Execution& execution, Names& names) {
  std::vector<Prose> result;
  for (std::size_t i = 0; i < steps_before_ticks(kind, execution); ++i)
    if (is_slow(execution.steps[i]))
      result.push_back(prose("{} is a second late when it looks at the clock at {} (step {})",
                             names.task(execution.steps[i].task), names.places().name_of_step(i), step_span(i)));
  return result;
}

Paragraph last_signals(OutcomeKind kind, const Execution& execution, Names& names) {
  Paragraph result;
  if (!hangs(execution, kind)) return result;
  std::set<ObjectId> told;
  for (const PendingRecord& pending : execution.pending)
    if (on_condition(pending) && told.insert(pending.object).second)
      result.add(about_signals(execution, pending, names));
  return result;
}

Paragraph what_went_wrong(OutcomeKind kind, const std::string& message, const Execution& execution, Names& names) {
  if (hangs(execution, kind)) return about_hanging(execution, kind, names);
  if (kind == OutcomeKind::Livelock || kind == OutcomeKind::GoodSamaritan)
    return about_going_round(kind, message, execution, names);
  if (is_of_accesses(kind)) return about_race(execution, names);
  Paragraph result;
  switch (kind) {
    case OutcomeKind::Assertion:
      result.add(prose("A check failed in {}:", who_and_where(execution, names)));
      result.add(message, Line::Kind::Quote);
      break;
    case OutcomeKind::Crash:
      result.add(prose("The program crashed in {}:", who_and_where(execution, names)));
      result.add(message, Line::Kind::Quote);
      add_heap_fault(result, execution, names);
      break;
    case OutcomeKind::Exception:
      result.add(prose("An exception that nobody caught ended the program, in {}:", who_and_where(execution, names)));
      result.add(message, Line::Kind::Quote);
      break;
    case OutcomeKind::Exit:
      result.add(capitalized(message) + ".");
      break;
    case OutcomeKind::Misuse:
      result.add(prose("The program did what pthreads does not allow, in {}:", who_and_where(execution, names)));
      result.add(message + ".");
      if (is_use_after_free(execution)) add_last_life(result, execution, names);
      add_last_use(result, execution, names);
      break;
    default:
      result.add(message);
      break;
  }
  return result;
}

WaitGraph wait_graph(const Execution& execution, Names& names) {
  constexpr std::size_t kMostThreads = 10, kMostEdges = 16;
  WaitGraph graph;
  std::set<TaskId> threads;
  if (execution.end.end != EndKind::Deadlock) return graph;
  for (const std::size_t index : core_of_deadlock(execution)) {
    const PendingRecord& pending = execution.pending[index];
    for (const TaskId holder : holders(execution, pending)) {
      threads.insert({pending.task, holder});
      graph.edges.push_back({names.task(pending.task), names.accessed(pending), names.task(holder)});
    }
  }
  return threads.size() <= kMostThreads && graph.edges.size() <= kMostEdges ? graph : WaitGraph();
}

}  // namespace heddle
