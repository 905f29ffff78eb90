// The choice of steps to show; see step_selection.h.
#include "report/step_selection.h"

#include <set>

namespace heddle {
namespace {

// A page stays readable: of more steps that matter, the first few and the last many are shown.
constexpr std::size_t kMaxShown = 150;
constexpr std::size_t kShownAtStart = 30;
// Fewer steps than this are not worth a folding line.
constexpr std::size_t kLeastFolded = 2;

using K = OperationKind;

bool telling(const StepRecord& step) {
  switch (step.operation) {
    case K::ThreadCreate:
    case K::ThreadExit:
    case K::ThreadJoin:
    case K::ProcessExit:
    case K::ConditionWait:
    case K::ConditionWake:
    case K::ConditionSignal:
    case K::ConditionBroadcast:
    case K::BarrierArrive:
    case K::FutexWait:
      return true;
    default:
      return step.variant == kTimeout || step.variant == kSpurious;
  }
}

// Begin and end of a thread's life say little by themselves.
bool noise(const StepRecord& step) {
  return step.operation == K::ThreadCreated || step.operation == K::ThreadStart;
}

std::set<ObjectId> final_objects(const Execution& execution) {
  std::set<ObjectId> objects;
  for (const PendingRecord& pending : execution.pending) {
    objects.insert(pending.object);
    objects.insert(pending.object2);
  }
  objects.erase(kNoObject);
  return objects;
}

// Around a switch: the last step before and the first after; a start or a return from creation stands for the next one.
void mark_switches(const Execution& execution, std::vector<bool>& shown) {
  const auto& steps = execution.steps;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (steps[i].task == steps[i + 1].task) continue;
    shown[i] = shown[i + 1] = true;
    if (noise(steps[i + 1]) && i + 2 < steps.size() && steps[i + 2].task == steps[i + 1].task) shown[i + 2] = true;
    if (noise(steps[i]) && i > 0 && steps[i - 1].task == steps[i].task) shown[i - 1] = true;
  }
}

std::vector<bool> steps_that_matter(const Execution& execution) {
  const auto& steps = execution.steps;
  std::vector<bool> shown(steps.size(), false);
  const std::set<ObjectId> objects = final_objects(execution);
  for (std::size_t i = 0; i < steps.size(); ++i)
    shown[i] = telling(steps[i]) || objects.count(steps[i].object) != 0 || objects.count(steps[i].object2) != 0;
  mark_switches(execution, shown);
  if (!steps.empty()) shown.front() = shown.back() = true;
  return shown;
}

void leave_out_the_middle(std::vector<bool>& shown) {
  std::size_t count = 0;
  for (const bool one : shown) count += one ? 1 : 0;
  if (count <= kMaxShown) return;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (!shown[i]) continue;
    if (seen >= kShownAtStart && seen < count - (kMaxShown - kShownAtStart)) shown[i] = false;
    ++seen;
  }
}

std::vector<Stretch> stretches(const std::vector<bool>& shown) {
  std::vector<Stretch> result;
  for (std::size_t i = 0; i < shown.size();) {
    std::size_t end = i;
    while (end < shown.size() && shown[end] == shown[i]) ++end;
    const bool folded = !shown[i] && end - i >= kLeastFolded;
    if (!result.empty() && result.back().folded == folded) result.back().last = end;
    else result.push_back({i, end, folded});
    i = end;
  }
  return result;
}

}  // namespace

std::vector<Stretch> select_steps(const Execution& execution) {
  std::vector<bool> shown = steps_that_matter(execution);
  leave_out_the_middle(shown);
  return stretches(shown);
}

}  // namespace heddle
