// After how many steps executions are cut off: --max-steps, or where the user says nothing, more than by default while
// steps are cheap. The first execution that comes to the limit is run again with a far higher one. If it comes to its
// end, that limit is for all from then on. If not, the old one stays, and nothing was lost but this execution's time.
//
// Steps are cheap if so many take about a second or two. Their time is taken from one event to the next, which is more.
#pragma once

#include <cstdint>
#include <type_traits>

#include "driver/target/options.h"
#include "trace/execution.h"
#include "trace/plan.h"

namespace heddle {

class StepLimit {
 public:
  static constexpr std::uint32_t kMost = 2'000'000;

  explicit StepLimit(const RunOptions& options)
      : usual_(options.max_steps), state_(options.max_steps_given ? State::Stays : State::Usual) {}

  std::uint32_t present() const { return state_ == State::Raised ? raised_ : usual_; }
  // This plan is to be run again instead of being looked at: what Plan::max_steps is then; 0: it isn't. `seconds`:
  // since the event before.
  std::uint32_t again(const Plan& plan, const Execution& execution, double seconds);
  // Another search begins, in which loops end that did not before.
  void restart() {
    if (state_ == State::InVain || state_ == State::Tries) state_ = State::Usual;
  }

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    State state = self.state_ == State::Tries ? State::Usual : self.state_;
    archive(state, self.raised_);
    if constexpr (!std::is_const_v<Self>) self.state_ = state;
  }

 private:
  enum class State : std::uint8_t { Stays, Usual, Tries, Raised, InVain };

  std::uint32_t usual_;
  State state_;
  std::uint32_t raised_ = 0;
  PlanId tried_ = 0;
};

}  // namespace heddle
