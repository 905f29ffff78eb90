// Where executions are cut off: after --max-steps steps, if the user gave that. Else the limit adapts, in three ways.
//
//   it rises  The first execution that reaches the limit runs again with a far higher one, while that is cheap. If it
//             ends, the higher limit holds for all from then on. If it does not, the old limit stays, and only this
//             execution's time was lost.
//   it falls  If the first execution of a search does not end however far the limit rises, the program may never end.
//             The search begins anew with a low limit (fall()), so that it runs many schedules instead of a few long
//             ones. Now and then one that was cut off runs again with the usual limit, in case it ends.
//   it grows  When a search with a low limit has nothing left to run, it begins anew with a limit four times as high
//             (grow()), up to the usual one. While the limit is very low, a number of schedules are enough for that.
//             So first what few steps lead to is explored, whatever follows.
//
// One search has one limit, except that it rises: a plan may not deviate behind the limit that it runs with. So a limit
// that falls or grows begins a new search.
//
// An execution may also create too many threads. The limit of threads rises, falls and grows together with that of
// steps.
//
// To run an execution again is cheap if the higher limit is reached within four seconds at the cost seen so far (ten,
// for threads). That cost is measured from one event to the next, which overestimates it: in truth the steps take a
// second or two.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "driver/target/options.h"
#include "trace/execution.h"
#include "trace/plan.h"

namespace heddle {

class StepLimit {
 public:
  static constexpr std::uint32_t kMost = 2'000'000;
  static constexpr std::uint32_t kUsualTasks = 256;
  // An execution with more threads has at least four steps for each. That is more choices than a search can remember.
  static constexpr std::uint32_t kMostTasks = 4096;
  static constexpr std::uint32_t kLowSteps = 128, kLowTasks = 4;
  static constexpr std::uint32_t kLowEnough = 2048;  // steps

  // No tasks: any number.
  struct Limits {
    std::uint32_t steps = 0, tasks = 0;
    friend bool operator==(const Limits&, const Limits&) = default;
  };

  // `remembers_choices`: does the search?
  explicit StepLimit(const RunOptions& options, bool remembers_choices = true);

  Limits present() const;
  // The plan is to be run again with these limits instead of being looked at. `seconds`: since the event before.
  std::optional<Limits> again(const Plan& plan, const Execution& execution, double seconds);
  // A plan was lost.
  void lose(PlanId plan);
  // Another search begins, in which loops end that did not before.
  void restart();

  // May it fall, if the first execution of a search has just been cut off?
  bool may_fall() const { return state_ == State::Usual || state_ == State::InVain; }
  // It is to fall before the next search, unless that is restart()ed for another reason.
  void fall_next() { falls_next_ = true; }
  bool falls_next() const { return falls_next_; }
  void fall();
  bool may_grow() const { return state_ == State::Low; }
  bool is_very_low() const { return state_ == State::Low && low_.steps < kLowEnough; }
  void grow();
  // It had fallen, and an execution has ended behind it: the search is to begin anew, with the usual limit.
  bool fell_too_far() const { return fell_too_far_; }

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    State state = self.state_ != State::Tries ? self.state_ : self.low_.steps != 0 ? State::Low : State::Usual;
    archive(state, self.raised_, self.low_, self.cut_off_, self.next_try_, self.fell_too_far_);
    if constexpr (!std::is_const_v<Self>) self.state_ = state;
  }

 private:
  // Stays: the user's. Grown: the usual one, after it was low.
  enum class State : std::uint8_t { Stays, Usual, Tries, Raised, InVain, Low, Grown };

  static bool reached_tasks(Limits limits, const Execution& execution);
  std::optional<Limits> higher(Limits limits, const Execution& execution, double seconds) const;
  std::optional<Limits> after_try(Limits limits, const Execution& execution, double seconds);
  bool tries_now(double seconds);

  Limits usual_;
  bool remembers_choices_;
  State state_;
  Limits raised_;
  Limits low_;                  // no steps: it has not fallen
  PlanId tried_ = 0;            // while a plan runs with a higher limit: that plan
  std::uint64_t cut_off_ = 0;   // executions, since it fell
  std::uint64_t next_try_ = 0;  // when it is so many, the last one of them is tried with the usual limit
  bool falls_next_ = false;
  bool fell_too_far_ = false;
};

}  // namespace heddle
