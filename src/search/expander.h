// Expands an execution of a bounded search: all choices other than those that were made, as far as the bound and the
// reductions allow them (bounded.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "search/frontier.h"
#include "search/orders.h"
#include "search/plain_end.h"
#include "search/preemption_reduction.h"
#include "search/priority.h"
#include "search/release_stops.h"
#include "search/state_reduction.h"
#include "trace/execution.h"

namespace heddle {

class Expander {
 public:
  struct Options {
    unsigned max_preemptions = 0xffff;
    std::uint32_t eager_nodes = 1u << 23;  // beyond so many nodes, costly successors are left to revisits
    // Is this a place where threads are not to be preempted? Empty: there is none.
    std::function<bool(Site)> no_preempt = {};
    ReleaseStops::Options stops = {};
    // Which schedules come first; null: those with the fewest preemptions, as they are found.
    std::shared_ptr<PriorityList> priorities = nullptr;
    // Choices that bring no order but those that good runs have shown are not made; null: all are.
    std::shared_ptr<const StatementOrders> guide = nullptr;
    bool early_timeouts = true;
  };
  // What was seen on the way, since the search began.
  struct Seen {
    bool known_states = false;  // choices were pruned
    bool beyond_bound = false;  // schedules beyond the greatest bound are known to exist
    bool region = false;        // one in which threads are not preempted
    bool early_ends = false;    // ends of the process were pruned that come earlier than one that was run
    std::uint64_t guided = 0;   // so many choices were not made, by the guide
    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.known_states, self.beyond_bound, self.region, self.early_ends, self.guided);
    }
  };

  Expander(const Options& options, Frontier& frontier, std::optional<StateReduction>& states,
           PreemptionReduction& preemptions)
      : options_(options), frontier_(frontier), states_(states), preemptions_(preemptions), stops_(options.stops) {
    if (options.guide) brings_.emplace(options.early_timeouts);
  }

  // `in_regions`: the search has begun knowing that there are regions.
  void expand(const Execution& execution, const Frontier::Outstanding& outstanding, bool in_regions);
  bool beyond(unsigned preemptions) const { return preemptions > options_.max_preemptions; }
  // Was a thread stopped behind a release in this schedule? Then it is a sample, and nothing is to be learned from it.
  bool has_stop(Frontier::NodeId node) const { return stops_.has_stop(frontier_.nodes(), node); }
  const Seen& seen() const { return seen_; }
  Seen& seen() { return seen_; }
  const ReleaseStops& stops() const { return stops_; }
  ReleaseStops& stops() { return stops_; }

 private:
  // The expansion of one node.
  struct Expansion {
    const Execution& execution;
    Frontier::NodeId node;
    unsigned preemptions;
    bool claimed;          // a choice was claimed that leads to its first new state
    bool free;             // successors that cost nothing are wanted
    bool costly;           // those that cost a preemption are
    bool may_note;         // states may be noted
    bool skipped = false;  // there were costly ones and they were not wanted
    bool reduced = false;  // the states of the execution can be told apart
    bool yields = false;   // anybody yields in it
    bool pruned = false;   // preemptions before the step that is expanded bring nothing, by its place
    PreemptionPoints::Place place = 0;
    bool nothing_more = false;  // a preemption more is one too many, and says nothing that is not known
    PlainEnd end = {};
    bool prunes_ends = false;     // at the step that is expanded
    bool prunes_choices = false;  // all other choices at that step lead to the same from before the end
    Cost own_cost = {};           // of the execution itself
  };

  // A choice other than the one that was made, and where it leads (zeros: not known).
  struct Found {
    std::uint32_t step;
    Choice choice;
    unsigned cost;  // in preemptions
    StateReduction::Ahead ahead;
    bool pruned;             // it brings nothing
    bool early_end = false;  // it leads to an end of the process that this execution covers (plain_end.h)
  };

  std::uint32_t expand_steps(Expansion& expansion, std::uint32_t first);
  void look_for_early_ends(Expansion& expansion, std::uint32_t step);
  static bool is_early_end(const Expansion& expansion, std::uint32_t step, TaskId task);
  bool at_the_bound(const Expansion& expansion, const StepRecord& made) const;
  bool is_unpreemptible(const StepRecord& made) const;
  bool enter(const Expansion& expansion, std::uint32_t step, std::uint32_t first);
  bool brings_nothing(Expansion& expansion, std::uint32_t step);
  void expand_siblings(const Expansion& expansion);
  void expand_step(Expansion& expansion, std::uint32_t step);
  void expand_variants(Expansion& expansion, std::uint32_t step);
  void expand_task(Expansion& expansion, std::uint32_t step, TaskId task);
  void add(Expansion& expansion, Found found);
  void judge_found(Expansion& expansion);
  void judge(Expansion& expansion, const Found& found);
  void prune(Expansion& expansion, const Found& found);
  Cost cost_of(const Found& found, unsigned preemptions);

  Options options_;
  Frontier& frontier_;
  std::optional<StateReduction>& states_;
  PreemptionReduction& preemptions_;
  ReleaseStops stops_;
  Seen seen_;
  StateCursor cursor_;
  Lookahead lookahead_;              // for the guide
  std::optional<NewOrders> brings_;  // null: there is none
  std::vector<Found> found_;         // at the step that is expanded
};

}  // namespace heddle
