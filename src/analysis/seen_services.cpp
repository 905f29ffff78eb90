// See seen_services.h.
#include "analysis/seen_services.h"

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "analysis/waiting.h"
#include "protocol/services.h"

namespace heddle {
namespace {

// Of waits for the same time the first one ends by a choice. Then the time of the others is over, too. A condition wait
// says which it was when it has the mutex again.
bool wakes_by_time(const StepRecord& step) {
  if (step.operation == OperationKind::ConditionWake) return false;
  return ends_by_timeout(step) || step.operation == OperationKind::Sleep || step.result == ETIMEDOUT;
}

// What a thread does from one wake-up to the next.
using Round = std::vector<std::tuple<OperationKind, ObjectId, Site>>;

// Where the task waits at the end; 0: it does not.
Site waits_at(const Execution& execution, TaskId task) {
  const auto found = std::find_if(execution.pending.begin(), execution.pending.end(),
                                  [task](const PendingRecord& pending) { return pending.task == task; });
  return found == execution.pending.end() ? 0 : found->site;
}

// Does the thread come round behind `middle` only in ways in which it has come round before that? One that waits for
// long may have come round once.
bool repeats_itself(const Execution& execution, TaskId task, const StepRecord* begin, const StepRecord* middle) {
  std::set<Round> before, after;
  Round round;
  unsigned wakes = 0;
  Site woke_at = 0;
  for (const StepRecord* step = begin; step != execution.steps.end(); ++step) {
    if (step->task != task) continue;
    if (wakes_by_time(*step)) {
      if (++wakes > 1) (step < middle ? before : after).insert(round);
      woke_at = step->site;
      round.clear();
    }
    round.emplace_back(step->operation, step->object, step->site);
  }
  if (wakes < 3) return woke_at != 0 && waits_at(execution, task) == woke_at;
  return !after.empty() && std::includes(before.begin(), before.end(), after.begin(), after.end());
}

bool is_among(TaskId task, const std::vector<TaskId>& tasks) {
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

// For its end, or for what it has, be it over others.
bool waits_for_one_of(const Execution& execution, const PendingRecord& pending, const std::vector<TaskId>& services) {
  std::vector<TaskId> reached{pending.task};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const PendingRecord* const next = pending_of(execution, reached[i]);
    if (next == nullptr) continue;
    for (const TaskId holder : holders(execution, *next)) {
      if (is_among(holder, services)) return true;
      if (!is_among(holder, reached)) reached.push_back(holder);
    }
  }
  return false;
}

// As somebody_is_stuck() in model/services.h: who waits for a service is let go on when that one changes.
bool is_stuck(const Execution& execution, const PendingRecord& pending, const std::vector<TaskId>& services) {
  constexpr auto kCanGoOn = TaskState::Enabled | TaskState::Timeout | TaskState::Ended;
  return (pending.state & kCanGoOn) == 0 && !is_among(pending.task, services) &&
         !waits_for_one_of(execution, pending, services);
}

}  // namespace

std::optional<SeenServices> seen_services(const Execution& execution) {
  const RecordList<StepRecord>& steps = execution.steps;
  const StepRecord* const half = steps.begin() + steps.size() / 2;
  std::set<TaskId> tasks;
  for (const StepRecord* step = half; step != steps.end(); ++step) tasks.insert(step->task);
  const StepRecord* since = half;
  while (since != steps.begin() && tasks.count(since[-1].task) != 0) --since;
  if (steps.end() - since < std::ptrdiff_t{kSeenServiceSteps}) return std::nullopt;
  SeenServices found{{tasks.begin(), tasks.end()}, {}, static_cast<std::size_t>(steps.end() - since)};
  if (std::none_of(execution.pending.begin(), execution.pending.end(),
                   [&](const PendingRecord& pending) { return is_stuck(execution, pending, found.tasks); }))
    return std::nullopt;
  const StepRecord* const middle = since + (steps.end() - since) / 2;
  if (std::any_of(tasks.begin(), tasks.end(),
                  [&](TaskId task) { return !repeats_itself(execution, task, since, middle); }))
    return std::nullopt;
  for (const StepRecord* step = since; step != steps.end(); ++step)
    if (wakes_by_time(*step)) found.places.insert(step->site);
  return found;
}

}  // namespace heddle
