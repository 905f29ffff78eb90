// Which operation saw whose change, in the executions that were looked at, and abstract schedules made of that: what
// reads-from feedback (rff.cpp) knows.
//
// Source: Wolff, Shi, Duck, Mathur, Roychoudhury, Greybox Fuzzing for Concurrency Testing, ASPLOS 2024, section 4. An
// event is a place in the code with an object. A schedule is a set of constraints: this event sees that one's change,
// or does not. A schedule that showed a new pair of events is kept, and others are made of it by mutation; the more,
// the rarer what it showed. Where we deviate: every operation on an object reads it; objects are known by their
// addresses; of long executions nothing is learned.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <map>
#include <vector>

#include "search/draws.h"
#include "trace/execution.h"

namespace heddle {

class ReadsFrom {
 public:
  // An operation at `reader` on the object at `address` comes when one at `writer` was the last to change it (0: nobody
  // was); or never then.
  struct Constraint {
    std::uint64_t address = 0;
    Site writer = 0, reader = 0;
    bool never = false;
  };
  using Schedule = std::vector<Constraint>;

  // The schedule for a plan; learn() recognizes its execution.
  Schedule draw(PlanId plan, Draws& draws);
  // Is the execution one of draw()'s?
  bool knows(PlanId plan) const { return out_.contains(plan); }
  void learn(const Execution& execution);
  void lose(PlanId plan) { out_.erase(plan); }

  // What is out is not kept: those plans are drawn anew.
  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.objects_, self.pairs_, self.combinations_, self.executions_, self.kept_, self.present_, self.left_);
  }

 private:
  // The places of operations on one object, in the order in which they were seen.
  struct Places {
    std::vector<Site> readers, writers;
    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.readers, self.writers);
    }
  };
  struct Kept {
    Schedule schedule;
    std::uint64_t combination = 0;  // of the pairs that it showed first
    std::uint32_t chosen = 0;       // how often it was the one that others are made of
    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.schedule, self.combination, self.chosen);
    }
  };

  bool note_pairs(const Execution& execution, std::uint64_t& combination);
  void go_on_to_next();
  std::uint32_t energy_of(const Kept& kept) const;
  Constraint draw_constraint(Draws& draws) const;
  void mutate(Schedule& schedule, Draws& draws) const;

  std::map<std::uint64_t, Places> objects_;  // those whose order may matter, by address
  absl::flat_hash_set<std::uint64_t> pairs_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> combinations_;  // how often each was seen
  std::uint64_t executions_ = 0;
  std::vector<Kept> kept_ = {Kept()};  // the first one has no constraints
  std::uint64_t present_ = 0;          // of kept_, and how many are still to be made of it
  std::uint32_t left_ = 0;
  absl::flat_hash_map<PlanId, Schedule> out_;
  absl::flat_hash_set<std::uint64_t> of_execution_;
};

}  // namespace heddle
