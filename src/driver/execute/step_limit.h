// After how many steps executions are cut off: --max-steps. If the user gave none, the limit rises while steps are
// cheap. The first execution that reaches the limit runs again with a far higher one. If it ends, the higher limit
// holds for all from then on. If it does not, the old limit stays, and only this execution's time was lost.
//
// Steps are cheap if the higher limit is reached within four seconds at the cost seen so far. That cost is measured
// from one event to the next, which overestimates it: in truth the steps take a second or two.
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
  // A plan was lost.
  void lose(PlanId plan) {
    if (state_ == State::Tries && plan == tried_) state_ = State::InVain;
  }
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
