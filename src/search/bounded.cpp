// See bounded.h.
#include "search/bounded.h"

#include <algorithm>
#include <limits>

#include "protocol/assert.h"
#include "search/registry.h"
#include "search/strategy_entry.h"

namespace heddle {
namespace {

// A run of so few schedules takes milliseconds; many programs have no more.
constexpr unsigned kMadeAtFirst = 256;

const char* priorities_help() {
  static const std::string help = [] {
    std::string text = "which schedules come first (up to three, the first one first): ";
    for (const PriorityEntry& entry : priorities())
      text.append(&entry == &priorities().front() ? "" : "; ").append(entry.name).append(": ").append(entry.help);
    return text;
  }();
  return help.c_str();
}

// Of the memory of a run, half is for the schedules (16 bytes are room enough for one) and a quarter for the states.
void fit_into(std::uint64_t bytes, const std::string& file, BoundedSearch::Options& options) {
  constexpr std::uint64_t kEachSchedule = 16, kEachState = 16;
  options.eager_nodes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(options.eager_nodes, bytes / 2 / kEachSchedule));
  options.reduction.most_states = std::min<std::uint64_t>(options.reduction.most_states, bytes / 4 / kEachState);
  options.file = {.path = file, .entries_in_memory = options.eager_nodes / 4};
}

std::unique_ptr<Strategy> make(const StrategyEntry& entry, const StrategyOptions& options) {
  const std::string reduction = entry.value(options.own, "--reduction");
  BoundedSearch::Options bounded;
  bounded.first_plan = options.first_plan;
  bounded.max_preemptions =
      static_cast<unsigned>(entry.number(options.own, entry.limit).value_or(BoundedSearch::kNoBound));
  bounded.reduce = reduction != "none";
  bounded.reduce_preemptions = reduction == "all";
  bounded.symmetric = entry.value(options.own, "--symmetry") == "yes";
  bounded.made_at_first = kMadeAtFirst;
  bounded.no_preempt = options.no_preempt;
  bounded.stops.at_each_place = static_cast<unsigned>(entry.number(options.own, "--stops").value_or(0));
  bounded.priorities = entry.value(options.own, "--priority");
  bounded.of_priorities = {.seed = options.seed,
                           .early_timeouts = options.early_timeouts,
                           .is_method = options.is_method,
                           .is_variable = options.is_variable,
                           .orders = options.orders,
                           .name_place = options.name_place,
                           .name_object = options.name_object};
  bounded.guided = entry.value(options.own, "--guide") == "hapset";
  const bool learns = bounded.guided || lists_priority(bounded.priorities, "hapset");
  bounded.learn_first = learns ? entry.number(options.own, "--learn").value_or(0) : 0;
  bounded.stops.may_stop = [plain = options.is_plain_code, spared = options.no_preempt](Site site) {
    return plain && plain(site) && !(spared && spared(site));
  };
  bounded.shard = options.shard;
  if (bounded.shard != nullptr) bounded.eager_nodes = std::numeric_limits<std::uint32_t>::max();  // no revisits
  if (options.memory_bytes != 0) fit_into(options.memory_bytes, options.frontier_file, bounded);
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
                  {"--symmetry", "yes|no",
                   "threads that start with the same function and argument are interchangeable, until something tells "
                   "them apart; no: each order of them is run",
                   "yes"},
                  {"--stops", "N",
                   "behind each unlock, post and signal of code that was not built with heddle-cc, also stop a thread, "
                   "N times for each place",
                   "16"},
                  {"--priority", "LIST", priorities_help(), "pb", 0, check_priorities},
                  {"--method", "NAMES", "functions for --priority=method: Enqueue,Queue::TryDequeue"},
                  {"--var", "NAMES", "variables for --priority=var: queue.head,count; * stands for any text"},
                  {"--guide", "none|hapset",
                   "hapset: run only schedules that bring an order of statements which no good one has shown: few, and "
                   "nothing is proved",
                   "none"},
                  {"--learn", "N", "run N random schedules first, where orders of statements are learned (hapset)",
                   "20"}},
      .limit = "--max-preemptions",
      .promise = {.bounds = "preemption", .switches_free = true, .exact = "--reduction=none"},
      .share = 0.06,
      .make = make};
}

namespace {

std::uint64_t learned_first(const BoundedSearch::Options& options) {
  const auto& orders = options.of_priorities.orders;
  const std::uint64_t known = orders ? orders->good_runs() : 0;  // of a search before this one
  return options.learn_first - std::min(options.learn_first, known);
}

std::shared_ptr<PriorityList> make_priorities(const BoundedSearch::Options& options) {
  if (is_by_bound(options.priorities)) return nullptr;
  std::string error;
  auto list = std::make_shared<PriorityList>(options.priorities, options.of_priorities, error);
  HEDDLE_ASSERT(error.empty(), "the list was checked as an option");
  return list;
}

Frontier::Order order_of(const BoundedSearch::Options& options) {
  if (options.shard) return Frontier::Order::DeepestFirst;
  return is_by_bound(options.priorities) ? Frontier::Order::ByBound : Frontier::Order::ByCost;
}

}  // namespace

BoundedSearch::BoundedSearch(const Options& options)
    : options_(options),
      walks_(learned_first(options), find_strategy("random")->sampler,
             {.seed = options.of_priorities.seed, .first_plan = options.first_plan}),
      priorities_(make_priorities(options)),
      frontier_(walks_.end(), order_of(options), options.file),
      // Where a task is not preempted, what it does behind an operation can't be told apart from it.
      preemptions_({options.reduce_preemptions && !options.no_preempt, options.max_pruned, options.made_at_first,
                    options.reduction.sample_every}),
      expander_({options.max_preemptions, options.eager_nodes, options.no_preempt, options.stops, priorities_,
                 options.guided ? options.of_priorities.orders : nullptr, options.of_priorities.early_timeouts},
                frontier_, states_, preemptions_) {
  if (!options.symmetric) told_apart_.add_all();
  options_.reduction.told_apart = &told_apart_;
  if (options.reduce) states_.emplace(options_.reduction);
  if (!options_.shard) return;
  HEDDLE_ASSERT(!reduces() && !priorities_ && options_.stops.at_each_place == 0,
                "what is run of a shard must not depend on what was run of others");
  frontier_.restart(*options_.shard);
}

// What was proved may rest on them.
void BoundedSearch::give_up_symmetry() {
  any_alike_ = false;
  proved_before_ = {};
  restart();
}

// True: tasks that counted as interchangeable are not, and the search has begun again.
bool BoundedSearch::are_told_apart(const Execution& execution) {
  if (!states_ || told_apart_.all()) return false;
  const bool apart = distinctions_.find(execution);
  any_alike_ = any_alike_ || distinctions_.any_alike();
  if (apart) give_up_symmetry();
  return apart;
}

void BoundedSearch::give_up_reduction(const std::string& why) {
  if (any_alike_) {  // it may be they that differ
    told_apart_.add_all();
    return give_up_symmetry();
  }
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
  if (foreseen && !states_->claim_later({one.ahead(), one.choice.task}, one.preemptions)) return;
  frontier_.push(one.node, one.step, one.choice, one.preemptions, foreseen ? Purpose::Claimed : Purpose::Search);
}

// What was learned may lack something. Plans that are still out come back as unknown ones.
void BoundedSearch::restart() {
  if (states_) states_.emplace(options_.reduction);
  preemptions_.restart();
  frontier_.restart(options_.shard ? *options_.shard : Subtrees{Subtree()});
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

Next BoundedSearch::next() {
  if (std::optional<Next> walk = walks_.next()) return std::move(*walk);
  Next next = frontier_.next();
  Plan* const plan = std::get_if<Plan>(&next);
  if (plan != nullptr && (options_.guided || (priorities_ && priorities_->needs_marks())))
    plan->policy = PolicyKind::Marked;
  return next;
}

std::string BoundedSearch::take_note() {
  if (!note_.empty()) return std::exchange(note_, {});
  if (std::string note = frontier_.file().take_note(); !note.empty()) return note;
  return priorities_ ? priorities_->take_note() : std::string();
}

void BoundedSearch::learn(const Execution& execution) {
  if (states_) states_->forget_whole();
  if (priorities_) priorities_->learn(execution);
  if (walks_.is_one(execution.plan)) return walks_.learn(execution);
  const Frontier::Outstanding outstanding = frontier_.take_back(execution.plan);
  if (outstanding.node == Frontier::kNone) return;
  if (execution.damaged || execution.end.end == EndKind::Diverged ||
      !followed(execution, frontier_.nodes()[outstanding.node])) {
    frontier_.withdraw(outstanding.least());
  } else {
    // It is expanded as far as it went; what would have come then is lost.
    if (lacks_choices(execution)) frontier_.withdraw(outstanding.least());
    if (are_told_apart(execution)) return;
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
  if (walks_.is_one(plan)) return walks_.lost(plan);
  const Frontier::Outstanding outstanding = frontier_.take_back(plan);
  if (outstanding.node == Frontier::kNone) return;
  frontier_.withdraw(outstanding.least());
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
  if (seen.guided != 0) {
    coverage.guided = true;
    coverage.complete = false;
    coverage.bound_proved = -1;
  }
  coverage.symmetric = any_alike_;
  coverage.regions_kept = seen.region;
  coverage.early_ends = seen.early_ends;
  coverage.pruned = preemptions_.total() + (states_ ? states_->pruned() : 0);
  return coverage;
}

ShardProgress BoundedSearch::shard_progress() const {
  ShardProgress progress = frontier_.shard_progress();
  progress.beyond = expander_.seen().beyond_bound;
  return progress;
}

// --- resume

void BoundedSearch::save(StateWriter& writer) const {
  transfer(*this, writer);
  frontier_.save(writer);
  walks_.save(writer);
  if (priorities_) priorities_->save(writer);
  preemptions_.save(writer);
  writer(states_.has_value());
  if (states_) writer(*states_);
}

bool BoundedSearch::restore(StateReader& reader) {
  transfer(*this, reader);
  if (!frontier_.restore(reader)) return false;
  if (!walks_.restore(reader)) return false;
  if (priorities_) priorities_->restore(reader);
  if (!preemptions_.restore(reader)) return false;
  bool reduced = false;
  reader(reduced);
  if (!reduced) states_.reset();
  if (reduced && !states_) return false;
  if (states_) reader(*states_);
  return !reader.failed();
}

}  // namespace heddle
