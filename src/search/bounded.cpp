// See bounded.h.
#include "search/bounded.h"

#include <algorithm>

#include "search/strategy_entry.h"

namespace heddle {
namespace {

// A run of so few schedules takes milliseconds; many programs have no more.
constexpr unsigned kMadeAtFirst = 256;

std::unique_ptr<Strategy> make(const StrategyEntry& entry, const StrategyOptions& options) {
  const std::string reduction = entry.value(options.own, "--reduction");
  BoundedSearch::Options bounded;
  bounded.first_plan = options.first_plan;
  bounded.max_preemptions =
      static_cast<unsigned>(entry.number(options.own, entry.limit).value_or(BoundedSearch::kNoBound));
  bounded.reduce = reduction != "none";
  bounded.reduce_preemptions = reduction == "all";
  bounded.made_at_first = kMadeAtFirst;
  bounded.no_preempt = options.no_preempt;
  bounded.stops.at_each_place = static_cast<unsigned>(entry.number(options.own, "--stops").value_or(0));
  bounded.stops.may_stop = [plain = options.is_plain_code, spared = options.no_preempt](Site site) {
    return plain && plain(site) && !(spared && spared(site));
  };
  return std::make_unique<BoundedSearch>(bounded);
}

}  // namespace

StrategyEntry bounded_strategy() {
  return {
      .name = "bounded",
      .help = "all schedules without a preemption, then with one, two …",
      .options = {{"--max-preemptions", "N", "stop when every schedule with at most N preemptions was run"},
                  {"--reduction", "none|states|all",
                   "bounded search: prune schedules that are equivalent to one that is run, as long as threads are "
                   "seen to learn of each other by synchronization only; states: prune what follows a state that was "
                   "reached before; all: also prune preemptions before operations that race with nothing; none: "
                   "prune nothing",
                   "all"},
                  {"--stops", "N",
                   "behind each unlock, post and signal of code that was not built with heddle-cc, also stop a thread, "
                   "N times for each place",
                   "16"}},
      .limit = "--max-preemptions",
      .promise = {.bounds = "preemption", .switches_free = true, .exact = "--reduction=none"},
      .share = 0.06,
      .make = make};
}

BoundedSearch::BoundedSearch(const Options& options)
    : options_(options),
      frontier_(options.first_plan),
      // Where a task is not preempted, what it does behind an operation can't be told apart from it.
      preemptions_({options.reduce_preemptions && !options.no_preempt, options.max_pruned, options.made_at_first,
                    options.reduction.sample_every}),
      expander_({options.max_preemptions, options.eager_nodes, options.no_preempt, options.stops}, frontier_, states_,
                preemptions_) {
  if (options.reduce) states_.emplace(options.reduction);
}

void BoundedSearch::give_up_reduction(const std::string& why) {
  note_ = "schedules that seem equivalent are all run, from the beginning: " + why;
  states_.reset();
  preemptions_.give_up();
  proved_before_ = {};
  restart();
}

// Preemptions that were pruned there matter: they are made now. What was proved holds: a bound is done when nothing
// was pruned there that matters, by all that had been seen. True: the search has begun again.
bool BoundedSearch::make_up_for(const std::vector<PreemptionPoints::Place>& places, unsigned found_at) {
  if (places.empty()) return false;
  PrunedChoices& choices = preemptions_.choices();
  Coverage now = coverage();
  now.bound_proved = std::min(now.bound_proved, static_cast<int>(found_at) - 1);
  if (now.bound_proved > proved_before_.bound_proved) proved_before_ = now;
  if (!std::all_of(places.begin(), places.end(), [&](auto place) { return choices.keeps(place); })) {
    restart();
    choices.keep_more();
    return true;
  }
  for (const PreemptionPoints::Place place : places) {
    for (const PrunedChoices::Pruned& one : choices.take(place)) {
      make_up_for(one);
      frontier_.nodes().release(one.node);
    }
  }
  return false;
}

void BoundedSearch::make_up_for(const PrunedChoices::Pruned& one) {
  if (expander_.beyond(one.preemptions)) {
    expander_.seen().beyond_bound = true;
    return;
  }
  const bool foreseen = states_ && !(one.ahead() == GraphHash());
  if (foreseen && !states_->claim_later(one.ahead(), one.choice, one.preemptions)) return;
  frontier_.push(one.node, one.step, one.choice, one.preemptions, foreseen ? Purpose::Claimed : Purpose::Search);
}

// What was learned may lack something. Plans that are still out come back as unknown ones.
void BoundedSearch::restart() {
  if (states_) states_.emplace(options_.reduction);
  preemptions_.restart();
  frontier_.restart();
  expander_.stops().restart();
  expander_.seen().known_states = expander_.seen().beyond_bound = false;
}

// Only an execution shows that there are any. What the reduction has noted before may hold within such a region.
// True: the search begins anew.
bool BoundedSearch::keep_regions() {
  in_regions_ = true;
  if (!reduces()) return false;
  preemptions_.give_up();
  restart();
  return true;
}

void BoundedSearch::learn(const Execution& execution) {
  if (states_) states_->forget_whole();
  const Frontier::Outstanding outstanding = frontier_.take_back(execution.plan);
  if (outstanding.node == Frontier::kNone) return;
  if (execution.damaged || execution.end.end == EndKind::Diverged || !frontier_.followed(execution, outstanding.node)) {
    frontier_.withdraw(outstanding.bin());
  } else {
    // It is expanded as far as it went; what would have come then is lost.
    if (lacks_choices(execution)) frontier_.withdraw(outstanding.bin());
    const bool sample = expander_.has_stop(outstanding.node);
    if (!sample && make_up_for(preemptions_.learn(execution), outstanding.bound)) return;
    if (!outstanding.revisit() && !sample) frontier_.note_run(outstanding.bound);
    expander_.expand(execution, outstanding, in_regions_);
    if (states_ && states_->why_not() != nullptr) return give_up_reduction(states_->why_not());
    if (expander_.seen().region && !in_regions_ && keep_regions()) return;
  }
  frontier_.nodes().release(outstanding.node);
}

void BoundedSearch::lost(PlanId plan) {
  const Frontier::Outstanding outstanding = frontier_.take_back(plan);
  if (outstanding.node == Frontier::kNone) return;
  frontier_.withdraw(outstanding.bin());
  frontier_.nodes().release(outstanding.node);
}

Coverage BoundedSearch::coverage() const {
  const Expander::Seen& seen = expander_.seen();
  Coverage coverage = frontier_.coverage();
  coverage.complete = coverage.complete && !seen.beyond_bound;
  // What has more preemptions may all be equivalent to what was run.
  if (coverage.complete && seen.known_states && options_.max_preemptions != kNoBound)
    coverage.bound_proved = std::max(coverage.bound_proved, static_cast<int>(options_.max_preemptions));
  if (proved_before_.bound_proved > coverage.bound_proved) {
    coverage.bound_proved = proved_before_.bound_proved;
    coverage.schedules_at_bound = proved_before_.schedules_at_bound;
    coverage.up_to_equivalence = proved_before_.up_to_equivalence;
  }
  coverage.up_to_equivalence = coverage.up_to_equivalence || seen.known_states;
  coverage.regions_kept = seen.region;
  coverage.early_ends = seen.early_ends;
  coverage.pruned = preemptions_.total() + (states_ ? states_->pruned() : 0);
  return coverage;
}

// --- resume

void BoundedSearch::save(StateWriter& writer) const {
  transfer(*this, writer);
  frontier_.save(writer);
  preemptions_.save(writer);
  writer(states_.has_value());
  if (states_) writer(*states_);
}

bool BoundedSearch::restore(StateReader& reader) {
  transfer(*this, reader);
  if (!frontier_.restore(reader) || !preemptions_.restore(reader)) return false;
  bool reduced = false;
  reader(reduced);
  if (!reduced) states_.reset();
  if (reduced && !states_) return false;
  if (states_) reader(*states_);
  return !reader.failed();
}

}  // namespace heddle
