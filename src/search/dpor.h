// Dynamic partial-order reduction: one execution of every equivalence class (of every happens-before graph), without a
// bound.
//
// Source: optimal DPOR with source sets and wakeup trees: Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, algorithm 2;
// for blocking operations see races.h. Where we deviate: a step is a choice (task, variant), and the variants of an
// operation (which waiter is woken) are branches of their own; the executions are made by another process, which keeps
// the sleep set itself (PolicyKind::Awake), so that it runs on behind the planned choices; and several plans are out at
// a time.
//
// Several at a time (as Lång and Sagonas have it for threads, ATVA 2020): the branches of a state are begun in their
// order, but the next may be begun before what is behind the one before has been explored. That changes neither what
// is explored nor that nothing is explored twice:
//   - The sleep set of a branch is made of those before it. Whether these have been explored or will be does not
//     matter: what is equivalent to something behind one of them is found there.
//   - What a sleep set says is what its steps access, which is known once they have been taken. So a branch is begun
//     when the one before has been run once.
//   - A sequence that a race wants inserted goes into branches that have been begun as into those that have not: behind
//     one that could come first in it, down to a state that stands alone (exploration_tree.h). Its own subtree is not
//     explored completely otherwise, since what sleeps in it is left to the branches before: to what is behind them,
//     and to the sequences that are found there. Where that branch is an alternative of a choice and is out, the
//     sequence waits for it: all may sleep behind it but for what the sequence wakes.
// What it may cost: another variant of an operation, where something sleeps, is begun before a sequence is found that
// goes through it and wakes what sleeps. Then an execution ends asleep; its class is run once all the same. Results are
// learned in any order. With one target they come in the order of their plans.
//
// What the result holds for: programs whose steps depend on nothing but the order of dependent steps. Whether a futex
// or a one-time initialization is called at all is decided by a look at memory, which is no step, and who gets a lock
// that prefers writers by who waits for it: where these occur, nothing is promised (Coverage::memory_decides). Fairness
// is off, since it depends on the order of independent ones: a program that waits by yielding has endlessly many
// classes.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "search/alternatives.h"
#include "search/exploration_path.h"
#include "search/exploration_tree.h"
#include "search/plan_table.h"
#include "search/races.h"
#include "search/strategy.h"

namespace heddle {

class DporSearch final : public Strategy {
 public:
  explicit DporSearch(bool early_timeouts)
      : early_timeouts_(early_timeouts), races_(early_timeouts), alternatives_(early_timeouts) {}

  Next next() override;
  void learn(const Execution& execution) override;
  void lost(PlanId plan) override;
  Coverage coverage() const override;
  double estimated_total() const override { return estimate_.total; }
  double estimated_spread() const override { return estimate_.spread; }
  void save(StateWriter& writer) const override;
  bool restore(StateReader& reader) override;

  bool reduces() const override { return !memory_decides_ && !distrusted_; }
  void distrust(const std::string& why) override;
  std::string why_not_followed(const Plan& plan, const Execution& execution) const override;
  std::string take_note() override { return std::exchange(note_, {}); }

  // For tests: executions that ended because every choice slept.
  std::uint64_t asleep() const { return asleep_; }

 private:
  using NodeId = ExplorationTree::NodeId;
  using Node = ExplorationTree::Node;

  // How many executions there will have been; made anew now and then, since it looks at the whole tree.
  struct Estimate {
    double total = 0, spread = 1;
    std::uint64_t next = 0;  // after so many executions
    void note(const ExplorationTree& tree, std::uint64_t run);
  };

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.tree_, self.started_, self.memory_decides_, self.distrusted_, self.choices_, self.cut_off_, self.note_,
            self.next_plan_, self.run_, self.asleep_, self.lost_, self.estimate_);
  }
  void scan_memory(const Execution& execution, std::uint32_t first);
  void count_choices(const Execution& execution, std::uint32_t first);
  Next plan_from(NodeId from);
  void lose(NodeId from);
  void learn_impossible(const Execution& execution, NodeId from);
  void scan_after(const Execution& execution, NodeId from);
  std::uint32_t last_of_interest(const WakeupTree& taken, std::uint32_t first) const;
  void add_alternatives();
  void add_races();
  void settle(NodeId from);

  bool early_timeouts_;
  Races races_;
  std::uint32_t followed_until_ = UINT32_MAX;  // no races behind this step of the present execution
  ExplorationTree tree_;
  ExplorationPath path_{tree_};
  Alternatives alternatives_;
  PlanTable<NodeId> outstanding_;
  std::size_t outstanding_count_ = 0;
  std::deque<NodeId> again_;  // were outstanding when the search was saved
  bool started_ = false;
  bool memory_decides_ = false;  // futexes, one-time initialization: their callers look at memory first
  bool distrusted_ = false;
  std::uint64_t choices_ = 0;  // beside those made, at all states that were come to
  bool cut_off_ = false;       // executions were ended before their end
  std::string note_;
  PlanId next_plan_ = 1;
  std::uint64_t run_ = 0, asleep_ = 0, lost_ = 0;
  Estimate estimate_;
};

}  // namespace heddle
