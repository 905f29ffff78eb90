// See fairness_state.h.
#include "search/fairness_state.h"

#include <algorithm>
#include <bit>

#include "protocol/mix.h"
#include "protocol/time_slice.h"

namespace heddle {
namespace {

constexpr std::uint64_t bit_of(TaskId task) { return std::uint64_t{1} << task; }

bool interrupts(OperationKind kind) {
  return object_kind(kind) == ObjectKind::Thread && kind > OperationKind::ThreadExit;
}

// In loops of reads some yields don't count, and some reads count as yields (model/spinning.h): by what is not in the
// record.
bool may_spin(OperationKind kind) { return object_kind(kind) == ObjectKind::Memory; }

// Which yields are patient depends on who ran since the one before, whatever that did.
bool is_patient(const StepRecord& step) {
  return step.operation == OperationKind::Yield && step.result == kPatientYield;
}

bool ended_by_time(const StepRecord& step) {
  return ends_by_timeout(step) || step.operation == OperationKind::Sleep ||
         (step.operation == OperationKind::ConditionWake && step.variant != kSpurious) ||
         (step.operation != OperationKind::MutexReacquire && step.result == ETIMEDOUT);
}

}  // namespace

bool FairnessState::may_matter(const Execution& execution) {
  if ((execution.step_flags_seen & StepFlags::Yielded) == 0) return false;  // mostly nobody yields in any execution
  bool any = false;                                                         // without a branch for each step
  for (const StepRecord& step : execution.steps)
    any |= ((step.flags & StepFlags::Yielded) != 0) | (step.operation == OperationKind::Yield);
  return any;
}

void FairnessState::begin(const Execution& execution, const std::vector<std::uint32_t>& next_of,
                          const std::vector<std::uint32_t>& first_of, bool matters) {
  execution_ = &execution;
  next_of_ = &next_of;
  decision_ = 0;
  change_ = 0;
  enabled_ = ended_ = yielded_ = 0;
  interrupts_ = unknown_ = false;
  matters_ = matters;
  if (matters_) yield_at_the_start(first_of);
}

// Before the first step, too, a task may be at a yield.
void FairnessState::yield_at_the_start(const std::vector<std::uint32_t>& first_of) {
  decide();
  ++decision_;
  for (TaskId task = 0; task < 64 && task < first_of.size(); ++task) {
    unknown_ = unknown_ || (first_of[task] != kNone && is_patient(execution_->steps[first_of[task]]));
    if ((enabled_ & bit_of(task)) != 0 && is_yield(first_of[task], task)) on_yield(task);
  }
}

void FairnessState::advance_to(std::uint32_t step) {
  if (!matters_) return;
  for (; decision_ <= step && !unknown_; ++decision_) decide();
}

// What the step before the decision did, and what its task did then.
void FairnessState::decide() {
  const std::uint64_t before = enabled_;
  const auto& changes = execution_->changes;
  for (; change_ < changes.size() && changes[change_].step <= decision_; ++change_) {
    const StateChange& change = changes[change_];
    if (change.task >= 64) {
      unknown_ = true;
      return;
    }
    const std::uint64_t bit = bit_of(change.task);
    enabled_ = (change.state & TaskState::Enabled) != 0 ? enabled_ | bit : enabled_ & ~bit;
    if ((change.state & TaskState::Ended) != 0) ended_ |= bit;
  }
  if (decision_ == 0) return;
  const StepRecord& made = execution_->steps[decision_ - 1];
  interrupts_ = interrupts_ || interrupts(made.operation);
  const std::uint32_t next = (*next_of_)[decision_ - 1];
  const bool patient = is_patient(made) || (next != kNone && is_patient(execution_->steps[next]));
  if (made.task >= 64 || interrupts_ || may_spin(made.operation) || patient) {
    unknown_ = true;
    return;
  }
  on_step(made, before);
  const bool yielded = (execution_->steps[decision_].flags & StepFlags::Yielded) != 0;
  const bool publishes = is_yield(next, made.task);
  if (yielded && (!publishes || ended_by_time(made))) on_yield(made.task);
  if (publishes) on_yield(made.task);
  yielded_ &= ~ended_;
}

void FairnessState::on_step(const StepRecord& made, std::uint64_t enabled_before) {
  const std::uint64_t own = bit_of(made.task);
  for (std::uint64_t rest = yielded_; rest != 0; rest &= rest - 1) {
    Task& task = tasks_[std::countr_zero(rest)];
    task.enabled &= enabled_;
    task.scheduled |= own;
    task.edges &= ~own;
  }
  if ((yielded_ & own) != 0) tasks_[made.task].disabled |= enabled_before & ~enabled_ & ~own;
}

void FairnessState::on_yield(TaskId id) {
  Task& task = tasks_[id];
  const std::uint64_t own = bit_of(id);
  if ((yielded_ & own) == 0) {
    task = {};
  } else {
    task.edges |= ((enabled_ & task.enabled) | task.disabled) & ~task.scheduled & ~own;
  }
  yielded_ |= own;
  task.enabled = enabled_;
  task.scheduled = task.disabled = 0;
}

// Is this step a yield; and if there is none: was the task about to yield at the end?
bool FairnessState::is_yield(std::uint32_t step, TaskId task) const {
  if (step != kNone) return execution_->steps[step].operation == OperationKind::Yield;
  const auto& pending = execution_->pending;
  return std::any_of(pending.begin(), pending.end(), [&](const PendingRecord& one) {
    return one.task == task && one.operation == OperationKind::Yield;
  });
}

void FairnessState::mix_into(GraphHash& state) const {
  const auto mix = [&state](std::uint64_t value) {
    const auto product = static_cast<unsigned __int128>(state.a ^ value) * kGoldenRatio;
    state.a = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    state.b = (std::rotl(state.b, 23) ^ value) * kGoldenRatio;
  };
  for (std::uint64_t rest = yielded_; rest != 0; rest &= rest - 1) {
    const auto id = static_cast<unsigned>(std::countr_zero(rest));
    const Task& task = tasks_[id];
    const std::uint64_t others = ~(ended_ | bit_of(static_cast<TaskId>(id)));
    mix(id + 1u);
    mix(task.enabled & ~task.scheduled & others);
    mix(task.scheduled & others);
    mix(task.disabled & others);
    mix(task.edges & others);
  }
}

}  // namespace heddle
