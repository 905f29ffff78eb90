// See step_limit.h.
#include "driver/execute/step_limit.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr double kSeconds = 4;  // what one execution may take by steps as dear as those seen

}  // namespace

std::uint32_t StepLimit::again(const Plan& plan, const Execution& execution, double seconds) {
  const EndKind end = execution.end.end;
  const bool cut_off = end == EndKind::StepLimit;
  const std::uint32_t limit = std::max(plan.max_steps, usual_);
  if (state_ == State::Tries && plan.id == tried_) {
    const bool whole = !cut_off && end != EndKind::Killed && end != EndKind::Diverged && !execution.damaged;
    if (whole && limit == raised_) {
      state_ = State::Raised;
      return 0;
    }
    state_ = State::InVain;
    return usual_;
  }
  if (!cut_off) return 0;
  if (state_ == State::Tries) return usual_;  // what comes of the one that is tried decides
  if (state_ == State::Raised) return limit < raised_ ? raised_ : 0;
  if (state_ != State::Usual) return 0;
  const double times = std::min(kSeconds / std::max(seconds, 0.001), double{kMost} / usual_);
  if (times < 2) return 0;
  raised_ = static_cast<std::uint32_t>(times * usual_);
  state_ = State::Tries;
  tried_ = plan.id;
  return raised_;
}

}  // namespace heddle
