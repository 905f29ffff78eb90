// Iterative preemption bounding: all schedules without a preemption, then all with one, and so on.
//
// Sources: CHESS (OSDI 2008, section 4.4.1) for the bound, GAMBIT (PPoPP 2010, section 3, FindBacktrackingPoints) for
// the execution tree. A schedule is written as its deviations from the default behaviour. The tree's root is the
// default schedule; the parent of a schedule is the same schedule without its last deviation. What is in memory is the
// fringe (fringe.h), an entry of 12 bytes for each schedule that is to be run, and the nodes from which they branch off
// (deviations.h), 14 bytes each.
//
// Where we deviate: (1) choices are (task, variant), not tasks: which waiter is woken, timeouts, spurious wake-ups.
// (2) Once the fringe is large, the successors that cost a preemption are not stored one by one: the executed node goes
// once into the next bin as a *revisit*; when its bound's turn comes it is run again and only then expanded.
//
// Why every schedule is run exactly once. Fix the program, and let d(p) be the default choice after a sequence of
// choices p. A schedule c0 c1 … deviates at the steps D = {i : ci ≠ d(c0…ci-1)}; D is determined by the schedule, so
// its parent (without the last element of D) and its last deviation are too: each schedule has exactly one place in the
// tree. It is enough that expanding a node whose last deviation is at step s generates every child once: the children
// are all choices other than the one made at all steps i > s (expand_step), where the run followed the default. The one
// gap: how many ordinary variants a choice has is known only once it has been taken. So of every choice first variant 0
// is generated, and running it generates its siblings, variants 1 to n-1, as children of its own parent
// (expand_siblings); variants other than 0 generate none. What the run chose by itself at step i has shown its
// variants, so they are generated there. tests/unit/search compares with a brute-force enumeration.
//
// Where a thread is not to be preempted (--no-preempt, heddle_atomic_begin()), the choices that would are left out: a
// step at which only the task that ran last may go on. Its own alternatives are choices all the same. Such states are
// not noted in the reduction's table: from there, less can follow than from the same state with another task running.
//
// With a reduction (state_reduction.h), states that are equivalent to one that was expanded are not expanded again:
// then every schedule within the bound was run, or one that is equivalent to it and needs no more preemptions. The same
// holds where preemptions are left out that would bring nothing (preemption_points.h); those that turn out to matter
// are made then, in the bound where they belong. When the reductions turn out not to hold for the program, the search
// begins again without them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/deviations.h"
#include "search/fringe.h"
#include "search/left_out.h"
#include "search/plan_table.h"
#include "search/preemption_points.h"
#include "search/state_reduction.h"
#include "search/strategy.h"

namespace heddle {

class BoundedSearch final : public Strategy {
 public:
  struct Options {
    unsigned max_preemptions = kNoBound;
    std::uint32_t eager_nodes = 1u << 23;              // beyond so many nodes, costly successors are left to revisits
    bool reduce = false;                               // leave out states that are equivalent
    bool reduce_preemptions = false;                   // leave out preemptions that bring nothing
    std::size_t most_left_out = std::size_t{1} << 19;  // of those, at most so many are kept for the case that they do
    unsigned made_at_first = 0;  // so many preemptions that bring nothing are made, before any is left out
    StateReduction::Options reduction = {};
    // Is this a place where threads are not to be preempted? Empty: there is none.
    std::function<bool(Site)> no_preempt = {};
  };
  static constexpr unsigned kNoBound = 0xffff;

  explicit BoundedSearch(const Options& options);

  Next next() override;
  void learn(const Execution& execution) override;
  void lost(PlanId plan) override;
  std::optional<GraphHash> hash_of_last() const override { return reduction_ ? reduction_->whole() : std::nullopt; }
  Coverage coverage() const override;
  double estimated_total() const override;
  double estimated_spread() const override;
  void save(StateWriter& writer) const override;
  bool restore(StateReader& reader) override;
  bool reduces() const override { return reduction_.has_value() || points_.has_value(); }
  void distrust(const std::string& why) override {
    if (reduces()) give_up_reduction(why);
  }
  std::string take_note() override { return std::exchange(note_, {}); }

  // For tests: how many schedules are in memory, those that wait and those from which they branch off.
  std::size_t nodes_in_use() const { return nodes_.in_use() + leaves_; }
  // And how many bytes they and the choices that were left out take, the room for more left aside.
  std::size_t bytes_in_use() const {
    return nodes_.in_use() * Deviations::bytes_each() + entries() * sizeof(FringeEntry) + left_out_choices_.bytes();
  }

 private:
  using NodeId = Deviations::Id;
  static constexpr NodeId kNone = Deviations::kNone;
  static constexpr std::uint32_t kRootStep = Deviations::kRootStep;
  static constexpr std::size_t kMostNodes = std::size_t{1} << 31;

  // A plan that was handed out.
  struct Outstanding {
    NodeId node = kNone;
    unsigned preemptions = 0;
    Purpose purpose = Purpose::Search;
    bool revisit() const { return purpose == Purpose::Revisit; }
    std::size_t bin() const { return preemptions + (revisit() ? 1u : 0u); }
  };

  // The expansion of one node.
  struct Expansion {
    const Execution& execution;
    NodeId node;
    unsigned preemptions;
    bool claimed;           // a choice was claimed that leads to its first new state
    bool free;              // successors that cost nothing are wanted
    bool costly;            // those that cost a preemption are
    bool skipped = false;   // there were costly ones and they were not wanted
    bool reduced = false;   // the states of the execution can be told apart
    bool fair = false;      // fairness may matter
    bool left_out = false;  // preemptions before the step that is expanded bring nothing, by its place
    PreemptionPoints::Place place = 0;
    bool nothing_more = false;  // a preemption more is one too many, and says nothing that is not known
  };

  // A choice other than the one that was made, and where it leads (zeros: not known).
  struct Found {
    std::uint32_t step;
    Choice choice;
    unsigned cost;  // in preemptions
    GraphHash ahead;
  };

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.nodes_, self.leaves_, self.bins_, self.current_, self.next_plan_, self.note_, self.found_region_,
            self.regions_, self.left_out_, self.left_out_choices_, self.left_out_total_, self.made_at_first_,
            self.proved_before_, self.cut_off_, self.lost_, self.lost_from_);
  }
  Next hand_out(const FringeEntry& entry);
  Outstanding take_back(PlanId plan);
  bool followed(const Execution& execution, NodeId id) const;
  void expand(const Execution& execution, const Outstanding& outstanding);
  bool enter(const Expansion& expansion, std::uint32_t step, std::uint32_t first);
  bool at_the_bound(const Expansion& expansion, const StepRecord& made) const;
  bool is_unpreemptible(const StepRecord& made) const;
  void expand_steps(Expansion& expansion, std::uint32_t first);
  void expand_variants(Expansion& expansion, std::uint32_t step);
  void expand_siblings(const Expansion& expansion);
  void expand_step(Expansion& expansion, std::uint32_t step);
  void expand_task(Expansion& expansion, std::uint32_t step, TaskId task);
  void add(Expansion& expansion, std::uint32_t step, Choice choice, unsigned cost);
  void judge_found(Expansion& expansion);
  void judge(Expansion& expansion, const Found& found);
  void push(NodeId parent, std::uint32_t step, Choice choice, unsigned preemptions, Purpose purpose = Purpose::Search);
  void begin();
  void begin_anew();
  void give_up_reduction(const std::string& why);
  bool make_at_first(const Expansion& expansion, unsigned preemptions);
  bool brings_nothing(Expansion& expansion, std::uint32_t step);
  void leave_out(Expansion& expansion, const Found& found);
  bool make_up_for(const std::vector<PreemptionPoints::Place>& places, unsigned found_at);
  void take_up(const LeftOutChoices::LeftOut& one);
  bool sample_left_out();
  bool keep_regions();
  void enqueue(const FringeEntry& entry, std::size_t preemptions);
  std::size_t entries() const;
  void put_back(NodeId id, Purpose purpose);
  void withdraw(std::size_t from);
  bool beyond(unsigned preemptions) const { return preemptions > options_.max_preemptions; }

  Options options_;
  Deviations nodes_;
  std::size_t leaves_ = 0;   // entries of bins that are no revisits
  std::vector<Bin> bins_;    // by preemptions
  std::size_t current_ = 0;  // every bin before it is empty and nothing of it is outstanding
  PlanTable<Outstanding> outstanding_;
  PlanId next_plan_ = 1;
  StateCursor cursor_;
  std::vector<Found> found_;  // at the step that is expanded
  std::optional<StateReduction> reduction_;
  std::optional<PreemptionPoints> points_;
  LeftOutChoices left_out_choices_;
  std::uint64_t left_out_total_ = 0;
  Coverage proved_before_;  // when preemptions that had been left out turned out to matter
  std::string note_;
  bool found_region_ = false;  // one in which threads are not preempted
  bool regions_ = false;       // the search has begun knowing that
  unsigned made_at_first_ = 0;
  bool left_out_ = false;  // states were known
  bool cut_off_ = false;   // schedules beyond the greatest bound are known to exist
  std::uint64_t lost_ = 0;
  std::size_t lost_from_ = std::numeric_limits<std::size_t>::max();  // least preemptions of a lost plan
};

}  // namespace heddle
