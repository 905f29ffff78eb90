// See placed_deltas.h.
#include "analysis/placed_deltas.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/source_text.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

constexpr std::size_t kMostDeltas = 64;   // more are no schedule that anybody keeps
constexpr std::size_t kMostTried = 1000;  // places for one delta

SourceLine line_of(const Location& location, SourceText& sources) {
  const Frame& frame = location.frame;
  if (!is_user_code(frame) || is_of_heddle(frame)) return {};
  return {std::string(file_name(frame.file)), frame.function, sources.line(frame.file, frame.line), frame.line};
}

bool is_same_line(const SourceLine& one, const SourceLine& other) {
  return one.function == other.function && one.text == other.text &&
         (!one.text.empty() || one.file.empty() || one.line == other.line);
}

// By their operations, and by what of their place is the same. In this order.
enum class Alike : std::uint8_t { Line, Function, Text };
bool is_alike(const PlacedOperation& one, const PlacedDelta& delta, Alike how) {
  if (one.operation != delta.operation) return false;
  if (how == Alike::Line) return is_same_line(one.place, delta.place);
  if (how == Alike::Function) return !delta.place.function.empty() && one.place.function == delta.place.function;
  return !delta.place.text.empty() && one.place.text == delta.place.text;
}

// What the model's World::decide() chooses; nothing: one of several timeouts that come at the same time.
std::optional<Choice> default_choice(const Execution& execution, const StateCursor& states, std::size_t step) {
  const StepRecord* const before = step == 0 ? nullptr : &execution.steps[step - 1];
  const TaskId last = before == nullptr ? TaskId{0} : before->task;
  TaskId lowest = kNoTask, earliest = kNoTask;
  unsigned eligible = 0, earliest_ones = 0;
  for (std::uint32_t i = states.task_count(); i-- > 0;) {
    const auto task = static_cast<TaskId>(i);
    const std::uint8_t state = states.state(task);
    if ((state & TaskState::Earliest) != 0) earliest = task, ++earliest_ones;
    if ((state & TaskState::Eligible) == 0) continue;
    ++eligible;
    if (task != last) lowest = task;
  }
  const bool is_last_eligible = (states.state(last) & TaskState::Eligible) != 0;
  const bool has_stopped = before != nullptr && stops(*before);
  if (is_last_eligible && !(eligible > 1 && has_stopped)) return Choice{last, 0};
  if (lowest != kNoTask) return Choice{lowest, 0};
  return earliest_ones == 1 ? std::optional(Choice{earliest, kTimeout}) : std::nullopt;
}

// What the task does from `step` on, or was about to do.
const PlacedOperation* next_of(TaskId task, std::size_t step, const PlacedExecution& placed) {
  const auto is_its = [&](const PlacedOperation& one) { return one.task == task; };
  const auto found =
      std::find_if(placed.steps.begin() + static_cast<std::ptrdiff_t>(std::min(step, placed.steps.size())),
                   placed.steps.end(), is_its);
  if (found != placed.steps.end()) return &*found;
  const auto pending = std::find_if(placed.pending.begin(), placed.pending.end(), is_its);
  return pending == placed.pending.end() ? nullptr : &*pending;
}

std::string name_in(const PlacedExecution& placed, TaskId task) {
  return task < placed.threads.size() ? placed.threads[task] : std::string();
}

// The thread of that name, else of that number.
std::optional<TaskId> find_thread(const ThreadLabel& label, const PlacedExecution& placed) {
  const auto found = std::find(placed.threads.begin(), placed.threads.end(), label.name);
  if (found != placed.threads.end()) return static_cast<TaskId>(found - placed.threads.begin());
  if (label.number < placed.threads.size()) return label.number;
  return {};
}

// Could this choice be made at this step?
bool is_possible(const Execution& execution, std::uint32_t step, Choice choice) {
  StateCursor states;
  states.restart(execution, step);
  states.advance_to(step);
  const std::uint8_t state = states.state(choice.task);
  if (choice.variant == kTimeout) return (state & TaskState::Timeout) != 0;
  if (choice.variant == kSpurious) return (state & TaskState::Spurious) != 0;
  if ((state & TaskState::Eligible) == 0) return false;
  const StepRecord& there = execution.steps[step];
  if (there.task != choice.task || choice.variant == 0) return true;
  return choice.variant == kStop ? is_release(there.operation) : choice.variant < there.variants;
}

// What pthreads does not allow may end an execution without having become a step.
bool ends_before_a_step(const Execution& execution) {
  const bool refused = !execution.steps.empty() && (execution.steps.back().flags & StepFlags::Refused) != 0;
  return execution.end.end == EndKind::Misuse && !refused;
}

struct Candidate {
  std::uint32_t step = 0, occurrence = 0;
};

// Those that are alike, the ones first that come about as often as is wanted. `any`: there are some, before `first`,
// too.
std::vector<Candidate> candidates(const PlacedDelta& delta, TaskId thread, const PlacedExecution& placed, Alike how,
                                  std::uint32_t first, bool& any) {
  std::vector<Candidate> result;
  std::uint32_t occurrence = 0;
  for (std::uint32_t i = 0; i < placed.steps.size(); ++i) {
    if (placed.steps[i].task != thread || !is_alike(placed.steps[i], delta, how)) continue;
    if (i >= first) result.push_back({i, occurrence});
    ++occurrence;
  }
  any = occurrence != 0;
  const auto distance = [&](const Candidate& one) {
    return one.occurrence < delta.occurrence ? delta.occurrence - one.occurrence : one.occurrence - delta.occurrence;
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const Candidate& one, const Candidate& other) { return distance(one) < distance(other); });
  if (result.size() > kMostTried) result.resize(kMostTried);
  return result;
}

}  // namespace

PlacedExecution place(const Execution& execution, Names& names) {
  SourceText sources;
  PlacedExecution result;
  result.steps.reserve(execution.steps.size());
  for (std::size_t i = 0; i < execution.steps.size(); ++i) {
    const StepRecord& step = execution.steps[i];
    result.steps.push_back(
        {step.task, step.operation, step.site == 0 ? SourceLine() : line_of(names.places().of_step(i), sources)});
  }
  for (std::size_t i = 0; i < execution.pending.size(); ++i) {
    const PendingRecord& pending = execution.pending[i];
    result.pending.push_back({pending.task, pending.operation,
                              pending.site == 0 ? SourceLine() : line_of(names.places().of_pending(i), sources)});
  }
  for (std::size_t task = 0; task < execution.tasks.size(); ++task)
    result.threads.push_back(names.task(static_cast<TaskId>(task)).text);
  return result;
}

std::optional<std::vector<PlacedDelta>> deltas_by_place(const Execution& execution, const PlacedExecution& placed,
                                                        std::size_t steps) {
  std::vector<PlacedDelta> result;
  StateCursor states(execution);
  const std::size_t all = execution.steps.size();
  const bool is_last_no_step = steps >= all && ends_before_a_step(execution);
  for (std::size_t i = 0; i < std::min(steps, all) + (is_last_no_step ? 1 : 0); ++i) {
    states.advance_to(static_cast<std::uint32_t>(i));
    const Choice made =
        i == all ? Choice{execution.end.task, 0} : Choice{execution.steps[i].task, execution.steps[i].variant};
    const auto by_default = default_choice(execution, states, i);
    if (by_default == made) continue;
    const TaskId thread = by_default ? by_default->task : made.task;
    const PlacedOperation* const next = next_of(thread, i, placed);
    if (next == nullptr || next->operation == OperationKind::None || result.size() == kMostDeltas) return {};
    PlacedDelta delta{{thread, name_in(placed, thread)},       next->operation, next->place, 0,
                      {made.task, name_in(placed, made.task)}, made.variant};
    for (std::size_t before = 0; before < i; ++before)
      if (placed.steps[before].task == thread && is_alike(placed.steps[before], delta, Alike::Line)) ++delta.occurrence;
    result.push_back(std::move(delta));
  }
  return result;
}

FoundDelta find_delta(const PlacedDelta& delta, const Execution& execution, const PlacedExecution& placed,
                      std::uint32_t first) {
  const auto thread = find_thread(delta.thread, placed), next = find_thread(delta.next, placed);
  if (!thread || !next) return {FoundDelta::What::NoThread};
  for (const Alike how : {Alike::Line, Alike::Function, Alike::Text}) {
    bool any = false;
    for (const Candidate& one : candidates(delta, *thread, placed, how, first, any)) {
      const Choice choice{*next, delta.variant};
      if (!is_possible(execution, one.step, choice)) continue;
      const bool is_near = how != Alike::Line || one.occurrence != delta.occurrence;
      return {FoundDelta::What::Found, {one.step, choice}, is_near};
    }
    if (any) return {FoundDelta::What::Impossible};
  }
  return {FoundDelta::What::NoPlace};
}

std::string words_of(const SourceLine& place) {
  if (place.file.empty()) return place.function;
  const std::string in = fmt::format("{} ({}:{})", place.function, place.file, place.line);
  return place.text.empty() ? in : fmt::format("`{}` in {}", place.text, in);
}

}  // namespace heddle
