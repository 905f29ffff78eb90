// See rehearsal.h.
#include "driver/execute/rehearsal.h"

#include <utility>

#include "driver/execute/checks.h"
#include "trace/assert.h"

namespace heddle {

Rehearsal::Finding Rehearsal::look(const ExecutionFinished& event, bool others) {
  HEDDLE_ASSERT(!over_, "the first plan is rehearsed until it is over, and not beyond");
  const Execution& execution = *event.execution;
  Finding finding;
  over_ = options_.determinism_check == 0 || !went_well(execution) || others;
  if (!over_ && last_) {
    finding.differs = compare(*last_, execution);
    over_ = !finding.differs || runs_ > options_.prime;
  }
  if (!over_) {
    ++runs_;
    last_ = execution;
    finding.again = true;
    finding.differs.reset();
    return finding;
  }
  if (finding.differs) {
    finding.expected = std::move(*last_);
  } else if (runs_ > 1) {
    finding.note = "the program did something else when it was run for the first time; after " +
                   std::to_string(runs_ + 1) +
                   " runs it does the same each time, and the search begins there (--prime)";
  }
  last_.reset();
  plan_ = event.plan;
  execution_ = execution;
  ended_ = std::chrono::steady_clock::now();
  return finding;
}

void Rehearsal::restart() {
  over_ = false;
  runs_ = 0;
  last_.reset();
  execution_ = Execution();
}

}  // namespace heddle
