// Iterative preemption bounding: all schedules without a preemption, then all with one, and so on.
//
// Sources: CHESS (OSDI 2008, section 4.4.1) for the bound, GAMBIT (PPoPP 2010, section 3, FindBacktrackingPoints) for
// the execution tree. A schedule is written as its deviations from the default behaviour. The tree's root is the
// default schedule; the parent of a schedule is the same schedule without its last deviation. In memory are the
// frontier (frontier.h), with an entry of 12 bytes for each schedule that is to be run, and the nodes from which they
// branch off (deviations.h), 14 bytes each.
//
// Where we deviate: (1) choices are (task, variant), not tasks: which waiter is woken, timeouts, spurious wake-ups.
// (2) Once the frontier is large, the successors that cost a preemption are not stored one by one. The executed node
// goes into the next bin once, as a *revisit*; when that bound's turn comes, it runs again and is expanded then.
//
// Why every schedule is run exactly once. Fix the program, and let d(p) be the default choice after a sequence of
// choices p. A schedule c0 c1 … deviates at the steps D = {i : ci ≠ d(c0…ci-1)}; The schedule determines D, and so its
// parent (without the last element of D) and its last deviation: each schedule has exactly one place in the tree. It
// remains to show that expanding a node generates every child once. Let the node's last deviation be at step s. Its
// children are, at each step i > s, where the run followed the default, all choices other than the one made
// (expand_step). There is one gap: how many ordinary variants a choice has is known only once it has been taken. So
// variant 0 of every choice is generated first. Running it generates its siblings, variants 1 to n-1, as children of
// its own parent (expand_siblings); variants other than 0 generate none. The choice that the run itself made at step i
// has shown its variants, so they are generated there. tests/unit/search compares with a brute-force enumeration.
//
// Where a thread must not be preempted (--no-preempt, heddle_atomic_begin()), the choices that would preempt it are
// pruned: only the task that ran last may go on. Its own alternatives remain choices. Such states are not noted in the
// reduction's table: less can follow from them than from the same state with another task running.
//
// With a reduction (state_reduction.h), states that are equivalent to an expanded one are not expanded again. So for
// every schedule within the bound, it or an equivalent one with no more preemptions was run. The same holds where
// preemptions that bring nothing are pruned (preemption_points.h); those that turn out to matter are made later, in the
// bound where they belong. If the reductions turn out not to hold for the program, the search begins again without
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/distinctions.h"
#include "search/expander.h"
#include "search/frontier.h"
#include "search/learning_runs.h"
#include "search/preemption_reduction.h"
#include "search/priority.h"
#include "search/state_reduction.h"
#include "search/strategy.h"

namespace heddle {

class BoundedSearch final : public Strategy {
 public:
  struct Options {
    PlanId first_plan = 1;
    unsigned max_preemptions = kNoBound;
    std::uint32_t eager_nodes = 1u << 23;           // beyond so many nodes, costly successors are left to revisits
    bool reduce = false;                            // prune states that are equivalent
    bool reduce_preemptions = false;                // prune preemptions that bring nothing
    bool symmetric = false;                         // with `reduce`: tasks that were started alike are interchangeable
    std::size_t max_pruned = std::size_t{1} << 19;  // of those, at most so many are kept for the case that they do
    unsigned made_at_first = 0;  // so many preemptions that bring nothing are made, before any is pruned
    StateReduction::Options reduction = {};
    // Is this a place where threads are not to be preempted? Empty: there is none.
    std::function<bool(Site)> no_preempt = {};
    ReleaseStops::Options stops = {};
    std::string priorities = "pb";                    // PriorityList; "pb" alone: bound after bound
    PriorityOptions of_priorities = {};               // the orders in it are learned by whoever gives them
    bool guided = false;                              // choices that bring no new order are not made (orders.h)
    std::uint64_t learn_first = 0;                    // so many walks run first, for the orders
    std::shared_ptr<const Subtrees> shard = nullptr;  // only these are searched; without any reduction
    FrontierFile::Options file = {};                  // where schedules that wait go beyond what fits into memory
  };
  static constexpr unsigned kNoBound = 0xffff;

  explicit BoundedSearch(const Options& options);

  Next next() override;
  void learn(const Execution& execution) override;
  void lost(PlanId plan) override;
  std::optional<GraphHash> hash_of_last() const override { return states_ ? states_->whole() : std::nullopt; }
  Coverage coverage() const override;
  double estimated_total() const override { return frontier_.estimated_total(); }
  double estimated_spread() const override { return frontier_.estimated_spread(); }
  void save(StateWriter& writer) const override;
  bool restore(StateReader& reader) override;
  void state_was_kept() override { frontier_.file().state_was_kept(); }
  bool reduces() const override { return states_.has_value() || preemptions_.active(); }
  void distrust(const std::string& why) override {
    if (reduces()) give_up_reduction(why);
  }
  std::string take_note() override;
  ShardProgress shard_progress() const override;

  // For tests: how many schedules are in memory, those that wait and those from which they branch off.
  std::size_t nodes_in_use() const { return frontier_.in_use(); }
  // And how many bytes they and the choices that were pruned take, the room for more left aside.
  std::size_t bytes_in_use() const { return frontier_.bytes() + preemptions_.choices().bytes(); }

 private:
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.note_, self.in_regions_, self.proved_before_, self.expander_.seen(), self.expander_.stops(),
            self.told_apart_, self.any_alike_);
  }
  void restart();
  void give_up_reduction(const std::string& why);
  void give_up_symmetry();
  bool are_told_apart(const Execution& execution);
  bool make_up_for(const std::vector<PreemptionPoints::Place>& places, unsigned found_at);
  void make_up_for(const PrunedChoices::Pruned& one);
  bool keep_regions();

  Options options_;
  LearningRuns walks_;
  std::shared_ptr<PriorityList> priorities_;  // null: bound after bound
  Frontier frontier_;
  ToldApart told_apart_;
  Distinctions distinctions_{told_apart_};
  bool any_alike_ = false;  // tasks counted as interchangeable
  std::optional<StateReduction> states_;
  PreemptionReduction preemptions_;
  Expander expander_;
  Coverage proved_before_;  // when preemptions that had been pruned turned out to matter
  std::string note_;
  bool in_regions_ = false;  // the search has begun knowing that there are some in which threads are not preempted
};

}  // namespace heddle
