// The first schedule of a search. Its execution names the places. A resumed search runs it once more (the probe), to
// see whether the program still does the same.
#pragma once

#include <cstdint>
#include <string>

#include "driver/execute/events.h"
#include "trace/plan.h"

namespace heddle {

// Of the steps and the end, without addresses: what compare() looks at.
std::uint64_t hash_of_steps(const Execution& execution);

class FirstSchedule {
 public:
  // It has come. `randomized`: each process of the program has other addresses.
  void remember(const ExecutionFinished& event, bool randomized);
  const Execution& execution() const { return example_; }

  // The search goes on: its probe is to be run before anything else.
  void ask_again() { probe_ = Probe::Due; }
  // Is the probe to be run, or under way? Then nothing else is.
  bool is_open() const { return probe_ != Probe::None; }
  bool is_out() const { return probe_ == Probe::Out; }
  // To be run now; only while it is due.
  bool is_due() const { return probe_ == Probe::Due; }
  Plan take_probe();
  // It has come. Empty, or why the search can't go on. `deterministic`: the program was seen to do the same each time.
  std::string compare_probe(const ExecutionFinished& event, bool randomized, bool deterministic);
  // Another search begins, which needs none.
  void give_up_probe() { probe_ = Probe::None; }

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.plan_.policy, self.plan_.for_policy, self.plan_.fair, self.plan_.slow_threads, self.steps_,
            self.randomized_);
  }

 private:
  Plan plan_;                // without deltas
  std::uint64_t steps_ = 0;  // a hash of what came of it
  bool randomized_ = false;
  Execution example_;
  enum class Probe { None, Due, Out } probe_ = Probe::None;
};

}  // namespace heddle
