// See bounded.h.
#include "search/bounded.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "search/strategy_entry.h"

namespace heddle {
namespace {

// A run of so few schedules takes milliseconds; many programs have no more.
constexpr unsigned kMadeAtFirst = 256;

std::unique_ptr<Strategy> make(const StrategyEntry& entry, const StrategyOptions& options) {
  const std::string reduction = entry.value(options.own, "--reduction");
  BoundedSearch::Options bounded;
  bounded.max_preemptions =
      static_cast<unsigned>(entry.number(options.own, entry.limit).value_or(BoundedSearch::kNoBound));
  bounded.reduce = reduction != "none";
  bounded.reduce_preemptions = reduction == "all";
  bounded.made_at_first = kMadeAtFirst;
  bounded.no_preempt = options.no_preempt;
  return std::make_unique<BoundedSearch>(bounded);
}

// An operation that pthreads does not allow ended it, and the record does not say at which decision: the other choices
// there can't be told.
bool last_choice_unknown(const Execution& execution) {
  if (execution.end.end != EndKind::Misuse) return false;
  return execution.steps.empty() || (execution.steps.back().flags & StepFlags::Refused) == 0;
}

bool ordinary(Variant variant) { return variant != kTimeout && variant != kSpurious; }

}  // namespace

StrategyEntry bounded_strategy() {
  return {.name = "bounded",
          .help = "all schedules without a preemption, then with one, two …",
          .options = {{"--max-preemptions", "N", "stop when every schedule with at most N preemptions was run"},
                      {"--reduction", "none|states|all",
                       "bounded search: prune schedules that are equivalent to one that is run, as long as threads are "
                       "seen to learn of each other by synchronization only; states: prune what follows a state that was "
                       "reached before; all: also prune preemptions before operations that race with nothing; none: "
                       "prune nothing",
                       "all"}},
          .limit = "--max-preemptions",
          .promise = {.bounds = "preemption", .exact = "--reduction=none"},
          .make = make};
}

BoundedSearch::BoundedSearch(const Options& options)
    : options_(options), left_out_choices_(options.most_left_out) {
  // Where a task is not preempted, what it does behind an operation can't be told apart from it.
  if (options.reduce_preemptions && !options.no_preempt) points_.emplace();
  if (options.reduce) reduction_.emplace(options.reduction);
  begin();
}

void BoundedSearch::begin() { push(kNone, kRootStep, {}, 0); }

void BoundedSearch::give_up_reduction(const std::string& why) {
  note_ = "schedules that seem equivalent are all run, from the beginning: " + why;
  reduction_.reset();
  points_.reset();
  proved_before_ = {};
  begin_anew();
}

// Preemptions that were left out there matter: they are made now. What was proved holds: a bound is done when nothing
// was left out there that matters, by all that had been seen. True: the search has begun again.
bool BoundedSearch::make_up_for(const std::vector<PreemptionPoints::Place>& places, unsigned found_at) {
  if (places.empty()) return false;
  Coverage now = coverage();
  now.bound_proved = std::min(now.bound_proved, static_cast<int>(found_at) - 1);
  if (now.bound_proved > proved_before_.bound_proved) proved_before_ = now;
  const bool kept =
      std::all_of(places.begin(), places.end(), [this](auto place) { return left_out_choices_.keeps(place); });
  if (!kept) {
    begin_anew();
    left_out_choices_.keep_more();
    return true;
  }
  for (const PreemptionPoints::Place place : places) {
    for (const LeftOutChoices::LeftOut& one : left_out_choices_.take(place)) {
      if (beyond(one.preemptions)) {
        cut_off_ = true;
      } else {
        take_up(one);
      }
      nodes_.release(one.node);
    }
  }
  return false;
}

void BoundedSearch::take_up(const LeftOutChoices::LeftOut& one) {
  const bool foreseen = reduction_ && !(one.ahead() == GraphHash());
  if (foreseen && !reduction_->claim_later(one.ahead(), one.choice, one.preemptions)) return;
  current_ = std::min<std::size_t>(current_, one.preemptions);
  push(one.node, one.step, one.choice, one.preemptions, foreseen ? Purpose::Claimed : Purpose::Search);
}

// A program may have few schedules, and among them a bug that the reduction can't foresee, since threads learn of each
// other by something that is not looked at. So nothing is left out until there is something to be won.
bool BoundedSearch::make_at_first(const Expansion& expansion, unsigned preemptions) {
  if (made_at_first_ == options_.made_at_first || beyond(preemptions) || !expansion.costly) return false;
  ++made_at_first_;
  return true;
}

// Later some are made all the same: where threads learn of each other by something that is not looked at, equal states
// then go on differently, and StateReduction sees it.
bool BoundedSearch::sample_left_out() {
  const unsigned every = options_.reduction.sample_every;
  ++left_out_total_;
  return reduction_ && every != 0 && (left_out_total_ <= 8 || left_out_total_ % every == 0);
}

// Without the costly successors (a revisit is to bring them) it would not be known what was left out.
void BoundedSearch::leave_out(Expansion& expansion, const Found& found) {
  left_out_ = true;
  if (!left_out_choices_.keeps(expansion.place)) return;
  const unsigned preemptions = expansion.preemptions + found.cost;
  if (!expansion.costly || preemptions > LeftOutChoices::kMostPreemptions)
    return left_out_choices_.drop(expansion.place, nodes_);
  const LeftOutChoices::LeftOut one{found.ahead.a,       static_cast<std::uint32_t>(found.ahead.b) & 0xffffffu,
                                    preemptions & 0xffu, expansion.node,
                                    found.step,          found.choice};
  // At the beginning of a search there is more to be kept than schedules that wait: what a few executions bring.
  constexpr std::size_t kForEachStep = 16;
  const std::size_t size = std::max(leaves_, kForEachStep * expansion.execution.steps.size());
  left_out_choices_.keep(expansion.place, one, nodes_, size);
}

// What was learned may lack something. Plans that are still out come back as unknown ones.
void BoundedSearch::begin_anew() {
  if (reduction_) reduction_.emplace(options_.reduction);
  nodes_ = {};
  leaves_ = 0;
  left_out_choices_.begin_anew();
  bins_.clear();
  current_ = 0;
  outstanding_ = {};
  cut_off_ = left_out_ = false;
  made_at_first_ = 0;
  lost_ = 0;
  lost_from_ = std::numeric_limits<std::size_t>::max();
  begin();
}

// Only an execution shows that there are any. What the reduction has noted before may hold within such a region.
// True: the search begins anew.
bool BoundedSearch::keep_regions() {
  regions_ = true;
  if (!reduction_ && !points_) return false;
  points_.reset();
  begin_anew();
  return true;
}

Next BoundedSearch::next() {
  for (; current_ < bins_.size(); ++current_) {
    Bin& bin = bins_[current_];
    if (bin.to_begin == 0) bin.to_begin = bin.queue.size();
    if (bin.pending() != 0) {
      const FringeEntry entry = bin.take();
      nodes_.prefetch(bin.next_node());
      return hand_out(entry);
    }
    if (bin.outstanding != 0) return Wait();
  }
  return Exhausted();
}

void BoundedSearch::learn(const Execution& execution) {
  if (reduction_) reduction_->forget_whole();
  const Outstanding outstanding = take_back(execution.plan);
  if (outstanding.node == kNone) return;
  const EndKind end = execution.end.end;
  if (execution.damaged || end == EndKind::Diverged || !followed(execution, outstanding.node)) {
    withdraw(outstanding.bin());
  } else {
    // What was ended from outside is expanded as far as it went; what would have come then is lost.
    if (end == EndKind::Killed || last_choice_unknown(execution)) withdraw(outstanding.bin());
    if (points_ && make_up_for(points_->learn(execution), outstanding.preemptions)) return;
    if (!outstanding.revisit()) ++bins_[outstanding.preemptions].run;
    expand(execution, outstanding);
    if (reduction_ && reduction_->why_not() != nullptr) return give_up_reduction(reduction_->why_not());
    if (found_region_ && !regions_ && keep_regions()) return;
  }
  nodes_.release(outstanding.node);
}

void BoundedSearch::lost(PlanId plan) {
  const Outstanding outstanding = take_back(plan);
  if (outstanding.node == kNone) return;
  withdraw(outstanding.bin());
  nodes_.release(outstanding.node);
}

Coverage BoundedSearch::coverage() const {
  Coverage coverage;
  const auto done = [](const Bin& bin) { return bin.pending() == 0 && bin.outstanding == 0; };
  const auto first_open = std::find_if_not(bins_.begin(), bins_.end(), done);
  const auto cleared = static_cast<std::size_t>(first_open - bins_.begin());
  const std::size_t proved = std::min(cleared, lost_from_);  // every bound below this
  coverage.complete = first_open == bins_.end() && !cut_off_ && lost_ == 0;
  coverage.bound_proved = static_cast<int>(proved) - 1;
  // What has more preemptions may all be equivalent to what was run.
  if (coverage.complete && left_out_ && options_.max_preemptions != kNoBound)
    coverage.bound_proved =
        std::max(coverage.bound_proved, static_cast<int>(options_.max_preemptions));
  coverage.schedules_at_bound =
      std::accumulate(bins_.begin(), bins_.begin() + static_cast<std::ptrdiff_t>(proved), std::uint64_t{0},
                      [](std::uint64_t sum, const Bin& bin) { return sum + bin.run; });
  if (proved_before_.bound_proved > coverage.bound_proved) {
    coverage.bound_proved = proved_before_.bound_proved;
    coverage.schedules_at_bound = proved_before_.schedules_at_bound;
    coverage.up_to_equivalence = proved_before_.up_to_equivalence;
  }
  coverage.lost = lost_;
  coverage.up_to_equivalence = coverage.up_to_equivalence || left_out_;
  coverage.regions_kept = found_region_;
  coverage.left_out = left_out_total_ + (reduction_ ? reduction_->left_out() : 0);
  for (const Bin& bin : bins_) coverage.pending += bin.pending() + bin.outstanding;
  coverage.bound_in_progress = static_cast<int>(std::min(cleared, bins_.size() - 1));
  return coverage;
}

// What lower bins left to this one are roots of trees, whose size is known when all that they bring has been run. The
// estimate is that those to come are on average as large as those begun. (Not so for the first bin, which has one
// root.)
double BoundedSearch::estimated_total() const {
  if (current_ == 0 || current_ >= bins_.size()) return 0;
  const Bin& bin = bins_[current_];
  if (bin.begun == 0) return 0;
  const auto below = std::accumulate(bins_.begin(), bins_.begin() + static_cast<std::ptrdiff_t>(current_), 0.0,
                                     [](double sum, const Bin& lower) { return sum + static_cast<double>(lower.run); });
  const auto of_begun = static_cast<double>(bin.run + bin.outstanding + bin.stack.size());
  return below + of_begun * static_cast<double>(bin.to_begin) / static_cast<double>(bin.begun);
}

// Three times the standard error of what is still to come.
double BoundedSearch::estimated_spread() const {
  constexpr std::size_t kFewest = 8;  // the differences between fewer parts say little
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  const double total = estimated_total();
  if (total <= 0) return 1;
  const Bin& bin = bins_[current_];
  if (bin.tree_sizes.batches() < kFewest) return kUnknown;
  const double part = 3 * bin.tree_sizes.error() * static_cast<double>(bin.to_begin - bin.begun) / total;
  return part < 1 ? 1 / (1 - part) : kUnknown;
}

// --- resume

void BoundedSearch::save(StateWriter& writer) const {
  transfer(*this, writer);
  std::vector<std::pair<NodeId, Purpose>> again;
  for (const auto& [plan, outstanding] : outstanding_.all()) again.emplace_back(outstanding.node, outstanding.purpose);
  writer(again, reduction_.has_value(), points_.has_value());
  if (reduction_) writer(*reduction_);
  if (points_) points_->save(writer);
}

// What was outstanding is of the current bin, and comes first.
bool BoundedSearch::restore(StateReader& reader) {
  transfer(*this, reader);
  std::vector<std::pair<NodeId, Purpose>> again;
  bool reduced = false, with_points = false;
  reader(again, reduced, with_points);
  if (!reduced) reduction_.reset();
  if (!with_points) points_.reset();
  if ((reduced && !reduction_) || (with_points && !points_)) return false;
  if (reduction_) reader(*reduction_);
  if (points_) points_->restore(reader);
  if (reader.failed() || (!again.empty() && current_ >= bins_.size())) return false;
  std::for_each(again.rbegin(), again.rend(), [this](const auto& one) { put_back(one.first, one.second); });
  return true;
}

// A schedule that was handed out, and the reference to its node.
void BoundedSearch::put_back(NodeId id, Purpose purpose) {
  const Deviations::Node node = nodes_[id];
  const bool revisit = purpose == Purpose::Revisit;
  bins_[current_].stack.push_back(FringeEntry::of(revisit ? id : node.parent, node.step, node.choice, purpose));
  if (revisit) return;
  nodes_.refer_to(node.parent);
  nodes_.release(id);
  ++leaves_;
}

// --- plans

Next BoundedSearch::hand_out(const FringeEntry& entry) {
  const bool revisit = entry.purpose() == Purpose::Revisit;
  const NodeId id = revisit ? entry.node : nodes_.add(entry.node, entry.step, entry.choice());
  leaves_ -= revisit ? 0 : 1;
  const Outstanding outstanding{id, static_cast<unsigned>(current_ - (revisit ? 1 : 0)), entry.purpose()};
  Next next(std::in_place_type<Plan>);
  Plan& plan = std::get<Plan>(next);
  plan.id = next_plan_++;
  nodes_.write_to(plan.deltas, id);
  outstanding_.insert(plan.id, outstanding);
  ++bins_[current_].outstanding;
  return next;
}

BoundedSearch::Outstanding BoundedSearch::take_back(PlanId plan) {
  const auto outstanding = outstanding_.take(plan);
  if (!outstanding) return {};
  --bins_[outstanding->bin()].outstanding;
  return *outstanding;
}

// Did the run make the node's own deviation? If not, the program behaved differently than when the node was found.
bool BoundedSearch::followed(const Execution& execution, NodeId id) const {
  const Deviations::Node& node = nodes_[id];
  if (node.step == kRootStep) return true;
  if (node.step >= execution.steps.size()) return false;
  const StepRecord& step = execution.steps[node.step];
  return Choice{step.task, step.variant} == node.choice;
}

// --- successors

void BoundedSearch::expand(const Execution& execution, const Outstanding& outstanding) {
  const bool room = nodes_in_use() < options_.eager_nodes || outstanding.preemptions >= options_.max_preemptions;
  const bool revisit = outstanding.revisit();
  Expansion expansion{execution, outstanding.node, outstanding.preemptions, outstanding.purpose == Purpose::Claimed,
                      !revisit,  room || revisit};
  if (outstanding.purpose == Purpose::Watch) {
    if (reduction_) reduction_->watch(execution, nodes_[outstanding.node].step + 1);
    return;
  }
  if (expansion.free) expand_siblings(expansion);
  const std::size_t next_bin = outstanding.preemptions + 1u;
  const std::size_t group = next_bin < bins_.size() ? bins_[next_bin].queue.size() : 0;
  const std::uint32_t last_deviation = nodes_[outstanding.node].step;
  const std::uint32_t first = last_deviation == kRootStep ? 0 : last_deviation + 1;
  expansion.reduced = reduction_ && first < execution.steps.size() && reduction_->begin(execution, first);
  expansion.fair = points_ && !expansion.reduced && FairnessState::may_matter(execution);
  // Then it is known that there are schedules beyond the bound, and no others can come to be wanted.
  expansion.nothing_more =
      beyond(outstanding.preemptions + 1) && cut_off_ && !reduction_ && !points_ && !options_.no_preempt;
  cursor_.restart(execution, first);
  expand_steps(expansion, first);
  if (expansion.reduced) reduction_->end();
  if (expansion.skipped) {
    nodes_.refer_to(outstanding.node);
    enqueue(FringeEntry::of(outstanding.node, 0, {}, Purpose::Revisit), next_bin);
  }
  if (next_bin >= bins_.size()) return;
  auto& queue = bins_[next_bin].queue;
  std::reverse(queue.begin() + static_cast<std::ptrdiff_t>(group), queue.end());  // the latest step first
}

void BoundedSearch::expand_steps(Expansion& expansion, std::uint32_t first) {
  const Execution& execution = expansion.execution;
  const auto steps = static_cast<std::uint32_t>(execution.steps.size());
  // Where no wait could end early, how many tasks were eligible says whether another one could have been chosen.
  const bool nothing_early = (execution.states_seen & states_with(TaskState::Timeout | TaskState::Spurious)) == 0;
  for (std::uint32_t step = first; step < steps; ++step) {
    const StepRecord& made = execution.steps[step];
    if (nothing_early && made.variants <= 1 && (made.eligible == 1 || at_the_bound(expansion, made))) continue;
    cursor_.advance_to(step);
    const bool ended_early = (cursor_.state(made.task) & (TaskState::Timeout | TaskState::Spurious)) != 0;
    if (made.variants <= 1 && !ended_early &&
        (at_the_bound(expansion, made) || !cursor_.could_choose_another(made.task)))
      continue;
    if (expansion.reduced) reduction_->advance_to(step);
    judge_found(expansion);
    if (is_unpreemptible(made)) {
      found_region_ = found_region_ || (made.flags & StepFlags::Unpreemptible) != 0;
      expansion.left_out = false;
      expand_task(expansion, step, made.task);  // a spurious end of its own
      expand_variants(expansion, step);
      continue;
    }
    if (expansion.reduced && enter(expansion, step, first)) break;
    expansion.left_out = brings_nothing(expansion, step);
    expand_step(expansion, step);
  }
  judge_found(expansion);
}

// Would every other choice before this step only be one preemption more than there may be?
bool BoundedSearch::at_the_bound(const Expansion& expansion, const StepRecord& made) const {
  constexpr unsigned kKinds = StepFlags::SwitchCosts | StepFlags::NothingEnabled | StepFlags::Unpreemptible;
  return expansion.nothing_more && (made.flags & kKinds) == StepFlags::SwitchCosts;
}

// The run followed the default here, so it is the task that ran last.
bool BoundedSearch::is_unpreemptible(const StepRecord& made) const {
  if ((made.flags & StepFlags::SwitchCosts) == 0) return false;
  return (options_.no_preempt && options_.no_preempt(made.site)) || (made.flags & StepFlags::Unpreemptible) != 0;
}

// Need the state before `step` not be expanded? A revisit was not told so when it was there first.
bool BoundedSearch::enter(const Expansion& expansion, std::uint32_t step, std::uint32_t first) {
  if (!expansion.free) return false;
  if (!reduction_->enter(expansion.preemptions, step == first && expansion.claimed)) return false;
  left_out_ = true;
  return true;
}

// Does a preemption before `step` bring nothing?
bool BoundedSearch::brings_nothing(Expansion& expansion, std::uint32_t step) {
  if (!points_ || (expansion.execution.steps[step].flags & StepFlags::SwitchCosts) == 0) return false;
  if (expansion.reduced ? !reduction_->nobody_has_yielded() : expansion.fair) return false;
  const StepRecord& made = expansion.execution.steps[step];
  if (made.variants > 1 || (cursor_.state(made.task) & (TaskState::Timeout | TaskState::Spurious)) != 0) return false;
  if (points_->matter(step)) return false;
  expansion.place = points_->place_of(step);
  return true;
}

void BoundedSearch::expand_siblings(const Expansion& expansion) {
  const Deviations::Node node = nodes_[expansion.node];
  if (node.step == kRootStep || node.choice.variant != 0) return;
  const std::uint16_t variants = expansion.execution.steps[node.step].variants;
  for (Variant variant = variants; variant-- > 1;)
    if (ordinary(variant)) push(node.parent, node.step, {node.choice.task, variant}, expansion.preemptions);
}

// All choices other than the one made at `step`, where the run followed the default; highest first, so that on the
// stack the lowest comes out first.
void BoundedSearch::expand_step(Expansion& expansion, std::uint32_t step) {
  cursor_.each_candidate([&](TaskId task) { expand_task(expansion, step, task); });
  expand_variants(expansion, step);
}

// The alternatives of the operation that was made.
void BoundedSearch::expand_variants(Expansion& expansion, std::uint32_t step) {
  const StepRecord& made = expansion.execution.steps[step];
  if (!ordinary(made.variant)) return;
  for (Variant variant = made.variants; variant-- > 0;)
    if (variant != made.variant && ordinary(variant)) add(expansion, step, {made.task, variant}, 0);
}

void BoundedSearch::expand_task(Expansion& expansion, std::uint32_t step, TaskId task) {
  const StepRecord& made = expansion.execution.steps[step];
  const Choice choice_made{made.task, made.variant};
  const std::uint8_t state = cursor_.state(task);
  // Where a switch costs, the default is to go on with the task that ran last: so that is the task of the choice made.
  const unsigned switch_cost = (made.flags & StepFlags::SwitchCosts) != 0 && task != made.task ? 1 : 0;
  if ((state & TaskState::Timeout) != 0 && choice_made != Choice{task, kTimeout}) {
    const bool free = (made.flags & StepFlags::NothingEnabled) != 0 && (state & TaskState::Earliest) != 0;
    add(expansion, step, {task, kTimeout}, free ? 0 : 1);
  }
  if ((state & TaskState::Spurious) != 0 && choice_made != Choice{task, kSpurious})
    add(expansion, step, {task, kSpurious}, switch_cost);
  const bool made_here = task == made.task && ordinary(made.variant);  // expand_step adds its other variants
  if ((state & TaskState::Eligible) != 0 && !made_here) add(expansion, step, {task, 0}, switch_cost);
}

// Choices are judged in their order, and before anything else is looked up. With a reduction a step later: what is
// known of the state that a choice leads to is mostly in no cache, and is fetched meanwhile.
void BoundedSearch::add(Expansion& expansion, std::uint32_t step, Choice choice, unsigned cost) {
  if (!reduction_) return judge(expansion, {step, choice, cost, {}});
  const bool says_nothing = beyond(expansion.preemptions + cost) && cut_off_ && !expansion.left_out;
  if (!says_nothing) found_.push_back({step, choice, cost, reduction_->ahead(choice)});
}

void BoundedSearch::judge_found(Expansion& expansion) {
  for (const Found& found : found_) judge(expansion, found);
  found_.clear();
}

void BoundedSearch::judge(Expansion& expansion, const Found& found) {
  const auto& [step, choice, cost, ahead] = found;
  const unsigned preemptions = expansion.preemptions + cost;
  if (expansion.left_out && !make_at_first(expansion, preemptions)) {
    if (!beyond(preemptions) && expansion.costly && sample_left_out())
      push(expansion.node, step, choice, preemptions, Purpose::Watch);
    leave_out(expansion, found);
  } else if (beyond(preemptions)) {
    cut_off_ = cut_off_ || !reduction_ || !reduction_->known(ahead, choice, preemptions);
  } else if (cost == 0 ? expansion.free : expansion.costly) {
    // Whether the state that it leads to will be one where a thread is not preempted is not known yet.
    const bool may_note = !options_.no_preempt && !regions_;
    const auto claim =
        reduction_ ? reduction_->claim(ahead, choice, preemptions, may_note) : StateReduction::Claim::Unsure;
    if (claim == StateReduction::Claim::Known) {
      left_out_ = true;
      return;
    }
    push(expansion.node, step, choice, preemptions,
         claim == StateReduction::Claim::Free ? Purpose::Claimed : Purpose::Search);
  } else if (cost != 0) {
    expansion.skipped = true;
  }
}

void BoundedSearch::push(NodeId parent, std::uint32_t step, Choice choice, unsigned preemptions, Purpose purpose) {
  if (nodes_in_use() >= kMostNodes) return withdraw(preemptions);
  nodes_.refer_to(parent);
  ++leaves_;
  enqueue(FringeEntry::of(parent, step, choice, purpose), preemptions);
}

void BoundedSearch::enqueue(const FringeEntry& entry, std::size_t preemptions) {
  if (preemptions >= bins_.size()) bins_.resize(preemptions + 1u);
  Bin& own = bins_[preemptions];
  (preemptions == current_ ? own.stack : own.queue).push_back(entry);
}

std::size_t BoundedSearch::entries() const {
  return std::accumulate(bins_.begin(), bins_.end(), std::size_t{0},
                         [](std::size_t sum, const Bin& bin) { return sum + bin.pending(); });
}

void BoundedSearch::withdraw(std::size_t from) {
  ++lost_;
  lost_from_ = std::min(lost_from_, from);
}

}  // namespace heddle
