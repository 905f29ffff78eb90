// Samples check whether the reductions hold for the program. The steps of some schedules run once more, in another
// order that counts as equivalent (search/reordering.h). The second execution must have the same happens-before graph,
// the same end, and the same contents of the program's variables (runtime/snapshot/variables.h). If it differs, threads
// learn of each other by something that Heddle does not see. That is reported only if the first order, run once more,
// does what it did before: a program that changes by itself says nothing about orders. Where address randomization
// can't be switched off, files lie elsewhere in each process: their variables are compared by their places in the
// files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/graph_hash.h"
#include "search/reordering.h"
#include "trace/modules.h"
#include "trace/plan.h"

namespace heddle {

// The program's variables as words of 8 bytes, those that are not zero.
struct Variables {
  std::map<std::uint64_t, std::uint64_t> words;  // by address
  std::uint64_t end = 0;                         // so far memory was looked at; 0: nothing is known
};
// Takes them out of an execution's record.
Variables take_variables(Execution& execution);

// Addresses of files as they are in the first process that was seen.
class SameAddresses {
 public:
  // `modules`: of the process that has run what is asked about next.
  void enter(const ModuleMap& modules);
  std::uint64_t of(std::uint64_t address) const;
  // As `variables` would be in the first process: where they lie, and what points to files.
  Variables of(const Variables& variables) const;
  const ModuleMap& first() const { return first_; }

 private:
  struct Moved {
    std::uint64_t begin, end, by;
  };
  ModuleMap first_;
  std::vector<Moved> moved_;  // what lies elsewhere in the present one
};

class Samples {
 public:
  explicit Samples(bool early_timeouts) : reordering_(early_timeouts) {}

  // Is the schedule with this number (from 1, ascending) to be looked at? Then it is run with Plan::memory.
  bool wants(std::uint64_t number);
  // What came of `of`, which is one. A plan that runs the same in another order, if there is one. `modules`: of the
  // process that ran it.
  std::optional<Plan> begin(const Plan& of, Execution& execution, const ModuleMap& modules);

  struct Finding {
    std::optional<Plan> next;  // to make sure
    std::string differs;       // what differed, in words; empty: nothing is known to
  };
  // The executor has taken a plan of ours; it brings an execution, or is lost.
  void handed_out() { ++out_; }
  // What came of a plan of ours.
  Finding learn(Execution& execution, const ModuleMap& modules);
  void lose(PlanId plan);
  // How many the executor has, and how many of them still count.
  std::size_t out() const { return out_; }
  std::size_t outstanding() const { return samples_.size(); }
  // Nothing of what is out counts any more.
  void forget() { samples_.clear(); }

 private:
  struct Outcome {
    GraphHash graph;
    EndRecord end;
    Variables variables;
  };
  struct Sample {
    std::vector<Choice> choices;  // of the first order
    Outcome expected;
    std::optional<Outcome> other;  // what came of the other order, where it differed
    bool fair, slow_threads;       // as the plan says
  };

  std::optional<Outcome> outcome_of(Execution& execution, const ModuleMap& modules);
  Plan plan_of(const std::vector<Choice>& choices, const Sample& sample);

  Reordering reordering_;
  SameAddresses addresses_;
  std::map<PlanId, Sample> samples_;
  std::uint64_t next_ = 1;  // number of the schedule
  std::uint64_t taken_ = 0;
  PlanId plans_ = 0;
  std::size_t out_ = 0;
};

}  // namespace heddle
