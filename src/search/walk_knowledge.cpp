// See walk_knowledge.h.
#include "search/walk_knowledge.h"

#include <algorithm>

namespace heddle {
namespace {

// What there is to learn is learned from the first executions. Later ones are looked at now and then, for programs that
// do something else when a thread comes at another time.
constexpr std::uint64_t kAllOfFirst = 16, kThenOneIn = 16;
constexpr std::size_t kMostObjects = 256, kMostTasks = 64;
constexpr std::uint32_t kMostSteps = 20'000;  // of an execution that is looked at closely

void count(WalkKnowledge::Uses& uses, const StepRecord& step) {
  if (step.task >= kMostTasks) return;
  if (uses.of_task.size() <= step.task) uses.of_task.resize(step.task + std::size_t{1});
  ++uses.of_task[step.task];
  uses.wrote = uses.wrote || (step.flags & StepFlags::Wrote) != 0;
}

// How many tasks the first one creates before it can't go on.
std::uint32_t burst_of(const Execution& execution) {
  StateCursor cursor(execution);
  std::uint32_t created = 0;
  for (std::uint32_t step = 0; step < execution.steps.size() && step < kMostSteps; ++step) {
    const StepRecord& made = execution.steps[step];
    cursor.advance_to(step);
    if (made.task != 0 && (cursor.state(0) & TaskState::Eligible) == 0) break;
    created += made.task == 0 && made.operation == OperationKind::ThreadCreate ? 1 : 0;
  }
  return created;
}

}  // namespace

bool WalkKnowledge::Uses::matters() const {
  return wrote && std::count_if(of_task.begin(), of_task.end(), [](std::uint32_t uses) { return uses != 0; }) > 1;
}

void WalkKnowledge::learn(const Execution& execution) {
  const auto steps = static_cast<std::uint32_t>(execution.steps.size());
  const EndKind end = execution.end.end;
  // One that failed early, or was cut off, says little of how long they are.
  if (end == EndKind::Exited || end == EndKind::Deadlock) longest_ = std::max(steps, longest_);
  if (end == EndKind::Exited || end == EndKind::Deadlock || length_ == 0)
    length_ = std::max(steps, length_ - length_ / 16);
  const std::uint64_t number = learned_++;
  const bool looks_closely = number < kAllOfFirst || number % kThenOneIn == 0;
  if (looks_closely || reads_from_.knows(execution.plan)) reads_from_.learn(execution);
  if (!looks_closely) return;
  burst_ = std::max(burst_, burst_of(execution) + 1);
  const auto is_plain_release = [&](const StepRecord& step) {
    return is_release(step.operation) && is_plain_code_(step.site);
  };
  if (is_plain_code_ && !plain_releases_)
    plain_releases_ = std::any_of(execution.steps.begin(), execution.steps.end(), is_plain_release);
  count_uses(execution);
}

// The latest execution's, since numbers of different ones don't add up.
void WalkKnowledge::count_uses(const Execution& execution) {
  if (execution.steps.size() > kMostSteps) return;
  all_ = Uses();
  std::map<std::uint64_t, Uses> uses;
  for (const StepRecord& step : execution.steps) {
    count(all_, step);
    for (const ObjectId id : {step.object, step.object2}) {
      const ObjectRecord* object = id != kNoObject ? execution.object(id) : nullptr;
      const bool is_thread = object != nullptr && object->object_kind == ObjectKind::Thread;
      if (object != nullptr && object->address != 0 && !is_thread) count(uses[object->address], step);
    }
  }
  shared_.clear();
  for (auto& [address, one] : uses)
    if (one.matters() && shared_.size() < kMostObjects) shared_.emplace(address, std::move(one));
}

}  // namespace heddle
