// See estimate.h.
#include "search/estimate.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

constexpr double kMost = 1e18;  // schedules; more make no difference, and would not fit

}  // namespace

double Estimate::seconds_to_go(std::uint64_t schedules, double per_second) const {
  const std::uint64_t run = run_of(schedules);
  const double share =
      static_cast<double>(std::max<std::uint64_t>(run, 1)) / static_cast<double>(std::max<std::uint64_t>(schedules, 1));
  return static_cast<double>(std::max(total, run) - run) / (per_second * share);
}

void EstimateHistory::note(std::uint64_t done, int bound, double total, double spread) {
  if (bound != bound_) {
    bound_ = bound;
    begun_at_ = done;
    samples_.clear();
  }
  last_ = {done, std::min(total, kMost), spread};
  if (!std::isfinite(spread)) return;
  if (total <= 0 || done < begun_at_ + kFirst) return;
  if (samples_.empty() || done - begun_at_ >= (samples_.back().done - begun_at_) * 17 / 16 + 1)
    samples_.push_back(last_);
}

std::optional<Estimate> EstimateHistory::estimate() const {
  if (samples_.empty() || last_.total <= 0 || !std::isfinite(last_.spread)) return {};
  double low = last_.total / last_.spread, high = last_.total * last_.spread;
  for (auto sample = samples_.rbegin(); sample != samples_.rend(); ++sample) {
    if ((sample->done - begun_at_) * 2 < last_.done - begun_at_) break;
    low = std::min(low, sample->total);
    high = std::max(high, sample->total);
  }
  const auto at_bound = static_cast<double>(last_.done - begun_at_);
  const double to_come = 1 - std::min(1.0, at_bound / std::max(1.0, last_.total - static_cast<double>(begun_at_)));
  const double margin = last_.total * (1 + 2 * to_come * to_come * to_come) / 8;
  const auto done = static_cast<double>(last_.done);
  const auto whole = [&](double number) { return static_cast<std::uint64_t>(std::clamp(number, done, kMost)); };
  return Estimate{whole(last_.total), whole(low - margin), whole(high + margin), 0};
}

}  // namespace heddle
