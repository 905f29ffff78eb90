// See attempts.h.
#include "driver/execute/attempts.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr unsigned kAttempts = 4;  // as planned, again, freely, again
constexpr unsigned kFreeAttempt = 3;
constexpr std::uint64_t kMaxGivenUp = 16;  // from then on each is tried once: the program can't be held to plans

bool ended_by_itself(const Execution& execution) {
  const EndKind end = execution.end.end;
  return end == EndKind::Exited || end == EndKind::Deadlock;
}

}  // namespace

bool followed(const Plan& plan, const Execution& execution) {
  if (execution.end.end == EndKind::Diverged) return false;
  if (plan.finish_freely && execution.message(MessageKind::Divergence) != nullptr) return false;
  // It may have ended before the last choice was due.
  const Delta* last = last_delta(plan);
  if (execution.damaged || last == nullptr || !ended_by_itself(execution)) return true;
  return last->step < execution.steps.size();
}

std::optional<Plan> Attempts::after(const Plan& plan, const Execution& execution) {
  Open& open = open_[plan.id];
  if (open.made == 0) open.first = execution;
  if (open.made != 0 && !parted) {
    // Where an attempt could not be followed it ended: what only the longer one has is no difference.
    const auto divergence = compare(open.first, execution);
    const std::size_t common = std::min(open.first.steps.size(), execution.steps.size());
    if (divergence && divergence->step < common) parted = Parted{*divergence, open.first};
  }
  const unsigned made = ++open.made;
  if (made == kAttempts || given_up_ >= kMaxGivenUp) {
    open_.erase(plan.id);
    ++given_up_;
    return std::nullopt;
  }
  Plan next = plan;
  next.afresh = true;
  next.finish_freely = made + 1 == kFreeAttempt;
  return next;
}

}  // namespace heddle
