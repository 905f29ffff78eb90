// See expander.h.
#include "search/expander.h"

#include <algorithm>

namespace heddle {
namespace {

bool ordinary(Variant variant) { return variant < kFirstSpecial; }

}  // namespace

void Expander::expand(const Execution& execution, const Frontier::Outstanding& outstanding, bool in_regions) {
  if (outstanding.purpose == Purpose::Watch) {
    if (states_) states_->watch(execution, frontier_.nodes()[outstanding.node].step + 1);
    return;
  }
  if (has_stop(outstanding.node))
    return stops_.add_returns(execution, outstanding, options_.max_preemptions, frontier_);
  const std::size_t in_memory = frontier_.in_use() - frontier_.file().leaves();
  const bool room = in_memory < options_.eager_nodes || outstanding.bound >= options_.max_preemptions;
  const bool revisit = outstanding.revisit();
  // Whether the state that a choice leads to will be one where a thread is not preempted is not known yet.
  Expansion expansion{execution,
                      outstanding.node,
                      outstanding.bound,
                      outstanding.purpose == Purpose::Claimed,
                      !revisit,
                      room || revisit,
                      !options_.no_preempt && !in_regions};
  expansion.own_cost = outstanding.cost;
  if (expansion.free) expand_siblings(expansion);
  const unsigned next_bin = outstanding.bound + 1;
  const std::size_t group = frontier_.queued(next_bin);
  const std::uint32_t last_deviation = frontier_.nodes()[outstanding.node].step;
  const std::uint32_t first = last_deviation == Frontier::kRootStep ? 0 : last_deviation + 1;
  expansion.reduced = states_ && first < execution.steps.size() && states_->begin(execution, first);
  expansion.yields = preemptions_.active() && FairnessState::may_matter(execution);
  // Then it is known that there are schedules beyond the bound, and no others can come to be wanted.
  expansion.nothing_more =
      beyond(outstanding.bound + 1) && seen_.beyond_bound && !states_ && !preemptions_.active() && !options_.no_preempt;
  expansion.end = plain_end_of(execution, first);
  if (options_.priorities) options_.priorities->begin(execution, first);
  if (options_.guide) {
    lookahead_.begin(execution, first);
    brings_->begin(lookahead_, first, *options_.guide);
  }
  cursor_.restart(execution, first);
  const std::uint32_t end = expand_steps(expansion, first);
  if (expansion.reduced) states_->end();
  if (expansion.costly && !beyond(outstanding.bound + 1))
    stops_.add_stops(execution, outstanding, first, end, frontier_);
  if (expansion.skipped) frontier_.push_revisit(outstanding.node, next_bin);
  frontier_.turn_round(next_bin, group);  // the latest step first
}

// Up to the step before which the state is known, or to the end: how many were looked at?
std::uint32_t Expander::expand_steps(Expansion& expansion, std::uint32_t first) {
  const Execution& execution = expansion.execution;
  const auto steps = static_cast<std::uint32_t>(execution.steps.size());
  // Where no wait could end early, how many tasks were eligible says whether another one could have been chosen.
  const bool nothing_early = (execution.states_seen & states_with(TaskState::Timeout | TaskState::Spurious)) == 0;
  std::uint32_t step = first;
  for (; step < steps; ++step) {
    const StepRecord& made = execution.steps[step];
    if (nothing_early && made.variants <= 1 && (made.eligible == 1 || at_the_bound(expansion, made))) continue;
    cursor_.advance_to(step);
    const bool ended_early = (cursor_.state(made.task) & (TaskState::Timeout | TaskState::Spurious)) != 0;
    if (made.variants <= 1 && !ended_early &&
        (at_the_bound(expansion, made) || !cursor_.could_choose_another(made.task)))
      continue;
    if (expansion.reduced) states_->advance_to(step);
    judge_found(expansion);
    if (is_unpreemptible(made)) {
      seen_.region = seen_.region || (made.flags & StepFlags::Unpreemptible) != 0;
      expansion.pruned = expansion.prunes_ends = expansion.prunes_choices = false;
      expand_task(expansion, step, made.task);  // a spurious end of its own
      expand_variants(expansion, step);
      continue;
    }
    if (expansion.reduced && enter(expansion, step, first)) break;
    expansion.pruned = brings_nothing(expansion, step);
    look_for_early_ends(expansion, step);
    expand_step(expansion, step);
  }
  judge_found(expansion);
  return step;
}

// What may be pruned at a step by plain_end.h. Behind the last exit handler the end is one step, which nothing follows:
// it does not matter there who yields.
void Expander::look_for_early_ends(Expansion& expansion, std::uint32_t step) {
  const PlainEnd& end = expansion.end;
  if (!preemptions_.active() || end.task == kNoTask) return;
  const auto& steps = expansion.execution.steps;
  const bool behind_handlers = end.follows != 0 && steps[end.follows - 1].task == end.task &&
                               steps[end.follows - 1].operation == OperationKind::ProcessExit;
  expansion.prunes_ends = behind_handlers || !expansion.yields;
  expansion.prunes_choices = step > end.begin && !expansion.yields;
}

// Does the choice of another task than the one that took the step lead to what plain_end.h says is covered?
bool Expander::is_early_end(const Expansion& expansion, std::uint32_t step, TaskId task) {
  const bool ends = step >= expansion.end.follows && task == expansion.end.task;
  return expansion.prunes_choices || (expansion.prunes_ends && ends);
}

// Would every other choice before this step only be one preemption more than there may be?
bool Expander::at_the_bound(const Expansion& expansion, const StepRecord& made) const {
  constexpr unsigned kKinds = StepFlags::SwitchCosts | StepFlags::NothingEnabled | StepFlags::Unpreemptible;
  return expansion.nothing_more && (made.flags & kKinds) == StepFlags::SwitchCosts;
}

// The run followed the default here, so it is the task that ran last.
bool Expander::is_unpreemptible(const StepRecord& made) const {
  if ((made.flags & StepFlags::SwitchCosts) == 0) return false;
  return (options_.no_preempt && options_.no_preempt(made.site)) || (made.flags & StepFlags::Unpreemptible) != 0;
}

// Need the state before `step` not be expanded? A revisit was not told so when it was there first.
bool Expander::enter(const Expansion& expansion, std::uint32_t step, std::uint32_t first) {
  if (!expansion.free) return false;
  if (!states_->enter(expansion.preemptions, step == first && expansion.claimed)) return false;
  seen_.known_states = true;
  return true;
}

// Does a preemption before `step` bring nothing?
bool Expander::brings_nothing(Expansion& expansion, std::uint32_t step) {
  if (!preemptions_.active() || (expansion.execution.steps[step].flags & StepFlags::SwitchCosts) == 0) return false;
  // A step that changes nothing may matter there, since it lets others go first.
  if (expansion.reduced ? !states_->nobody_has_yielded() : expansion.yields) return false;
  const StepRecord& made = expansion.execution.steps[step];
  const bool ends_early = (cursor_.state(made.task) & (TaskState::Timeout | TaskState::Spurious)) != 0;
  if (made.variants > 1 || (ends_early && made.operation != OperationKind::ClockRead)) return false;
  if (!preemptions_.brings_nothing(step)) return false;
  expansion.place = preemptions_.place_of(step);
  return true;
}

void Expander::expand_siblings(const Expansion& expansion) {
  const Deviations::Node node = frontier_.nodes()[expansion.node];
  if (node.step == Frontier::kRootStep || node.choice.variant != 0) return;
  const std::uint16_t variants = expansion.execution.steps[node.step].variants;
  for (Variant variant = variants; variant-- > 1;)
    if (ordinary(variant))
      frontier_.push(node.parent, node.step, {node.choice.task, variant}, expansion.preemptions, Purpose::Search,
                     expansion.own_cost);
}

// All choices other than the one made at `step`, where the run followed the default; highest first, so that on the
// stack the lowest comes out first.
void Expander::expand_step(Expansion& expansion, std::uint32_t step) {
  cursor_.each_candidate([&](TaskId task) { expand_task(expansion, step, task); });
  expand_variants(expansion, step);
}

// The alternatives of the operation that was made.
void Expander::expand_variants(Expansion& expansion, std::uint32_t step) {
  const StepRecord& made = expansion.execution.steps[step];
  if (!ordinary(made.variant)) return;
  for (Variant variant = made.variants; variant-- > 0;)
    if (variant != made.variant && ordinary(variant))
      add(expansion, {step, {made.task, variant}, 0, {}, expansion.pruned});
}

void Expander::expand_task(Expansion& expansion, std::uint32_t step, TaskId task) {
  const StepRecord& made = expansion.execution.steps[step];
  const Choice choice_made{made.task, made.variant};
  const std::uint8_t state = cursor_.state(task);
  // Where a switch costs, the default is to go on with the task that ran last: so that is the task of the choice made.
  const unsigned switch_cost = (made.flags & StepFlags::SwitchCosts) != 0 && task != made.task ? 1 : 0;
  if ((state & TaskState::Timeout) != 0 && choice_made != Choice{task, kTimeout}) {
    const bool free = (made.flags & StepFlags::NothingEnabled) != 0 && (state & TaskState::Earliest) != 0;
    // That it is slow where it goes on is no preemption: whether one brings anything does not matter.
    add(expansion, {step, {task, kTimeout}, free ? 0u : 1u, {}, expansion.pruned && task != made.task});
  }
  if ((state & TaskState::Spurious) != 0 && choice_made != Choice{task, kSpurious})
    add(expansion, {step, {task, kSpurious}, switch_cost, {}, expansion.pruned});
  const bool made_here = task == made.task && ordinary(made.variant);  // expand_step adds its other variants
  if ((state & TaskState::Eligible) != 0 && !made_here)
    add(expansion, {step, {task, 0}, switch_cost, {}, expansion.pruned});
}

// Choices are judged in their order, and before anything else is looked up. With a reduction a step later: what is
// known of the state that a choice leads to is mostly in no cache, and is fetched meanwhile.
void Expander::add(Expansion& expansion, Found found) {
  found.early_end = is_early_end(expansion, found.step, found.choice.task);
  if (!states_) return judge(expansion, found);
  if (beyond(expansion.preemptions + found.cost) && seen_.beyond_bound && !found.pruned) return;  // it says nothing
  found.ahead = states_->ahead(found.choice);
  found_.push_back(found);
}

void Expander::judge_found(Expansion& expansion) {
  for (const Found& found : found_) judge(expansion, found);
  found_.clear();
}

void Expander::judge(Expansion& expansion, const Found& found) {
  const auto& [step, choice, cost, ahead, pruned, early_end] = found;
  const unsigned preemptions = expansion.preemptions + cost;
  const bool may_be_made = !beyond(preemptions) && expansion.costly;
  if (options_.guide && !brings_->are_brought_by(step, choice)) {
    ++seen_.guided;
    return;
  }
  if (early_end && !(may_be_made && preemptions_.make_at_first())) {
    seen_.known_states = seen_.early_ends = true;
    return;
  }
  if (pruned && !(may_be_made && preemptions_.make_at_first())) {
    if (may_be_made && preemptions_.sample() && states_)
      frontier_.push(expansion.node, step, choice, preemptions, Purpose::Watch, cost_of(found, preemptions));
    prune(expansion, found);
  } else if (beyond(preemptions)) {
    seen_.beyond_bound = seen_.beyond_bound || !states_ || !states_->known(ahead, preemptions);
  } else if (cost == 0 ? expansion.free : expansion.costly) {
    const Cost urgency = cost_of(found, preemptions);
    const auto claim = states_ ? states_->claim(ahead, preemptions, expansion.may_note) : StateReduction::Claim::Unsure;
    if (claim == StateReduction::Claim::Known) {
      seen_.known_states = true;
      return;
    }
    frontier_.push(expansion.node, step, choice, preemptions,
                   claim == StateReduction::Claim::Free ? Purpose::Claimed : Purpose::Search, urgency);
  } else if (cost != 0) {
    expansion.skipped = true;
  }
}

Cost Expander::cost_of(const Found& found, unsigned preemptions) {
  if (!options_.priorities) return {};
  using Ahead = Deviation::Ahead;
  Deviation deviation{found.step, found.choice, preemptions};
  if (states_ && found.ahead.known())
    deviation.ahead = states_->known(found.ahead, StateReduction::kAnyPreemptions) ? Ahead::Seen : Ahead::New;
  return options_.priorities->of(deviation);
}

// Without the costly successors (a revisit is to bring them) it would not be known what was pruned.
void Expander::prune(Expansion& expansion, const Found& found) {
  seen_.known_states = true;
  PrunedChoices& choices = preemptions_.choices();
  if (!choices.keeps(expansion.place)) return;
  const unsigned preemptions = expansion.preemptions + found.cost;
  if (!expansion.costly || preemptions > PrunedChoices::kMaxPreemptions)
    return choices.drop(expansion.place, frontier_.nodes());
  // Who will have run last is kept as the task of the choice.
  const GraphHash ahead = found.ahead.is_role ? GraphHash() : found.ahead.state;
  const PrunedChoices::Pruned one{
      ahead.a,     static_cast<std::uint32_t>(ahead.b) & 0xffffffu, preemptions & 0xffu, expansion.node, found.step,
      found.choice};
  // At the beginning of a search there is more to be kept than schedules that wait: what a few executions bring.
  constexpr std::size_t kForEachStep = 16;
  const std::size_t size = std::max(frontier_.leaves(), kForEachStep * expansion.execution.steps.size());
  choices.keep(expansion.place, one, frontier_.nodes(), size);
}

}  // namespace heddle
