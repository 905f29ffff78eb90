// The search by default: samplers, the bounded search and partial-order reduction in turn.
//
// No search is best everywhere. Walks find bugs that need many switches, or one in the right place of a long execution.
// Partial-order reduction finds what hides among few schedules that differ. The bounded search proves how far one has
// looked. So all of them run: first some tens of walks, which also show most of the places that race; then slices of
// each part in turn.
//
// How much each part gets is decided by turns.h. Since that follows from the executions alone and from their order, one
// seed gives one sequence.
//
// What is claimed is the claim of one part: of the bounded search, or, where that has proved no bound of 1 or more, of
// the search with delays. As long as neither has proved such a bound, the search with delays gets more turns.
//
// The end: the bounded search has nothing left, or partial-order reduction has run one schedule of each class. The
// latter sees less. It leaves out slow threads: where a thread may be slow, it is no end. And in code whose accesses to
// memory are not seen, a plain flag may decide, which orders of independent steps show that it does not run; so there
// the bounded search goes on to two preemptions, with stops behind releases.
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/happens_before.h"
#include "protocol/services.h"
#include "search/registry.h"
#include "search/strategy_entry.h"
#include "search/too_many_choices.h"
#include "search/turns.h"

namespace heddle {
namespace {

constexpr unsigned kPartBits = 48;  // a plan's number says which part it is of, and its number there
// Plans of others than the bounded search that may be out; many as long as these have the larger share, since the
// bounded search would fill the queue otherwise.
constexpr std::size_t kOthersAhead = 32, kOthersAheadEarly = 192;
// Of the bounded search, before all classes are an end in code that is not seen.
constexpr int kUnseenBound = 2;
constexpr std::uint64_t kLookedAt = 256;  // executions in which such code is looked for
// In small programs a part that needs results for its next plan would be late: the others would fill the queue.
constexpr std::uint64_t kAtFirst = 512;         // schedules
constexpr std::size_t kOutAtFirst = 8;          // plans
constexpr std::uint64_t kProofsLookedAt = 256;  // executions, after which it is seen who needs turns for a proof
constexpr std::size_t kMostClasses = std::size_t{1} << 20;

bool is_cut_off(const EndRecord& end) { return end.end == EndKind::StepLimit || ended_in_loop(end); }

struct Part {
  const StrategyEntry* entry = nullptr;
  std::unique_ptr<Strategy> strategy;
  std::uint64_t handed_out = 0;  // plans
  std::uint64_t run = 0;         // executions
  std::uint64_t new_classes = 0;
  bool is_walk() const { return entry->sampler != nullptr; }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.handed_out, self.run, self.new_classes);
  }
};

std::vector<Part> parts_for(const StrategyOptions& options) {
  std::vector<Part> parts;
  for (const StrategyEntry& entry : strategies()) {
    const bool unfit = options.spurious_wakeups || options.weak_memory || options.patched;
    if (entry.share == 0 || (entry.name == "dpor" && unfit)) continue;
    Part part;
    part.entry = &entry;
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<Turns::Share> shares_of(const std::vector<Part>& parts) {
  std::vector<Turns::Share> shares;
  shares.reserve(parts.size());
  for (const Part& part : parts) shares.push_back({part.entry->share, part.is_walk()});
  return shares;
}

// The part of this name; where there is none, the first.
std::size_t named(const std::vector<Part>& parts, std::string_view name) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& one) { return one.entry->name == name; });
  return found != parts.end() ? static_cast<std::size_t>(found - parts.begin()) : 0;
}

// Plans that have not come back.
struct PlansOut {
  std::deque<PlanId> all;  // as they were handed out
  std::size_t others = 0;  // of them, not the bounded search's
  void hand_out(PlanId plan, bool other) {
    all.push_back(plan);
    others += other ? 1 : 0;
  }
  void take_back(PlanId plan, bool other) {
    const auto found = std::find(all.begin(), all.end(), plan);
    if (found == all.end()) return;
    all.erase(found);
    others -= other ? 1 : 0;
  }
};

std::string why_left_out(const Execution& execution) {
  return "one schedule has " + std::to_string(execution.end.tasks) + " threads and " +
         std::to_string(execution.end.steps) +
         " steps: bounded and dpor can't remember so many choices; walks and delays go on";
}

bool lacks_proof(const Strategy& strategy) {
  const Coverage coverage = strategy.coverage();
  return !coverage.complete && coverage.bound_proved < 1;
}

// The happens-before graphs that the parts have come to.
class Classes {
 public:
  // True: no part has come to it before. Executions with stops are of no class that others could have.
  bool note(const Execution& execution, const std::optional<GraphHash>& hash, bool by_dpor);
  // Is there none that others have come to and dpor has not?
  bool dpor_has_all() const { return not_by_dpor_ == 0; }
  bool are_too_many() const { return seen_.size() >= kMostClasses; }
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.seen_, self.not_by_dpor_);
  }

 private:
  absl::flat_hash_map<std::uint64_t, bool> seen_;  // and whether dpor has come to it
  std::uint64_t not_by_dpor_ = 0;
};

class AutomaticSearch final : public Strategy {
 public:
  explicit AutomaticSearch(StrategyOptions options)
      : options_(std::move(options)),
        parts_(parts_for(options_)),
        bounded_(named(parts_, "bounded")),
        dpor_(named(parts_, "dpor")),
        delay_(named(parts_, "delay")),
        turns_(shares_of(parts_), bounded_) {
    options_.knowledge = std::make_shared<WalkKnowledge>(options_.is_plain_code);
    for (std::size_t i = 0; i < parts_.size(); ++i) make(i);
  }

  Next next() override;
  void learn(const Execution& execution) override;
  void lost(PlanId plan) override;
  std::optional<GraphHash> hash_of_last() const override { return last_hash_; }
  Coverage coverage() const override;
  const StrategyEntry* proved_by() const override { return parts_[claiming()].entry; }
  std::string_view part_of(PlanId plan) const override { return parts_[index_of(plan)].entry->name; }
  std::vector<PartReport> parts() const override;
  double estimated_total() const override { return parts_[bounded_].strategy->estimated_total(); }
  double estimated_spread() const override { return parts_[bounded_].strategy->estimated_spread(); }
  std::optional<std::uint64_t> estimated_of() const override { return parts_[bounded_].run; }
  void save(StateWriter& writer) const override;
  bool restore(StateReader& reader) override;
  bool reduces() const override { return parts_[bounded_].strategy->reduces() || parts_[dpor_].strategy->reduces(); }
  void distrust(const std::string& why) override;
  std::string why_not_followed(const Plan& plan, const Execution& execution) const override {
    return parts_[index_of(plan.id)].strategy->why_not_followed(plan, execution);
  }
  std::string take_note() override {
    return note_.empty() ? parts_[bounded_].strategy->take_note() : std::exchange(note_, {});
  }
  bool begin_anew() override;
  void state_was_kept() override {
    for (Part& part : parts_) part.strategy->state_was_kept();
  }

 private:
  std::size_t index_of(PlanId plan) const { return std::min<std::size_t>(plan >> kPartBits, parts_.size() - 1); }
  void make(std::size_t index);
  std::optional<Plan> take(std::size_t index);
  std::size_t claiming() const;
  bool is_over() const;

  StrategyOptions options_;
  std::vector<Part> parts_;
  std::size_t bounded_;
  std::size_t dpor_;  // the bounded search where there is none
  std::size_t delay_;
  Turns turns_;
  PlansOut out_;
  std::deque<std::uint64_t> again_;  // parts whose plans were out when the search was saved
  bool slow_threads_ = false;        // a thread may be slow somewhere
  bool unseen_code_ = false;         // steps come from code whose accesses to memory are not seen
  std::uint64_t looked_at_ = 0;
  bool regions_ = false;  // the program has such in which threads are not to be preempted
  bool crowded_ = false;  // parts that remember choices were left out, since an execution has too many
  std::string note_;
  HappensBefore happens_before_;
  std::optional<GraphHash> last_hash_;
  Classes classes_;
};

// Plans are counted on from those that were handed out before.
void AutomaticSearch::make(std::size_t index) {
  Part& part = parts_[index];
  StrategyOptions options = options_;
  options.first_plan = (PlanId{index} << kPartBits) + part.handed_out + 1;
  part.strategy = part.entry->make(*part.entry, options);
}

bool AutomaticSearch::begin_anew() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    make(i);
    parts_[i].run = parts_[i].new_classes = 0;
  }
  turns_.begin_anew();
  if (regions_) turns_.end(dpor_);
  crowded_ = false;
  out_ = {};
  again_.clear();
  classes_ = {};
  happens_before_ = HappensBefore();
  last_hash_.reset();
  return true;
}

// --- plans

std::optional<Plan> AutomaticSearch::take(std::size_t index) {
  if (turns_.is_over(index)) return {};
  Part& part = parts_[index];
  Next next = part.strategy->next();
  if (std::holds_alternative<Exhausted>(next)) turns_.end(index);
  auto* const plan = std::get_if<Plan>(&next);
  if (plan == nullptr) return {};
  ++part.handed_out;
  out_.hand_out(plan->id, index != bounded_);
  return std::move(*plan);
}

Next AutomaticSearch::next() {
  if (!again_.empty()) {
    // What was outstanding when the search was saved, in its order; each part has kept its own.
    const std::size_t index = again_.front();
    const Part& part = parts_[index];
    Next next = part.strategy->next();
    again_.pop_front();
    if (const auto* const plan = std::get_if<Plan>(&next)) out_.hand_out(plan->id, index != bounded_);
    return next;
  }
  if (is_over()) return Exhausted();
  if (turns_.run() < kAtFirst && out_.all.size() >= kOutAtFirst) return Wait();
  // The default schedule is the first of all: it shows how long executions are.
  if (parts_[bounded_].run == 0) {
    if (auto plan = take(bounded_)) return std::move(*plan);
    if (is_over()) return Exhausted();
    return Wait();
  }
  turns_.nobody_waits();
  for (std::size_t tried = 0; tried < parts_.size(); ++tried, turns_.pass()) {
    const std::size_t index = turns_.present();
    if (index != bounded_ && out_.others >= (turns_.is_early() ? kOthersAheadEarly : kOthersAhead)) continue;
    if (auto plan = take(index)) {
      turns_.took();
      return std::move(*plan);
    }
    if (is_over()) return Exhausted();
    if (turns_.is_mains_alone() && !out_.all.empty()) return Wait();
  }
  return Wait();
}

// --- results

void AutomaticSearch::learn(const Execution& execution) {
  const std::size_t index = index_of(execution.plan);
  Part& part = parts_[index];
  out_.take_back(execution.plan, index != bounded_);
  if (has_too_many_choices(execution, *part.entry, options_.own)) {
    part.strategy->lost(execution.plan);
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (has_too_many_choices(execution, *parts_[i].entry, options_.own)) turns_.end(i);
    if (!std::exchange(crowded_, true)) note_ = why_left_out(execution);
  } else {
    part.strategy->learn(execution);
  }
  if (++part.run == 1 && index == bounded_) options_.knowledge->learn(execution);
  last_hash_ = part.strategy->hash_of_last();
  if (!last_hash_) last_hash_ = happens_before_.hash(execution);
  const bool is_new = classes_.note(execution, last_hash_, index == dpor_);
  part.new_classes += is_new ? 1 : 0;
  turns_.brought(index, execution.steps.size() - execution.resumed_at, is_new);
  // It preempts threads also where they are not to be preempted (heddle_atomic_begin()).
  if (!regions_ && dpor_ != bounded_ && (execution.step_flags_seen & StepFlags::Unpreemptible) != 0) {
    regions_ = true;
    turns_.end(dpor_);
  }
  // With many threads the bounded search may never come to a proof, while there are hardly more schedules with one
  // delay than steps.
  if (turns_.run() % kProofsLookedAt == 0)
    turns_.favour(delay_, lacks_proof(*parts_[bounded_].strategy) && lacks_proof(*parts_[delay_].strategy));
  if (looked_at_++ < kLookedAt) {
    for (const StepRecord& step : execution.steps) {
      slow_threads_ = slow_threads_ || step.operation == OperationKind::ClockRead;
      if (!unseen_code_ && options_.is_unseen_code) unseen_code_ = options_.is_unseen_code(step.site);
    }
  }
  // It has endlessly many classes, as long as fairness is off.
  if (part.entry->name == "dpor" && is_cut_off(execution.end)) turns_.end(index);
}

bool Classes::note(const Execution& execution, const std::optional<GraphHash>& hash, bool by_dpor) {
  if (!hash || execution.end.end == EndKind::Asleep || are_too_many()) return false;
  const auto& steps = execution.steps;
  if (std::any_of(steps.begin(), steps.end(), [](const StepRecord& step) { return stops(step); })) return false;
  const auto [seen, is_new] = seen_.try_emplace(hash->a, by_dpor);
  if (is_new) {
    not_by_dpor_ += by_dpor ? 0 : 1;
  } else if (by_dpor && !std::exchange(seen->second, true)) {
    --not_by_dpor_;
  }
  return is_new;
}

void AutomaticSearch::lost(PlanId plan) {
  Part& part = parts_[index_of(plan)];
  out_.take_back(plan, index_of(plan) != bounded_);
  part.strategy->lost(plan);
  if (part.run == 0) ++part.run;  // the first one does not come again
}

void AutomaticSearch::distrust(const std::string& why) {
  for (Part& part : parts_)
    if (part.strategy->reduces()) part.strategy->distrust(why);
  turns_.reopen(bounded_);  // it may have more to run than it knew of
}

// --- what is known by it

bool AutomaticSearch::is_over() const {
  if (crowded_) return false;  // walks have no end
  return turns_.is_over(bounded_) || (turns_.is_over(dpor_) && claiming() == dpor_);
}

// Whose claim is the strongest. Where many threads wait for each other, the schedules without a preemption may be too
// many already; those with few delays never are.
std::size_t AutomaticSearch::claiming() const {
  const auto bound_of = [&](std::size_t part) { return parts_[part].strategy->coverage().bound_proved; };
  if (parts_[bounded_].strategy->coverage().complete) return bounded_;
  const bool seen_enough = !unseen_code_ || bound_of(bounded_) >= kUnseenBound;
  if (dpor_ != bounded_ && turns_.is_over(dpor_) && !crowded_ && !slow_threads_ && !regions_ && seen_enough) {
    const Coverage all = parts_[dpor_].strategy->coverage();
    // A class that another part has come to, and dpor has not, shows that more decides than it looks at.
    if (all.complete && (classes_.dpor_has_all() || all.early_ends) && !classes_.are_too_many()) return dpor_;
  }
  const int least = crowded_ && bound_of(bounded_) < 0 ? 0 : 1;
  return bound_of(delay_) >= least && bound_of(bounded_) < 1 ? delay_ : bounded_;
}

Coverage AutomaticSearch::coverage() const {
  const std::size_t claims = claiming();
  Coverage result = parts_[claims].strategy->coverage();
  result.preemption_bound = parts_[bounded_].strategy->coverage().bound_proved;
  return result;
}

std::vector<PartReport> AutomaticSearch::parts() const {
  std::vector<PartReport> result;
  for (const Part& part : parts_) result.push_back({part.entry->name, part.run, part.new_classes});
  return result;
}

// --- resume

void AutomaticSearch::save(StateWriter& writer) const {
  for (const Part& part : parts_) {
    writer(part);
    part.strategy->save(writer);
  }
  std::vector<std::uint64_t> again;
  for (const PlanId plan : out_.all) again.push_back(index_of(plan));
  again.insert(again.end(), again_.begin(), again_.end());
  writer(again, turns_, slow_threads_, unseen_code_, looked_at_, regions_, crowded_, classes_);
}

bool AutomaticSearch::restore(StateReader& reader) {
  for (Part& part : parts_) {
    reader(part);
    if (!part.strategy->restore(reader)) return false;
  }
  std::vector<std::uint64_t> again;
  reader(again, turns_, slow_threads_, unseen_code_, looked_at_, regions_, crowded_, classes_);
  again_.assign(again.begin(), again.end());
  return !reader.failed() && std::all_of(again.begin(), again.end(), [&](auto part) { return part < parts_.size(); });
}

std::unique_ptr<Strategy> make(const StrategyEntry&, const StrategyOptions& options) {
  return std::make_unique<AutomaticSearch>(options);
}

}  // namespace

StrategyEntry automatic_strategy() {
  return {
      .name = "auto",
      .help = "random walks of several kinds, bounded and dpor in turn, by what each brings",
      .promise = {.bounds = "preemption"},  // what a report says is the promise of the part that claims (proved_by())
      .unfit = {{"--no-preempt", "--no-preempt is for --search=bounded only, which counts preemptions"}},
      .races_collected_in = 8,
      .make = make};
}

}  // namespace heddle
