// See dpor.h.
#include "search/dpor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "protocol/services.h"
#include "search/plain_end.h"
#include "search/registry.h"
#include "search/strategy_entry.h"

namespace heddle {
namespace {

std::unique_ptr<Strategy> make(const StrategyEntry&, const StrategyOptions& options) {
  const StrategyEntry& owner = *strategy_with_option("--guide");
  OrderGuide::Options guide{.seed = options.seed};
  if (owner.value(options.own, "--guide") == "hapset") {
    guide.orders = options.orders;
    const std::uint64_t known = options.orders ? options.orders->good_runs() : 0;  // of a search before this one
    const std::uint64_t wanted = owner.number(options.own, "--learn").value_or(0);
    guide.learn_first = wanted - std::min(wanted, known);
  }
  return std::make_unique<DporSearch>(options.early_timeouts, options.first_plan, guide);
}

// What this search does not see of what decides on an operation; null: nothing.
const char* unseen(OperationKind operation, std::uint8_t marks) {
  const ObjectKind kind = object_kind(operation);
  if (kind == ObjectKind::Futex) return "a look at memory, which is no step";
  const bool prefers_writers = kind == ObjectKind::RwLock && (marks & StepMarks::PrefersWriters) != 0;
  return prefers_writers ? "who waits for the lock, too" : nullptr;
}

// Where a timeout fires only when nobody can go on, it would not have, had the call come earlier and found something.
const char* unseen(const StepRecord& made, bool early_timeouts) {
  const bool on_descriptor = object_kind(made.operation) == ObjectKind::Descriptor;
  if (made.operation == OperationKind::Initialize && made.result != 0) return "who waits for what was there, too";
  if (on_descriptor && made.variants > 1) return "how far the calls are that wait there, too";
  if (on_descriptor && made.variant == kTimeout && !early_timeouts) return "its deadline, which comes last here";
  return unseen(made.operation, made.marks);
}

// "what comes of the futex wait of ready at latch.cpp:12 is decided by …" (driver/explore/note_places.h): the first one
// of which not everything is seen; empty: there is none.
std::string find_unseen(const Execution& execution, std::uint32_t first, bool early_timeouts) {
  const auto text = [](const auto& record, const char* what) {
    char place[32];
    std::snprintf(place, sizeof place, "{at %#llx}", static_cast<unsigned long long>(record.site));
    return std::string("what comes of the ") + name(record.operation) + " of {object " + std::to_string(record.object) +
           "}" + place + " is decided by " + what;
  };
  for (std::size_t step = first; step < execution.steps.size(); ++step)
    if (const char* what = unseen(execution.steps[step], early_timeouts)) return text(execution.steps[step], what);
  for (const PendingRecord& pending : execution.pending)
    if (const char* what = unseen(pending.operation, pending.marks)) return text(pending, what);
  return {};
}

bool is_cut_off(const EndRecord& end) {
  return end.end == EndKind::Killed || end.end == EndKind::StepLimit || ended_in_loop(end);
}

// An execution that was cut off goes round, mostly, while others wait. What they could do in between differs by nothing
// but how often it went round before. The last step of which that can't be said; else a large number.
std::uint32_t last_before_going_round(const Execution& execution) {
  constexpr std::size_t kRounds = 2048, kFirstRounds = 256;
  const auto& steps = execution.steps;
  if (!is_cut_off(execution.end) || steps.size() <= kRounds) return UINT32_MAX;
  std::vector<bool> goes_round(execution.tasks.size());
  for (std::size_t step = steps.size() - kRounds; step < steps.size(); ++step)
    if (steps[step].task < goes_round.size()) goes_round[steps[step].task] = true;
  std::size_t before = steps.size() - kRounds;
  while (before > 0 && steps[before - 1].task < goes_round.size() && goes_round[steps[before - 1].task]) --before;
  return static_cast<std::uint32_t>(std::min(before + kFirstRounds, steps.size()));
}

// Of the ends of the process that come at other times, not all are run.
bool could_end_elsewhere(const Execution& execution) {
  const PlainEnd end = plain_end_of(execution);
  const auto could_go_on = [&](const PendingRecord& one) {
    return one.task != end.task && (one.state & (TaskState::Enabled | TaskState::Timeout)) != 0;
  };
  return end.task != kNoTask &&
         (end.follows != end.begin || std::any_of(execution.pending.begin(), execution.pending.end(), could_go_on));
}

}  // namespace

StrategyEntry dpor_strategy() {
  constexpr const char* kKnowsNeither =
      "--search=dpor knows neither --spurious-wakeups nor --max-preemptions: use --search=bounded";
  return {.name = "dpor",
          .help = "one of each set of schedules that differ only in the order of independent steps, without a bound",
          .shared = {"--guide", "--learn"},
          .promise = {.fair = false, .slow_threads = false, .instead = "--search=bounded"},
          .unfit = {{"--spurious-wakeups", kKnowsNeither},
                    {"--max-preemptions", kKnowsNeither},
                    {"--max-stale",
                     "--search=dpor reads every old value that may be read: use --search=bounded with --max-stale"},
                    {"--reduction",
                     "--reduction is for --search=bounded only: --search=dpor is a reduction itself; use "
                     "--search=bounded, or leave it out"},
                    {"--patch",
                     "--search=dpor does not know which steps are independent with --patch=yes, where plain accesses "
                     "are not seen: use --search=auto or bounded"},
                    {"--no-preempt", "--no-preempt is for --search=bounded only, which counts preemptions"}},
          .any_stale = true,
          .share = 0.12,
          .make = make};
}

// --- plans

Next DporSearch::next() {
  if (std::optional<Next> walk = guide_.walks().next()) return std::move(*walk);
  NodeId from = ExplorationTree::kRoot;
  if (!again_.empty()) {
    from = again_.front();
    again_.pop_front();
  } else if (std::exchange(started_, true)) {
    from = tree_.take_deepest();
  }
  if (from != ExplorationTree::kNone) return plan_from(from);
  if (outstanding_count_ != 0) return Wait();
  return Exhausted();
}

Next DporSearch::plan_from(NodeId from) {
  Next next(std::in_place_type<Plan>);
  Plan& plan = std::get<Plan>(next);
  plan.id = next_plan_++;
  plan.policy = PolicyKind::Awake;
  plan.fair = plan.slow_threads = false;
  const auto deviation_of = [this](NodeId id) { return tree_[id].deviation; };
  const auto above = [&](NodeId id) { return deviation_of(tree_[id].parent); };
  std::size_t count = 0;
  for (NodeId id = deviation_of(from); id != ExplorationTree::kNone; id = above(id)) ++count;
  plan.deltas.resize(count);
  for (NodeId id = deviation_of(from); id != ExplorationTree::kNone; id = above(id))
    plan.deltas[--count] = {tree_[id].depth - 1, tree_[id].made};
  Node& node = tree_[from];
  std::uint32_t step = node.depth;
  each_on_first_branch(node.wakeup, [&](const Event& event) { plan.deltas.push_back({step++, event.choice}); });
  // What depends on everything is woken by the step that is planned next, whatever it is.
  const Choice first = node.wakeup.empty() ? Choice{kNoTask, 0} : node.wakeup.front().event.choice;
  for (const Event& event : node.sleepers(first))
    if (!event.access.everything)
      tell_policy<PolicyKind::Awake>(plan, Sleeper::from(node.depth, event.choice, event.access.wrote));
  node.out = true;
  outstanding_.insert(plan.id, from);
  ++outstanding_count_;
  return next;
}

// --- results

void DporSearch::learn(const Execution& execution) {
  if (guide_.walks().is_one(execution.plan)) return guide_.walks().learn(execution);
  const auto from = outstanding_.take(execution.plan);
  if (!from) return;
  --outstanding_count_;
  path_.go_to(*from);
  if (execution.damaged || !path_.followed(execution)) return lose(*from);
  const Node& node = tree_[*from];
  if (execution.end.end == EndKind::Asleep && execution.steps.size() < node.depth + length_of_first_branch(node.wakeup))
    return learn_impossible(execution, *from);
  ++counts_.run;
  if (execution.end.end == EndKind::Asleep) ++counts_.asleep;
  ends_.cut_off = ends_.cut_off || is_cut_off(execution.end);
  ends_.early = ends_.early || could_end_elsewhere(execution);
  if (!memory_decides_) scan_memory(execution, tree_[*from].depth);
  count_choices(execution, tree_[*from].depth);
  scan_after(execution, *from);
}

void DporSearch::scan_memory(const Execution& execution, std::uint32_t first) {
  const std::string what = find_unseen(execution, first, early_timeouts_);
  if (what.empty()) return;
  memory_decides_ = true;
  note_ = "not all schedules that differ are run: " + what + "; --search=bounded does without seeing it";
}

// What could have been chosen at the states that are new: those behind the state that the plan left the others at.
void DporSearch::count_choices(const Execution& execution, std::uint32_t first) {
  const auto& steps = execution.steps;
  for (std::size_t step = counts_.run == 1 ? 0 : first + std::size_t{1}; step < steps.size(); ++step)
    counts_.choices +=
        std::max<std::uint16_t>(steps[step].eligible, 1) + std::max<std::uint16_t>(steps[step].variants, 1) - 2u;
}

void DporSearch::lost(PlanId plan) {
  if (guide_.walks().is_one(plan)) return guide_.walks().lost(plan);
  const auto from = outstanding_.take(plan);
  if (!from) return;
  --outstanding_count_;
  lose(*from);
}

// What the plan would have led to is not explored.
void DporSearch::lose(NodeId from) {
  ++counts_.lost;
  tree_.give_up_first(from);
  tree_.insert_late(from);
  settle(from);
}

// There is no order as it was planned. A call on a descriptor that would block there could have gone on still earlier,
// in front of what made it wait.
void DporSearch::learn_impossible(const Execution& execution, NodeId from) {
  const auto step = static_cast<std::uint32_t>(execution.steps.size());
  const WakeupNode& planned = on_first_branch(tree_[from].wakeup, step - tree_[from].depth);
  const TaskId task = planned.event.choice.task;
  const auto waits = std::find_if(execution.pending.begin(), execution.pending.end(),
                                  [&](const PendingRecord& one) { return one.task == task; });
  const bool on_descriptor =
      waits != execution.pending.end() && object_kind(waits->operation) == ObjectKind::Descriptor;
  if (on_descriptor && !planned.alternative) return lose(from);
  races_.analyse_waiting(execution, path_.known(), on_descriptor ? task : kNoTask);
  followed_until_ = UINT32_MAX;
  guide_.begin(execution);
  // Behind `from` nothing was planned that decides it.
  for (const Race& race : races_.races())
    if (race.first >= path_.size()) return lose(from);
  tree_.take_out_first(from, step);
  add_races();
  tree_.insert_late(from);
  settle(from);
}

// What the execution has shown that the others before it have not.
void DporSearch::scan_after(const Execution& execution, NodeId from) {
  const std::uint32_t first = tree_[from].depth;
  races_.analyse(execution, path_.known(), first);
  followed_until_ = last_before_going_round(execution);
  alternatives_.find(races_.order(), first);
  guide_.begin(execution);
  WakeupTree taken = tree_.take_first(from);
  const std::uint32_t last = last_of_interest(taken, first);
  path_.extend(execution, races_.order().events, std::move(taken), last);
  add_alternatives();
  add_races();
  tree_.insert_late(from);
  for (std::size_t depth = first; depth < path_.size(); ++depth) tree_.make_ready(path_[depth]);
  settle(path_.last());
  estimate_.note(tree_, counts_.run);
}

// The last step before which something is left to be explored.
std::uint32_t DporSearch::last_of_interest(const WakeupTree& taken, std::uint32_t first) const {
  std::uint32_t last = first, depth = first;
  for (const WakeupTree* at = &taken; !at->empty(); at = &at->front().children) {
    ++depth;
    if (at->size() > 1) last = depth;
  }
  for (const Race& race : races_.races())
    if (race.first <= followed_until_) last = std::max(last, race.first);
  for (const Alternatives::Alternative& one : alternatives_.all())
    if (one.step <= followed_until_) last = std::max(last, one.step);
  return last;
}

void DporSearch::add_alternatives() {
  for (const auto& [step, choice] : alternatives_.all()) {
    if (step > followed_until_ || guide_.leaves_out(step, choice)) continue;
    Event event = races_.order().events[step];
    // What it accesses is known once it has been taken; until then it depends on everything.
    event.access.everything |= event.choice.task != choice.task;
    event.access.wrote = true;
    event.choice = choice;
    tree_.add_alternative(path_[step], event);
  }
}

// Each takes as long as what is behind it: of very long executions, only the first are followed.
void DporSearch::add_races() {
  constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 26;
  std::uint64_t steps = 0;
  for (const Race& race : races_.races()) {
    if (race.first > followed_until_ || guide_.leaves_out(race)) continue;
    steps += races_.order().events.size() - race.first;
    if (steps > kMostSteps) {
      ++counts_.lost;
      note_ = "a schedule of " + std::to_string(races_.order().events.size()) +
              " steps has too many races: not all are followed";
      return;
    }
    const Choice made = races_.order().events[race.first].choice;
    tree_.insert(path_[race.first], races_.reversal(race), made, race.may_not_exist);
  }
}

// Something has been done there: is anything left?
void DporSearch::settle(NodeId from) {
  tree_.make_ready(from);
  path_.cut(tree_.settle(from));
}

// Mostly the truth is nearer to the lower of the two ways of counting: what the higher one adds at each depth
// multiplies, up to anything. The spread is what they say, and more the less has been explored, since what comes later
// is not like what came first.
void DporSearch::Estimate::note(const ExplorationTree& tree, std::uint64_t run) {
  constexpr std::uint64_t kFew = 16;
  constexpr double kMaxApart = 16;
  if (run < next) return;
  next = run + std::max(run / kFew, kFew);
  const auto [low, high] = tree.estimate();
  const double apart = std::cbrt(std::clamp(high / low, 1.0, kMaxApart));
  total = low * apart;
  const double left = std::max(1 - static_cast<double>(run) / total, 0.0);
  spread = apart * apart * (1 + 2 * left);
}

// --- what is told, and kept

Coverage DporSearch::coverage() const {
  Coverage coverage;
  coverage.complete = started_ && tree_.pending() == 0 && counts_.lost == 0 && !ends_.cut_off && !memory_decides_ &&
                      !distrusted_ && !guide_.has_left_out();
  coverage.guided = guide_.has_left_out();
  coverage.memory_decides = memory_decides_;
  coverage.distrusted = distrusted_;
  // Each execution but the first has made one of them.
  const std::uint64_t planned = counts_.run + tree_.pending();
  coverage.pruned = counts_.choices + 1 > planned ? counts_.choices + 1 - planned : 0;
  coverage.up_to_equivalence = true;
  coverage.early_ends = ends_.early;
  coverage.lost = counts_.lost;
  coverage.schedules_at_bound = counts_.run - counts_.asleep;
  coverage.pending = started_ ? tree_.pending() : 0;
  return coverage;
}

void DporSearch::distrust(const std::string& why) {
  if (!std::exchange(distrusted_, true)) note_ = "not all schedules that differ are run: " + why;
}

// The order of an operation that may go on for another reason than those that the relation knows.
std::string DporSearch::why_not_followed(const Plan& plan, const Execution& execution) const {
  const auto unknown = [](const auto& record) { return !has_known_effect(record.operation); };
  const auto timed = [](const StepRecord& step) { return step.variant == kTimeout; };
  const auto at = static_cast<std::uint32_t>(execution.steps.size());
  const auto planned =
      std::find_if(plan.deltas.begin(), plan.deltas.end(), [&](const Delta& one) { return one.step == at; });
  const auto is_planned = [&](const PendingRecord& one) {
    return planned != plan.deltas.end() && one.task == planned->choice.task;
  };
  const auto pending = std::find_if(execution.pending.begin(), execution.pending.end(), is_planned);
  const auto no_step = std::make_reverse_iterator(execution.steps.begin());
  const auto step = std::find_if(std::make_reverse_iterator(execution.steps.end()), no_step, unknown);
  const auto other = std::find_if(execution.pending.begin(), execution.pending.end(), unknown);
  std::string operation;
  if (pending != execution.pending.end() && unknown(*pending))
    operation = name(pending->operation);
  else if (step != no_step)
    operation = name(step->operation);
  else if (other != execution.pending.end())
    operation = name(other->operation);
  else if (std::any_of(execution.steps.begin(), execution.steps.end(), timed))
    operation = "timeout";
  if (operation.empty() && memory_decides_)
    return "a schedule could not be run as planned: memory that this search does not look at decides which operations "
           "threads come to, and it had planned an order that does not exist; --search=bounded does without";
  if (operation.empty()) return {};
  return "a schedule could not be run as planned: this search knows too little of what the operation \"" + operation +
         "\" does to others, and had planned an order that does not exist; --search=bounded does without";
}

void DporSearch::save(StateWriter& writer) const {
  transfer(*this, writer);
  guide_.save(writer);
  std::vector<NodeId> again;
  for (const auto& [plan, from] : outstanding_.all()) again.push_back(from);
  again.insert(again.end(), again_.begin(), again_.end());
  writer(again);
}

bool DporSearch::restore(StateReader& reader) {
  transfer(*this, reader);
  if (!guide_.restore(reader)) return false;
  std::vector<NodeId> again;
  reader(again);
  again_.assign(again.begin(), again.end());
  return !reader.failed();
}

}  // namespace heddle
