// See dpor.h.
#include "search/dpor.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

bool looks_at_memory(const Execution& execution) {
  const auto looks = [](const auto& record) {
    const ObjectKind kind = object_kind(record.operation);
    return kind == ObjectKind::Futex || kind == ObjectKind::Once;
  };
  return std::any_of(execution.steps.begin(), execution.steps.end(), looks) ||
         std::any_of(execution.pending.begin(), execution.pending.end(), looks);
}

}  // namespace

Next DporSearch::next() {
  if (outstanding_) return Wait();
  if (std::exchange(again_, false)) {
    outstanding_ = true;
    return plan_from(branch_);
  }
  if (done_) return Exhausted();
  if (!started_) {
    started_ = outstanding_ = true;
    path_.clear();
    return plan_from(0);
  }
  // The deepest state with something left to explore; what is behind it has been explored.
  while (!path_.empty() && path_.back().wakeup.empty()) path_.pop_back();
  if (path_.empty()) {
    done_ = true;
    return Exhausted();
  }
  const auto at = static_cast<std::uint32_t>(path_.size() - 1);
  path_[at].sleep.push_back(path_[at].made);
  take_branch(at);
  outstanding_ = true;
  return plan_from(at);
}

// Makes the first branch of the wakeup tree at `at` the way of the next execution.
void DporSearch::take_branch(std::uint32_t at) {
  branch_ = at;
  for (std::uint32_t step = at;; ++step) {
    if (step == path_.size()) path_.emplace_back();
    Node& node = path_[step];
    if (node.wakeup.empty()) {
      path_.pop_back();
      planned_ = step;
      return;
    }
    WakeupNode first = std::move(node.wakeup.front());
    node.wakeup.erase(node.wakeup.begin());
    node.made = first.event;
    node.by_default = false;
    path_.emplace_back();
    path_[step + 1].wakeup = std::move(first.children);
  }
}

Next DporSearch::plan_from(std::uint32_t branch) {
  Next next(std::in_place_type<Plan>);
  Plan& plan = std::get<Plan>(next);
  plan.id = next_plan_++;
  plan.policy = PolicyKind::Awake;
  for (std::uint32_t step = 0; step < planned_; ++step)
    if (!path_[step].by_default) plan.deltas.push_back({step, path_[step].made.choice});
  // What depends on everything is woken by the step that is planned next, whatever it is.
  if (branch < path_.size())
    for (const Event& event : path_[branch].sleep)
      if (!event.access.everything) plan.deltas.push_back(sleeper_at(branch, {event.choice, event.access.wrote}));
  return next;
}

void DporSearch::learn(const Execution& execution) {
  outstanding_ = false;
  const EndKind end = execution.end.end;
  if (execution.damaged || !followed(execution)) {
    ++lost_;
    path_.resize(std::min<std::size_t>(path_.size(), branch_ + 1u));
    return;
  }
  ++run_;
  if (end == EndKind::Asleep) ++asleep_;
  if (end == EndKind::Killed || end == EndKind::StepLimit || end == EndKind::Livelock || end == EndKind::GoodSamaritan)
    cut_off_ = true;
  memory_decides_ = memory_decides_ || looks_at_memory(execution);
  races_.analyse(execution, branch_);
  extend();
  note_defaults(execution);
  add_variants(execution);
  add_timeouts(execution);
  add_races();
}

void DporSearch::lost(PlanId, LostReason) {
  outstanding_ = false;
  ++lost_;
  path_.resize(std::min<std::size_t>(path_.size(), branch_ + 1u));
  if (path_.empty()) done_ = true;
}

Coverage DporSearch::coverage() const {
  Coverage coverage;
  coverage.complete = done_ && lost_ == 0 && !cut_off_ && !memory_decides_;
  coverage.memory_decides = memory_decides_;
  coverage.up_to_equivalence = true;
  coverage.lost = lost_;
  coverage.schedules_at_bound = run_ - asleep_;
  for (const Node& node : path_) coverage.pending += node.wakeup.size();
  if (outstanding_ || again_) ++coverage.pending;
  return coverage;
}

void DporSearch::save(StateWriter& writer) const {
  transfer(*this, writer);
  writer(outstanding_ || again_);
}

bool DporSearch::restore(StateReader& reader) {
  transfer(*this, reader);
  reader(again_);
  return !reader.failed();
}

bool DporSearch::followed(const Execution& execution) const {
  if (execution.end.end == EndKind::Diverged || execution.steps.size() < planned_) return false;
  for (std::uint32_t step = 0; step < planned_; ++step) {
    const StepRecord& made = execution.steps[step];
    const Choice planned = path_[step].made.choice;
    const bool overdue = planned.variant == kTimeout && made.variant == 0;  // World::normal()
    if (made.task != planned.task || (made.variant != planned.variant && !overdue)) return false;
  }
  return true;
}

// The path is that of the execution from now on. Each sleep set follows from the one before.
void DporSearch::extend() {
  const auto& events = races_.events();
  path_.resize(events.size());
  for (std::uint32_t step = branch_; step < events.size(); ++step) {
    path_[step].made = events[step];
    if (step + 1 == events.size()) break;
    auto& sleep = path_[step + 1].sleep;
    sleep.clear();
    for (const Event& event : path_[step].sleep)
      if (!dependent(event, events[step])) sleep.push_back(event);
  }
}

// Which steps from the branch on need not be planned when a later plan goes the same way.
void DporSearch::note_defaults(const Execution& execution) {
  cursor_.restart(execution, branch_);
  for (std::uint32_t step = branch_; step < path_.size(); ++step) {
    cursor_.advance_to(step);
    const Choice made = path_[step].made.choice;
    TaskId by_default = step == 0 ? TaskId{0} : path_[step - 1].made.choice.task;
    for (TaskId task = 0; (cursor_.state(by_default) & TaskState::Eligible) == 0 && task < cursor_.task_count(); ++task)
      if ((cursor_.state(task) & TaskState::Eligible) != 0) by_default = task;
    path_[step].by_default =
        made.variant == 0 && made.task == by_default && (cursor_.state(by_default) & TaskState::Eligible) != 0;
  }
}

void DporSearch::add_alternative(std::uint32_t at, Choice choice) {
  Node& node = path_[at];
  Event event = node.made;
  // What it accesses is known once it has been taken; until then it depends on everything.
  event.access.everything |= event.choice.task != choice.task;
  event.access.wrote = true;
  event.choice = choice;
  const auto same = [&](const Event& other) { return other.choice == choice; };
  const bool known =
      std::any_of(node.sleep.begin(), node.sleep.end(), same) ||
      std::any_of(node.wakeup.begin(), node.wakeup.end(), [&](const WakeupNode& child) { return same(child.event); });
  if (!known) node.wakeup.push_back({event, {}});
}

// The other alternatives of an operation: of each, variant 0 is taken first.
void DporSearch::add_variants(const Execution& execution) {
  for (std::uint32_t step = branch_; step < path_.size(); ++step) {
    const StepRecord& made = execution.steps[step];
    if (made.variant != 0) continue;
    for (Variant variant = 1; variant < made.variants; ++variant) add_alternative(step, {made.task, variant});
  }
}

// Where only timeouts could go on, each of them could have been the first.
void DporSearch::add_timeouts(const Execution& execution) {
  const auto only_timeouts = [](const StepRecord& step) { return (step.flags & StepFlags::NothingEnabled) != 0; };
  if (std::none_of(execution.steps.begin() + branch_, execution.steps.end(), only_timeouts)) return;
  cursor_.restart(execution, branch_);
  for (std::uint32_t step = branch_; step < path_.size(); ++step) {
    cursor_.advance_to(step);
    if (!only_timeouts(execution.steps[step])) continue;
    for (std::uint32_t i = 0; i < cursor_.task_count(); ++i) {
      const auto task = static_cast<TaskId>(i);
      if (task != execution.steps[step].task && (cursor_.state(task) & TaskState::Timeout) != 0)
        add_alternative(step, {task, kTimeout});
    }
  }
}

void DporSearch::add_races() {
  for (const Race& race : races_.races()) {
    Node& node = path_[race.first];
    const std::vector<Event> reversal = races_.reversal(race);
    const bool covered = std::any_of(node.sleep.begin(), node.sleep.end(),
                                     [&](const Event& event) { return is_weak_initial(event, reversal); });
    if (!covered) insert(node.wakeup, reversal);
  }
}

}  // namespace heddle
