// What happens to a plan that can't be followed (imperfect replay; CHESS, OSDI 2008, section 4.2). It is tried once
// more. Then its execution is finished freely from the divergence on, so that the program may put right what it keeps
// outside its memory. Then the plan is tried for the last time. If that fails, it is given up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "trace/compare.h"
#include "trace/execution.h"
#include "trace/plan.h"

namespace heddle {

// Did the execution make the plan's choices, all of them? What was ended from outside counts as having done so.
bool followed(const Plan& plan, const Execution& execution);

class Attempts {
 public:
  // `plan` was not followed, or was finished freely. The plan to run now; nothing: it is given up.
  std::optional<Plan> after(const Plan& plan, const Execution& execution);
  // It was followed; true if not at the first time.
  bool succeeded(PlanId plan) { return !open_.empty() && open_.erase(plan) != 0; }
  void forget() { open_.clear(); }
  // Where an attempt has parted from the first one at the same plan, if after() found that.
  struct Parted {
    Divergence divergence;
    Execution first;
  };
  std::optional<Parted> parted;

 private:
  struct Open {
    unsigned made = 0;
    Execution first;
  };
  std::map<PlanId, Open> open_;
  std::uint64_t given_up_ = 0;
};

}  // namespace heddle
