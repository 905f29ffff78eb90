// Dynamic partial-order reduction: one execution of every equivalence class (of every happens-before graph), without a
// bound.
//
// Source: optimal DPOR with source sets and wakeup trees: Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, algorithm 2;
// for blocking operations see races.h. Where we deviate: a step is a choice (task, variant), and the variants of an
// operation (which waiter is woken) are branches of their own; another process makes the executions and keeps the sleep
// set itself (PolicyKind::Awake), so that it runs on after the planned choices; and several plans are out at a time.
//
// Several at a time (as Lång and Sagonas have it for threads, ATVA 2020): the branches of a state are begun in their
// order, but the next may begin before the subtree of the one before has been explored. That changes neither what is
// explored nor that nothing is explored twice:
//   - The sleep set of a branch is made of the branches before it. It does not matter whether these have been explored
//     or will be: whatever is equivalent to something in one of their subtrees is found there.
//   - A sleep set needs the accesses of its steps, which are known once the steps have been taken. So a branch begins
//     when the one before has run once.
//   - A race may demand a sequence that could begin with a branch. Then the sequence is inserted into that branch's
//     subtree, also when the branch has begun, down to a state that stands alone (exploration_tree.h). Otherwise
//     subtrees would stay incomplete: a branch leaves what sleeps in it to the branches before, that is, to their
//     subtrees and to the sequences that are found there. If that branch is an alternative of a choice and is out, the
//     sequence waits for it: after it everything may sleep except what the sequence wakes.
// It has one cost. Another variant of an operation may begin while something sleeps, before the sequence is found that
// goes through it and wakes the sleepers. Then an execution ends asleep; its class still runs once. The variants of an
// operation count as one branch after the other, whenever they were found: what was begun between them does not sleep
// in the later ones, since below it the first one sleeps, and nobody finds the others. Results are learned in any
// order. With one target they come in the order of their plans.
//
// The result holds for programs whose steps depend on nothing but the order of dependent steps. There are two
// exceptions. A read of memory, which is not a step, decides whether a futex is called at all. The waiters of a lock
// that prefers writers decide who gets it. Where these occur, nothing is promised (Coverage::memory_decides). Fairness
// is off, since it depends on the order of independent steps: a program that waits by yielding has endlessly many
// classes.
//
// With a guide (--guide=hapset), a race whose other order good runs have shown is not turned round. What is run then is
// a part of the classes, and nothing is promised; a program that waits by yielding comes to an end.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "search/alternatives.h"
#include "search/exploration_path.h"
#include "search/exploration_tree.h"
#include "search/order_guide.h"
#include "search/plan_table.h"
#include "search/races.h"
#include "search/strategy.h"

namespace heddle {

class DporSearch final : public Strategy {
 public:
  explicit DporSearch(bool early_timeouts, PlanId first_plan = 1, const OrderGuide::Options& guide = {})
      : early_timeouts_(early_timeouts),
        guide_(guide, first_plan),
        races_(early_timeouts),
        alternatives_(early_timeouts),
        next_plan_(guide_.walks().end()) {}

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
  std::uint64_t asleep() const { return counts_.asleep; }

 private:
  using NodeId = ExplorationTree::NodeId;
  using Node = ExplorationTree::Node;

  // How executions ended.
  struct Ends {
    bool cut_off = false;  // before their end
    bool early = false;    // the process could have ended earlier than where it did (plain_end.h)
    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.cut_off, self.early);
    }
  };

  // Executions; and beside those made, the choices at all states that were come to.
  struct Counts {
    std::uint64_t run = 0, asleep = 0, lost = 0, choices = 0;
  };

  // How many executions there will have been; made anew now and then, since it looks at the whole tree.
  struct Estimate {
    double total = 0, spread = 1;
    std::uint64_t next = 0;  // after so many executions
    void note(const ExplorationTree& tree, std::uint64_t run);
  };

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.tree_, self.started_, self.memory_decides_, self.distrusted_, self.ends_, self.note_, self.next_plan_,
            self.counts_, self.estimate_);
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
  OrderGuide guide_;
  Races races_;
  std::uint32_t followed_until_ = UINT32_MAX;  // no races behind this step of the present execution
  ExplorationTree tree_;
  ExplorationPath path_{tree_};
  Alternatives alternatives_;
  PlanTable<NodeId> outstanding_;
  std::size_t outstanding_count_ = 0;
  std::deque<NodeId> again_;  // were outstanding when the search was saved
  bool started_ = false;
  bool memory_decides_ = false;  // futexes: their callers look at memory first
  bool distrusted_ = false;
  Ends ends_;
  std::string note_;
  PlanId next_plan_;
  Counts counts_;
  Estimate estimate_;
};

}  // namespace heddle
