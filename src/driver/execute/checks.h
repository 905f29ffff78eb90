// Plans that run once more, to see whether the execution comes out the same:
//
//   OwnProcess       a plan that ran on a snapshot runs in a process of its own: is restoring memory enough?
//   OwnProcessAgain  those two differed; it runs again, to tell an unfaithful snapshot from a program that always
//                    differs
//   Again            twice in the same way: does the program do the same each time?
//   NewWorker        a further worker runs the first plan: does another process do the same?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/execute/events.h"
#include "trace/compare.h"

namespace heddle {

// It ended with exit status 0, and its record is whole.
bool went_well(const Execution& execution);
// It was ended from outside or stopped, or nobody knows.
bool says_nothing(const Execution& execution);

class Checks {
 public:
  enum class Kind { OwnProcess, OwnProcessAgain, Again, NewWorker };

  // `determinism_check`: of so many plans a check of the kind Again.
  explicit Checks(unsigned determinism_check) : most_repeated_(determinism_check) {}

  // Is it time for one of that kind, after so many executions? Then it is to be begun.
  bool own_process_is_due(std::uint64_t finished);
  bool again_is_due();

  // The plan to run for it.
  Plan begin(Plan plan, const Execution& expected, Kind kind, std::string where = {});
  // It brought nothing.
  void lose(PlanId plan);
  // None of those under way is to come any more.
  void forget() { under_way_.clear(); }

  struct Finding {
    std::optional<Divergence> differs;  // the program does not do the same each time
    Execution expected;                 // what came first then
    bool other_process = false;         // the other was that of a further worker
    std::string unfaithful;             // what snapshots get wrong; empty: nothing is known
    std::optional<Plan> next;           // to be run to tell which it is
  };
  // What came of a check. `unstable`: it is known already that the program does not do the same each time.
  Finding judge(const Execution& execution, bool unstable);

 private:
  struct Check {
    Plan plan;
    Execution expected;
    Kind kind;
    std::string where;  // OwnProcessAgain: the difference that was seen
  };

  void judge_own_process(Check& check, const Execution& execution, bool unstable, Finding& finding);

  const unsigned most_repeated_;
  unsigned repeated_ = 1;         // plans that were run twice, the first among them
  std::uint64_t next_check_ = 2;  // number of the execution
  std::vector<Check> under_way_;
  PlanId made_ = 0;
};

}  // namespace heddle
