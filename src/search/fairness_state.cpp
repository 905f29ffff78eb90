// See fairness_state.h.
#include "search/fairness_state.h"

#include <algorithm>
#include <bit>

#include "protocol/mix.h"
#include "protocol/time_slice.h"

namespace heddle {
namespace {

constexpr std::uint64_t bit_of(TaskId task) { return std::uint64_t{1} << task; }

void mix(GraphHash& state, std::uint64_t value) {
  const auto product = static_cast<unsigned __int128>(state.a ^ value) * kGoldenRatio;
  state.a = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  state.b = (std::rotl(state.b, 23) ^ value) * kGoldenRatio;
}

// More of them make no difference.
std::uint8_t one_more(std::uint8_t yields, unsigned patience) {
  return static_cast<std::uint8_t>(std::min(yields + 1u, patience));
}

}  // namespace

bool FairnessState::may_matter(const Execution& execution) {
  if ((execution.step_flags_seen & StepFlags::Yielded) == 0) return false;  // mostly nobody yields in any execution
  bool any = false;                                                         // without a branch for each step
  for (const StepRecord& step : execution.steps)
    any |= ((step.flags & StepFlags::Yielded) != 0) | (step.operation == OperationKind::Yield);
  return any;
}

void FairnessState::begin(const Execution& execution, bool matters) {
  execution_ = &execution;
  decision_ = 0;
  change_ = 0;
  gates_.clear();
  enabled_ = ended_ = yielded_ = 0;
  unknown_ = false;
  matters_ = matters;
  if (matters) patience_ = {};
}

void FairnessState::advance_to(std::uint32_t step) {
  if (!matters_) return;
  for (; decision_ <= step && !unknown_; ++decision_) decide();
}

// What the step before the decision did, and what its task did then.
void FairnessState::decide() {
  const std::uint64_t enabled_before = enabled_;
  const std::size_t first = change_;
  const auto& changes = execution_->changes;
  for (; change_ < changes.size() && changes[change_].step <= decision_; ++change_) {
    gates_.take(changes[change_], [this](const StateChange& change) {
      unknown_ = unknown_ || change.task >= 64;
      if (unknown_) return;
      const std::uint64_t bit = bit_of(change.task);
      enabled_ = (change.state & TaskState::Enabled) != 0 ? enabled_ | bit : enabled_ & ~bit;
      if ((change.state & TaskState::Ended) != 0) ended_ |= bit;
    });
    if (unknown_) return;
  }
  if (decision_ != 0) {
    const StepRecord& made = execution_->steps[decision_ - 1];
    unknown_ = unknown_ || made.task >= 64;
    if (unknown_) return;
    on_step(made, enabled_before);
    patience_.on_step(made);
  }
  for (std::size_t change = first; change < change_; ++change)
    for (unsigned yield = 0; yield < changes[change].yields; ++yield) on_yield(changes[change].task);
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

void FairnessState::Patience::on_step(const StepRecord& made) {
  const std::uint64_t own = bit_of(made.task);
  if (object_kind(made.operation) == ObjectKind::Memory) read |= own;
  if (made.operation == OperationKind::Yield) {
    const bool alone = (met & own) == 0, was_alone = (met_before & own) == 0;
    by_model[made.task] = one_more(alone ? by_model[made.task] : 0, kPatienceInLoops);
    by_runtime[made.task] = one_more(was_alone ? by_runtime[made.task] : 0, kPatientYields);
    if (made.result == kPatientYield) waited |= own;
    met &= ~own;
  }
  met_before = (met_before & ~own) | (met & own);
  met |= ~own;
}

// Once others ran, the next yield is the first again, as if there had been none.
void FairnessState::mix_patience(const Patience& patience, GraphHash& state) const {
  for (std::uint64_t rest = (patience.read | patience.waited) & ~ended_; rest != 0; rest &= rest - 1) {
    const auto id = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t own = rest & -rest;
    const bool met = (patience.met & own) != 0, met_before = (patience.met_before & own) != 0;
    const unsigned by_model = (patience.read & own) != 0 && !met ? patience.by_model[id] : 0;
    const unsigned by_runtime = (patience.waited & own) != 0 && !met_before ? patience.by_runtime[id] : 0;
    if (by_model + by_runtime == 0) continue;
    mix(state, (std::uint64_t{id} + 1) << 24 | by_model << 16 | by_runtime << 8 | (by_runtime != 0 && met ? 1u : 0u));
  }
}

void FairnessState::mix_behind(const StepRecord& step, GraphHash& state) const {
  if (!matters_) return;
  Patience behind = patience_;
  behind.on_step(step);
  mix_patience(behind, state);
}

void FairnessState::mix_into(GraphHash& state) const {
  if (!matters_) return;
  mix_patience(patience_, state);
  for (std::uint64_t rest = yielded_; rest != 0; rest &= rest - 1) {
    const auto id = static_cast<unsigned>(std::countr_zero(rest));
    const Task& task = tasks_[id];
    const std::uint64_t others = ~(ended_ | bit_of(static_cast<TaskId>(id)));
    mix(state, id + 1u);
    mix(state, task.enabled & ~task.scheduled & others);
    mix(state, task.scheduled & others);
    mix(state, task.disabled & others);
    mix(state, task.edges & others);
  }
}

}  // namespace heddle
