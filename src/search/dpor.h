// Dynamic partial-order reduction: one execution of every equivalence class (of every happens-before graph), without a
// bound.
//
// Source: optimal DPOR with source sets and wakeup trees: Abdulla, Aronis, Jonsson, Sagonas, JACM 2017, algorithm 2;
// for blocking operations see races.h. Where we deviate: a step is a choice (task, variant), and the variants of an
// operation (which waiter is woken) are branches of their own; the executions are made by another process, which keeps
// the sleep set itself (PolicyKind::Awake), so that it runs on behind the planned choices.
//
// One plan is out at a time: what is explored next depends on the races of the execution before.
//
// What the result holds for: programs whose steps depend on nothing but the order of dependent steps. Whether a futex
// or a one-time initialization is called at all is decided by a look at memory, which is no step: where these occur,
// nothing is promised (Coverage::memory_decides). Fairness is off,
// since it depends on the order of independent ones: a program that waits by yielding has endlessly many classes.
#pragma once

#include <cstdint>
#include <vector>

#include "search/races.h"
#include "search/strategy.h"
#include "search/wakeup_tree.h"

namespace heddle {

class DporSearch final : public Strategy {
 public:
  explicit DporSearch(bool early_timeouts) : races_(early_timeouts) {}

  Next next() override;
  void learn(const Execution& execution) override;
  void lost(PlanId plan, LostReason reason) override;
  Coverage coverage() const override;
  void save(StateWriter& writer) const override;
  bool restore(StateReader& reader) override;

  // For tests: executions that ended because every choice slept.
  std::uint64_t asleep() const { return asleep_; }

 private:
  // A state on the way of the present execution, before its step.
  struct Node {
    Event made;                // the step taken from here
    bool by_default = false;   // it is what the target does without being told
    std::vector<Event> sleep;  // need not be taken first: explored from an equivalent place, or from here
    WakeupTree wakeup;         // still to be explored
    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.made, self.by_default, self.sleep);
      heddle::transfer(self.wakeup, archive);
    }
  };

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.path_, self.branch_, self.planned_, self.started_, self.done_, self.memory_decides_, self.cut_off_,
            self.next_plan_, self.run_, self.asleep_, self.lost_);
  }
  Next plan_from(std::uint32_t branch);
  void take_branch(std::uint32_t at);
  bool followed(const Execution& execution) const;
  void extend();
  void note_defaults(const Execution& execution);
  void add_variants(const Execution& execution);
  void add_timeouts(const Execution& execution);
  void add_races();
  void add_alternative(std::uint32_t at, Choice choice);

  Races races_;
  StateCursor cursor_;
  std::vector<Node> path_;
  std::uint32_t branch_ = 0;   // the step at which the present plan leaves the one before
  std::uint32_t planned_ = 0;  // so many steps are planned
  bool started_ = false;
  bool outstanding_ = false;
  bool again_ = false;  // was outstanding when the search was saved
  bool done_ = false;
  bool memory_decides_ = false;  // futexes, one-time initialization: their callers look at memory first
  bool cut_off_ = false;         // executions were ended before their end
  PlanId next_plan_ = 1;
  std::uint64_t run_ = 0, asleep_ = 0, lost_ = 0;
};

}  // namespace heddle
